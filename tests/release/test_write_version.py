"""A version is written into all files that name it, and refused where it cannot be the next."""

from __future__ import annotations

import sys
from pathlib import PurePosixPath

import pytest

from kwitness.devtools.release.version_places import places_in, unruled_places
from kwitness.devtools.release.write_version import main

from tests.release.conftest import CHANGELOG, TOWNCRIER, Sources

FILES = {
    "pyproject.toml": '[project]\nname = "kwitness"\nversion = "{}"\n\n[tool.other]\nversion = "1.0.0"\n\n' + TOWNCRIER,
    "Cargo.toml": '[workspace.package]\nversion = "{}"\n\n[dependencies]\nserde = {{ version = "1.0.0" }}\n',
    "services/sim/Cargo.toml": '[package]\nname = "kwitness-sim"\nversion = "{}"\n',
    "Cargo.lock": '[[package]]\nname = "kwitness-a"\nversion = "{}"\n\n'
    '[[package]]\nname = "kwitness-b"\nversion = "1.0.0"\nsource = "registry"\n',
    "Chart.yaml": "name: kwitness\nversion: {}\nappVersion: {}\ndependencies:\n"
    "  - name: kwitness-crds\n    version: {}\n  - name: other\n    version: 1.0.0\n",
    "pom.xml": "<artifactId>kwitness-headers</artifactId>\n  <version>{}</version>\n"
    "<artifactId>other</artifactId><version>1.0.0</version>\n",
    "version.py": 'VERSION = "{}"\n',
    "page.md": "`kwitness/broker-plugin:{}`, registry.example.org/kwitness/operator:{}@sha256:1, "
    "kubectl-kwitness-{}.tar.gz, kwitness_otlp-{}-cp311.whl, kwitness[command]=={}, dev.kwitness:kwitness-headers:{}\n"
    "helm install kwitness oci://a/kwitness/charts/kwitness \\\n  --namespace kwitness --version {}\n"
    "other/kafka-with-kwitness:1.0.0, kwitness/kafka:4.3.1-1, helm install a --namespace kwitness --version 1.0.0\n",
}


@pytest.fixture
def files(sources: Sources) -> Sources:
    """Sources whose files name version 0.2.0."""
    (sources.folder / "services/sim").mkdir(parents=True)
    for name, text in FILES.items():
        sources.write(name, text.replace("{}", "0.2.0").replace("{{", "{").replace("}}", "}"))
    sources.commit()
    return sources


def written(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], version: str) -> str:
    """Write a version; return the error, or nothing."""
    monkeypatch.setattr(sys, "argv", ["write_version", version])
    status = main()
    error = capsys.readouterr().err
    assert bool(error) == (status == 1)
    return error


@pytest.mark.parametrize("version", ["0.10.0", "1.0.0-rc.1"])
def test_each_way_to_name_the_version_is_written_and_nothing_else(
    files: Sources, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], version: str
) -> None:
    assert written(monkeypatch, capsys, version) == ""

    for name, text in FILES.items():
        expected = text.replace("{}", version).replace("{{", "{").replace("}}", "}")
        assert (files.folder / name).read_text() == expected


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("0.2", "is malformed: write it as 0.2.0"),
        ("0.1.9", "goes back: the sources are of 0.2.0"),
        ("0.2.0-rc.3", "goes back: the sources are of 0.2.0"),
        ("0.2.5", "is not newer than 0.2.5, which is released"),
        ("0.2.4", "is not newer than 0.2.5, which is released"),
    ],
)
def test_a_version_that_cannot_be_the_next_is_refused(
    files: Sources,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    version: str,
    reason: str,
) -> None:
    files.git("tag", "v0.2.5")

    assert reason in written(monkeypatch, capsys, version)
    assert (files.folder / "version.py").read_text() == 'VERSION = "0.2.0"\n'


@pytest.mark.parametrize(("version", "dated"), [("0.3.0", True), ("0.3.0-rc.1", False)])
def test_a_release_dates_the_changelog_and_a_candidate_does_not(
    files: Sources,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    version: str,
    *,
    dated: bool,
) -> None:
    files.write("changelog/map.added.md", "A map.")
    files.commit()

    assert written(monkeypatch, capsys, version) == ""

    assert ("- A map.\n" in (files.folder / "CHANGELOG.md").read_text()) == dated
    assert (files.folder / "changelog/map.added.md").exists() != dated


def test_a_version_that_has_a_section_is_refused(
    files: Sources, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files.write("CHANGELOG.md", f"{CHANGELOG}\n## 0.3.0 (2026-01-01)\n")
    files.commit()

    assert "0.3.0 is not newer than 0.3.0, which is released" in written(monkeypatch, capsys, "0.3.0")


def test_a_change_without_what_to_do_is_refused(
    files: Sources, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files.write("changelog/map.changed.md", "The map moves.")
    files.commit()

    assert 'changelog/map.changed.md is of kind changed: add a sentence that begins with "What to do:"' in written(
        monkeypatch, capsys, "0.3.0"
    )
    assert (files.folder / "version.py").read_text() == 'VERSION = "0.2.0"\n'


def test_files_that_are_not_committed_are_named(
    files: Sources, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files.write("version.py", "# changed\n")

    assert "and these files differ from it: version.py: commit them" in written(monkeypatch, capsys, "0.3.0")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("package.json", '{\n "name": "kwitness-web",\n "version": "0.2.0"\n}\n'),
        ("settings.sh", "# of kwitness\nKWITNESS_VERSION=0.2.0\n"),
        ("page.md", "Download kwitness-v0.2.0 from there.\n"),
    ],
)
def test_a_file_that_names_the_version_in_another_way_is_found(sources: Sources, name: str, text: str) -> None:
    sources.write(name, text)

    assert [str(place.file) for place in unruled_places(sources.folder)] == [name]


@pytest.mark.parametrize(
    "text", ["kwitness-broker 10.2.0.1", "kwitness needs kafka 0.2.0", "kwitness\nversion: 0.2.01", "kwitness:1.0.2.0"]
)
def test_what_is_another_version_is_not_found(sources: Sources, text: str) -> None:
    sources.write("page.md", text)

    assert list(unruled_places(sources.folder)) == []


def test_places_have_their_lines() -> None:
    places = places_in(PurePosixPath("charts/a/Chart.yaml"), "name: kwitness\nversion: 0.1.0\nappVersion: 0.2.0\n")

    assert [(place.line, place.version) for place in places] == [(2, "0.1.0"), (3, "0.2.0")]
