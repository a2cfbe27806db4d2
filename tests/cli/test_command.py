"""The command `kwitness` and where its subcommand `observe` finds the program that it becomes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kwitness.sandbox.waiting import run_to_end

ROOT = Path(__file__).resolve().parents[2]
OBSERVER = """#!/bin/sh
echo "$0 $@"
exit 7
"""
"""Says its arguments, and ends with a status of its own."""


def kwitness(*arguments: str, path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kwitness.cli", *arguments]
    return run_to_end(command, env={"PATH": str(path)})


def install(folder: Path, name: str, script: str) -> Path:
    program = folder / name
    program.write_text(script)
    program.chmod(0o755)
    return program


def test_help_lists_the_subcommands(tmp_path: Path) -> None:
    done = kwitness("--help", path=tmp_path)

    assert done.returncode == 0
    assert re.search(r"^  observe +Relay Kafka clients of this machine", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("arguments", [(), ("watch",), ("--bootstrap", "kafka:9092")])
def test_what_is_no_subcommand_is_refused_with_those_that_there_are(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = kwitness(*arguments, path=tmp_path)

    assert done.returncode == 2
    assert "Usage: kwitness" in done.stderr


def test_a_program_on_the_path_takes_every_argument_as_it_was_given(tmp_path: Path) -> None:
    program = install(tmp_path, "kwitness-observer", OBSERVER)
    done = kwitness("observe", "--bootstrap", "a b:1,c:2", "--", "--help", "-", path=tmp_path)

    assert done.stdout == f"{program} observe --bootstrap a b:1,c:2 -- --help -\n"
    assert done.returncode == 7


def test_a_program_that_does_not_run_here_is_named(tmp_path: Path) -> None:
    program = install(tmp_path, "kwitness-observer", "\x7fELF of another machine")
    done = kwitness("observe", path=tmp_path)

    assert done.returncode == 1
    assert done.stderr == (
        f"kwitness observe: {program} does not run on this machine (Exec format error): "
        "install a wheel that was built for it\n"
    )


def test_in_a_clone_the_program_is_built_first(tmp_path: Path) -> None:
    """Cargo is a script here: a build takes minutes."""
    program = install(tmp_path, "built", '#!/bin/sh\necho "$@"\n')
    messages = [{"reason": "compiler-artifact", "executable": None}, {"executable": str(program)}]
    lines = "\n".join(json.dumps(message) for message in messages)
    install(tmp_path, "cargo", f"#!/bin/sh\necho \"$PWD: $@\" >&2\necho '{lines}'\n")

    done = kwitness("observe", "--bootstrap", "kafka:9092", path=tmp_path)

    assert done.stderr.startswith(f"{ROOT}: build --profile quick --locked --package kwitness-observer ")
    assert done.stdout == "observe --bootstrap kafka:9092\n"
    assert done.returncode == 0


def test_help_in_a_clone_builds_nothing(tmp_path: Path) -> None:
    done = kwitness("observe", "--help", path=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (ROOT / "services/observer/observe-help.txt").read_text()


def test_a_build_that_fails_and_a_missing_cargo_are_named(tmp_path: Path) -> None:
    without = kwitness("observe", path=tmp_path)
    install(tmp_path, "cargo", "#!/bin/sh\necho 'error: no space left' >&2\nexit 101\n")
    failed = kwitness("observe", path=tmp_path)

    assert without.returncode == failed.returncode == 1
    assert "Cargo, which builds it from" in without.stderr
    assert "https://rustup.rs" in without.stderr
    assert failed.stderr.startswith("error: no space left\nkwitness observe: `cargo build --profile quick --locked")
    assert "Traceback" not in without.stderr + failed.stderr
