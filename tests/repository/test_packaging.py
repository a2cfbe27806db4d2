"""The namespace `kwitness` is spread over the components' folders; each way in which that can break was met once."""

from __future__ import annotations

import importlib
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PORTIONS = sorted(path for path in ROOT.glob("*/**/src/kwitness/*") if path.is_dir() and path.name != "__pycache__")
FOR_DEVELOPMENT = {"images", "e2e", "demo", "bench", "devtools"}
"""What builds, tries and measures the components; it works in a clone alone."""
TRACKED = [
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
]


def test_no_portion_hides_the_others() -> None:
    assert not [
        path
        for path in TRACKED
        if path.name == "__init__.py"
        and path.parent.name in {"kwitness", "operator"}
        and (path.parent.parent.name == "src" or path.parent.parent == ROOT)
    ]


def test_tests_are_not_in_the_components_folders() -> None:
    """Under `operator/` they would replace the standard library's module of that name."""
    assert not [
        path
        for path in TRACKED
        if path.name.startswith("test_") and path.relative_to(ROOT).parts[0] != "tests" and path.suffix == ".py"
    ]


def test_the_type_checker_is_told_of_every_portion() -> None:
    outside = {"kwitness_interceptors"}  # in other people's processes, which may have a `kwitness` of their own
    assert set(PROJECT["tool"]["mypy"]["packages"]) == {f"kwitness.{path.name}" for path in PORTIONS} | outside


@pytest.mark.parametrize("portion", PORTIONS, ids=lambda path: path.name)
def test_each_portion_is_imported_from_its_own_folder_and_begins_with_its_charter(portion: Path) -> None:
    module = importlib.import_module(f"kwitness.{portion.name}")

    assert Path(str(module.__file__)).parent == portion
    assert module.__doc__
    assert (portion / "py.typed").is_file()


def test_every_portion_but_those_for_development_is_in_the_wheel() -> None:
    shipped = {str(path.parent.relative_to(ROOT)) for path in PORTIONS if path.name not in FOR_DEVELOPMENT}

    assert set(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == shipped


def test_the_distribution_itself_depends_on_nothing() -> None:
    assert PROJECT["project"]["dependencies"] == []


def test_locks_hold_hashes_and_no_addresses() -> None:
    for lock in (ROOT / "locks").glob("*.txt"):
        text = lock.read_text()
        assert "--hash=sha256:" in text
        assert "://" not in text
