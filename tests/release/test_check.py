"""Checks reasons and remedies of releases that are refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kwitness.devtools.release.__main__ import main
from kwitness.devtools.release.check import parsed
from kwitness.devtools.release.identity import read_identity
from kwitness.devtools.release.registry import is_loopback
from kwitness.devtools.release.release import ReleaseError

from tests.release.conftest import Sources


def released(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], version: str, registry: str = "127.0.0.1:5000"
) -> str:
    """Run the first step; return the error, or nothing."""
    monkeypatch.setattr(
        sys, "argv", ["release", "check", f"--version={version}", "--out=release", f"--registry={registry}"]
    )
    status = main()
    error = capsys.readouterr().err
    assert bool(error) == (status == 1)
    return error


def test_committed_sources_of_the_version_are_released(
    sources: Sources, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sources.git("tag", "v0.1.0")
    sources.git("tag", "v0.2.0-rc.1")
    sources.git("tag", "v0.2.0")

    assert released(monkeypatch, capsys, "0.2.0") == ""


@pytest.mark.parametrize("version", ["", "1", "0.2", "v0.2.0", "0.2.0-beta", "0.02.0", "0.2.0-rc.0", "0.2.0\n"])
def test_a_malformed_version_is_refused(
    sources: Sources, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], version: str
) -> None:
    assert "is malformed: write it as 0.2.0" in released(monkeypatch, capsys, version)


def test_another_version_than_that_of_the_sources_is_refused(
    sources: Sources, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "are of version 0.2.0, not 0.3.0: run `make version VERSION=0.3.0`" in released(monkeypatch, capsys, "0.3.0")


@pytest.mark.parametrize("file", ["pyproject.toml", "new.txt"])
def test_what_is_not_committed_is_named(
    sources: Sources, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], file: str
) -> None:
    sources.write(file, '[project]\nversion = "0.2.0"\n# changed\n')

    assert f"these files differ from it: {file}: commit them" in released(monkeypatch, capsys, "0.2.0")


def test_a_version_that_goes_back_is_refused(
    sources: Sources, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sources.git("tag", "v0.10.0")

    assert "version 0.2.0 goes back: 0.10.0 is released" in released(monkeypatch, capsys, "0.2.0")


def test_a_version_is_not_released_twice(
    sources: Sources, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sources.git("tag", "v0.2.0")
    sources.write("new.txt", "")
    sources.commit()

    assert "the tag v0.2.0 is another commit" in released(monkeypatch, capsys, "0.2.0")


@pytest.mark.skipif(not read_identity().placeholders(), reason="the names are no example's any more")
@pytest.mark.parametrize("registry", ["registry.example.org/kwitness", "10.0.0.1:5000", "localhost.example.org"])
def test_another_host_gets_no_release_with_names_of_an_example(
    sources: Sources, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], registry: str
) -> None:
    error = released(monkeypatch, capsys, "0.2.0", registry)

    assert f"{registry} is not on this machine, and repository, registry, downloads in" in error


def test_sources_without_a_repository_are_refused(
    tmp_path: Path, sources: Sources, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (sources.folder / ".git").rename(tmp_path / "elsewhere")

    assert "not a git repository" in released(monkeypatch, capsys, "0.2.0")


def test_a_step_that_there_is_not_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["release", "chart", "--version=1.0.0", "--out=x", "--registry=127.0.0.1"])

    with pytest.raises(SystemExit):
        main()

    assert "no step is called chart: there are check" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("registry", "expected"),
    [
        ("127.0.0.1:5000", True),
        ("127.0.0.2/path", True),
        ("[::1]:5000/path", True),
        ("localhost:5000", True),
        ("0.0.0.0:5000", False),
        ("registry.example.org", False),
        ("", False),
    ],
)
def test_loopback(registry: str, *, expected: bool) -> None:
    assert is_loopback(registry) is expected


def test_candidates_come_before_their_release() -> None:
    versions = ["0.2.0-rc.2", "0.10.0", "0.2.0", "0.2.0-rc.10", "0.1.9"]

    assert sorted(versions, key=parsed) == ["0.1.9", "0.2.0-rc.2", "0.2.0-rc.10", "0.2.0", "0.10.0"]


def test_a_malformed_version_has_no_order() -> None:
    with pytest.raises(ReleaseError, match=r"'1\.x' is malformed"):
        parsed("1.x")
