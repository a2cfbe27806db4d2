"""What the first check says on machines that lack something."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kwitness.devtools import prerequisites

GOOD = {
    "git": "git version 2.39.5",
    "make": "GNU Make 4.3",
    "go": "go1.24.0",
    "javac": "javac 17.0.13",
    "mvn": "Apache Maven 3.8.7 (Debian)\nMaven home: /usr/share/maven",
    "rustc": "rustc 1.85.0 (4d91de4e4 2025-02-17)",
}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH on which every tool is there, and says that it is just new enough."""
    for name, answer in GOOD.items():
        install(tmp_path, name, answer)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def install(folder: Path, name: str, answer: str, *, code: int = 0) -> None:
    script = folder / name
    script.write_text(f"#!/bin/sh\nprintf '%s\\n' '{answer}'\nexit {code}\n")
    script.chmod(0o755)


def test_a_complete_machine_lacks_nothing(machine: Path) -> None:
    assert prerequisites.missing() == []


@pytest.mark.parametrize("tool", sorted(GOOD))
def test_each_absent_tool_has_one_line(machine: Path, tool: str) -> None:
    (machine / tool).unlink()
    (line,) = prerequisites.missing()
    assert f"`{tool}` is not on the PATH" in line


@pytest.mark.parametrize(
    ("tool", "answer", "words"),
    [
        ("go", "go1.19.8", "Go >= 1.24 is needed, and here is 1.19.8"),
        ("rustc", "rustc 1.63.0", "Rust >= 1.85 is needed, and here is 1.63.0"),
        ("javac", "javac 11.0.25", "a JDK >= 17 is needed, and here is 11.0.25"),
        ("mvn", "Apache Maven 3.6.3", "Maven >= 3.8 is needed, and here is 3.6.3"),
    ],
)
def test_a_tool_that_is_too_old_is_named_with_its_version(machine: Path, tool: str, answer: str, words: str) -> None:
    install(machine, tool, answer)
    (line,) = prerequisites.missing()
    assert line.startswith(words)


def test_a_tool_that_fails_is_quoted(machine: Path) -> None:
    install(machine, "rustc", "error: no default toolchain", code=1)
    (line,) = prerequisites.missing()
    assert "no default toolchain" in line


def test_versions_compare_by_number_and_not_by_letter() -> None:
    assert prerequisites.version("1.9") < prerequisites.version("1.24")


def test_an_old_python_is_named() -> None:
    assert prerequisites.python_problem((3, 9, 2)).startswith("Python >= 3.11 is needed, and `python3` is 3.9.2")


def test_the_check_ends_with_an_error_and_one_line_for_each_thing(machine: Path) -> None:
    (machine / "go").unlink()
    (machine / "mvn").unlink()
    done = subprocess.run(
        [sys.executable, "-S", prerequisites.__file__],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(machine)},
    )
    assert done.returncode == 1
    assert [line.split(" >=")[0] for line in done.stderr.splitlines()] == ["missing: Go", "missing: Maven"]
