"""Fragments of the changelog are refused with a remedy, or become the section of a version."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from kwitness.devtools.release.fragments import dated_versions, make_section, problems
from kwitness.devtools.release.release import ReleaseError

from tests.release.conftest import CHANGELOG, Sources

TODAY = datetime.now(tz=UTC).date().isoformat()


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        (
            "map.new.md",
            "A map.",
            "changelog/map.new.md is no fragment: name it NAME.KIND.md, as changelog/README.md says",
        ),
        ("Map.added.md", "A map.", "changelog/Map.added.md is no fragment"),
        ("map.added.md", " \n", "changelog/map.added.md must be an entry's text"),
        ("map.added.md", "- A map.", "changelog/map.added.md must be an entry's text"),
        ("map.changed.md", "The map moves.", "changelog/map.changed.md is of kind changed: add a sentence"),
        (
            "map.removed.md",
            "The map is gone. What to do:",
            "changelog/map.removed.md is of kind removed: add a sentence",
        ),
        ("map.removed.md", "It asks What to do: nothing.", 'add a sentence that begins with "What to do:"'),
    ],
)
def test_a_fragment_is_refused_with_a_remedy(sources: Sources, name: str, text: str, problem: str) -> None:
    sources.write(f"changelog/{name}", text)

    (found,) = problems(sources.folder)
    assert problem in found


@pytest.mark.parametrize("kind", ["Changed", "Breaking"])
def test_an_entry_that_lacks_what_to_do_is_named_by_its_line(sources: Sources, kind: str) -> None:
    sources.write(
        "CHANGELOG.md",
        f"# Changelog\n\n- **{kind}**: a.\n  What to do: b.\n- Also `c`. **{kind}**: d\n  is e.\n- What to do: f.\n",
    )

    assert problems(sources.folder) == ['CHANGELOG.md:5 names a change: add a sentence that begins with "What to do:"']


@pytest.mark.parametrize(
    "text", ["It moves. What to do: nothing.", "What to do: wait.", "It is `b`.\nWhat to do: wait."]
)
def test_a_fragment_with_its_remedy_is_accepted(sources: Sources, text: str) -> None:
    sources.write("changelog/map.changed.md", text)

    assert problems(sources.folder) == []


def test_fragments_become_a_section_before_the_last_and_are_removed(sources: Sources) -> None:
    sources.write("changelog/map.added.md", "A map\nof topics ([guide](docs/map.md)).\n")
    sources.write("changelog/zoom.changed.md", "It zooms. What to do: nothing.\n")
    sources.write("changelog/away.removed.md", "It is gone. What to do: wait.")
    sources.write("CHANGELOG.md", CHANGELOG + "\n## 0.2.0 (2026-01-01)\n\n### Fixed\n\n- It is right.\n")
    sources.commit()

    make_section(sources.folder, "0.3.0")

    assert (sources.folder / "CHANGELOG.md").read_text() == (
        f"{CHANGELOG}\n## 0.3.0 ({TODAY})\n\n### Changed\n\n- It zooms. What to do: nothing.\n\n"
        "### Removed\n\n- It is gone. What to do: wait.\n\n"
        "### Added\n\n- A map\n  of topics ([guide](docs/map.md)).\n\n\n"
        "## 0.2.0 (2026-01-01)\n\n### Fixed\n\n- It is right.\n"
    )
    assert [file.name for file in (sources.folder / "changelog").iterdir()] == ["README.md"]
    assert dated_versions(sources.folder) == ["0.3.0", "0.2.0"]


def test_an_error_of_towncrier_is_passed_on(sources: Sources, tmp_path: Path) -> None:
    (sources.folder / "pyproject.toml").write_text('[tool.towncrier]\ndirectory = "changelog"\nunknown = 1\ntype = 2\n')

    with pytest.raises(ReleaseError, match=r"towncrier made no section of changelog/: "):
        make_section(sources.folder, "0.3.0")
