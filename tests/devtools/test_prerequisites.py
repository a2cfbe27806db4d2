"""What the first check says on machines that lack something."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kwitness.devtools import install_tools, prerequisites

GOOD = {
    "git": "git version 2.39.5",
    "make": "GNU Make 4.3",
    "go": "go1.25.0",
    "javac": "javac 17.0.13",
    "mvn": "Apache Maven 3.8.7 (Debian)\nMaven home: /usr/share/maven",
    "cargo": "cargo 1.95.0 (f2d3ce0bd 2026-03-21)",
    "valgrind": "valgrind-3.19.0",
    "cc": "cc (Debian 12.2.0-14) 12.2.0",
    "c++": "c++ (Debian 12.2.0-14) 12.2.0",
    "node": "v18.20.4",
    "npm": "9.2.0",
    "readelf": "GNU readelf (GNU Binutils for Debian) 2.40",
    "gpg": "gpg (GnuPG) 2.2.40",
    "docker": "Docker version 20.10.24",
}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH on which every tool is there, and says that it is just new enough."""
    for name, answer in GOOD.items():
        install(tmp_path, name, answer)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    return tmp_path


def install(folder: Path, name: str, answer: str, *, code: int = 0) -> None:
    script = folder / name
    script.write_text(f"#!/bin/sh\nprintf '%s\\n' '{answer}'\nexit {code}\n")
    script.chmod(0o755)


@pytest.mark.parametrize("target", prerequisites.TOOLS)
def test_a_complete_machine_lacks_nothing(machine: Path, target: str) -> None:
    assert prerequisites.missing(target) == []


@pytest.mark.parametrize("tool", ["git", "make", "go", "javac", "mvn", "cargo", "valgrind", "node", "npm", "readelf"])
def test_each_absent_tool_has_one_line(machine: Path, tool: str) -> None:
    (machine / tool).unlink()
    (line,) = prerequisites.missing("test")
    assert f"`{tool}` is not on the PATH" in line


@pytest.mark.parametrize(
    ("target", "enough"),
    [
        ("setup", {"git", "make"}),
        ("verify", {"git", "make", "javac", "mvn"}),
        ("images", {"git", "make", "javac", "mvn", "cargo", "docker"}),
        ("test-wire", {"git", "make", "cargo", "valgrind"}),
        ("test-observer-rust", {"git", "make", "cargo"}),
        ("test-librdkafka-rust", {"git", "make", "cargo", "readelf"}),
        ("bench-console", {"git", "make"}),
        ("bench-interceptors", {"git", "make", "javac", "mvn", "cargo", "cc"}),
        ("test-fast", {"git", "make", "javac", "mvn", "go", "cargo", "readelf"}),
    ],
)
def test_a_target_asks_for_nothing_that_it_does_not_need(machine: Path, target: str, enough: set[str]) -> None:
    for tool in set(GOOD) - enough:
        (machine / tool).unlink()
    assert prerequisites.missing(target) == []


def test_the_makefile_checks_each_target_that_is_listed() -> None:
    makefile = (Path(__file__).resolve().parents[2] / "Makefile").read_text()
    checked = re.findall(r"^([a-z0-9-]+):.* ?prerequisites-([a-z0-9-]+) ", makefile, re.MULTILINE)
    assert dict(checked) == {target: target for target in prerequisites.TOOLS}
    assert set(prerequisites.TOOLS) >= prerequisites.WITH_ENGINE


def test_an_engine_that_does_not_answer_is_named_with_what_to_do(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(machine, "docker", "Cannot connect to the Docker daemon", code=1)
    install(machine, "dockerd", "")
    assert prerequisites.engine_problem().endswith("`sudo systemctl start docker`, and be allowed to use it")

    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    assert "DOCKER_HOST=tcp://127.0.0.1:1 does not answer" in prerequisites.engine_problem()


def test_an_engine_that_is_absent_is_named_with_what_to_install(machine: Path) -> None:
    (machine / "docker").unlink()
    (line,) = prerequisites.missing("demo")
    assert "there is none: install Docker" in line


@pytest.mark.parametrize("tool", ["dockerd", "apt-get"])
def test_an_engine_that_root_starts_or_installs_is_not_missed(
    machine: Path, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    (machine / "docker").unlink()
    install(machine, tool, "")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert prerequisites.missing("images") == []


@pytest.mark.parametrize(
    ("tool", "answer", "words"),
    [
        ("go", "go1.19.8", "Go >= 1.24 is needed, and here is 1.19.8"),
        ("javac", "javac 11.0.25", "a JDK >= 17 is needed, and here is 11.0.25"),
        ("cargo", "cargo 1.63.0", "Rust >= 1.95 is needed, and here is 1.63.0"),
        ("valgrind", "valgrind-3.16.1", "valgrind >= 3.19 is needed, and here is 3.16.1"),
        ("mvn", "Apache Maven 3.6.3", "Maven >= 3.8 is needed, and here is 3.6.3"),
    ],
)
def test_a_tool_that_is_too_old_is_named_with_its_version(machine: Path, tool: str, answer: str, words: str) -> None:
    install(machine, tool, answer)
    (line,) = prerequisites.missing("test")
    assert line.startswith(words)


def test_a_tool_that_fails_is_quoted(machine: Path) -> None:
    install(machine, "go", "go: no such tool", code=1)
    (line,) = prerequisites.missing("test")
    assert "go: no such tool" in line


def test_versions_compare_by_number_and_not_by_letter() -> None:
    assert prerequisites.version("1.9") < prerequisites.version("1.24")


def test_an_old_python_is_named() -> None:
    assert prerequisites.python_problem((3, 9, 2)).startswith("Python >= 3.11 is needed, and `python3` is 3.9.2")


def test_the_check_ends_with_an_error_and_one_line_for_each_thing(machine: Path) -> None:
    (machine / "go").unlink()
    (machine / "mvn").unlink()
    done = subprocess.run(
        [sys.executable, "-S", prerequisites.__file__, "test"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(machine)},
    )
    assert done.returncode == 1
    assert [line.split(" >=")[0] for line in done.stderr.splitlines()] == ["missing: Go", "missing: Maven"]


@pytest.mark.parametrize(("user", "before"), [(0, ""), (1000, "apt-get ")])
def test_what_is_absent_is_installed_in_one_go(
    machine: Path, monkeypatch: pytest.MonkeyPatch, user: int, before: str
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    (machine / "valgrind").unlink()
    (machine / "mvn").unlink()
    called = machine / "called"
    for name in ("apt-get", "sudo"):
        (machine / name).write_text(f'#!/bin/sh\necho "$@" >> {called}\n')
        (machine / name).chmod(0o755)

    assert install_tools.main(["test"]) == 0

    install = "install -y -q --no-install-recommends maven valgrind"
    assert called.read_text().splitlines() == [f"{before}update -q", f"{before}{install}"]


def test_a_complete_machine_gets_nothing(machine: Path) -> None:
    assert install_tools.main(["test"]) == 0  # apt-get is not on the PATH


@pytest.mark.parametrize(
    ("target", "words"), [("test", "Rust >= 1.95 is needed"), ("tests", "'tests' is no target with tools")]
)
def test_what_no_package_brings_is_named(
    machine: Path, capsys: pytest.CaptureFixture[str], target: str, words: str
) -> None:
    (machine / "cargo").unlink()

    assert install_tools.main([target]) == 1

    assert words in capsys.readouterr().err
