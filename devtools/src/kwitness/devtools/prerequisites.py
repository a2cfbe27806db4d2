"""Checks first, and in one go, that everything is here which `make demo` and `make test` do not install themselves.

Imports nothing but the standard library and runs on Pythons from 3.7 on: it is what says that the Python is too old.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

PYTHON = (3, 11)


class Tool(NamedTuple):
    """A program, the command that says its version, where the version is in the answer, and the least that will do."""

    name: str
    command: tuple[str, ...]
    pattern: str
    minimum: tuple[int, ...]
    remedy: str


TOOLS = (
    Tool("git", ("git", "--version"), r"(\d+(?:\.\d+)+)", (2,), "apt-get install git"),
    Tool("make", ("make", "--version"), r"(\d+(?:\.\d+)+)", (4,), "apt-get install make"),
    Tool("Go", ("go", "env", "GOVERSION"), r"go(\d+(?:\.\d+)+)", (1, 24), "see https://go.dev/dl"),
    Tool("a JDK", ("javac", "-version"), r"(\d+(?:\.\d+)*)", (17,), "apt-get install openjdk-17-jdk-headless"),
    Tool("Maven", ("mvn", "-version"), r"Apache Maven (\d+(?:\.\d+)+)", (3, 8), "apt-get install maven"),
    Tool("Rust", ("rustc", "--version"), r"rustc (\d+(?:\.\d+)+)", (1, 85), "see https://rustup.rs"),
)


def missing() -> list[str]:
    """One line for each thing that is absent or too old; empty when all is there."""
    lines = [python_problem(tuple(sys.version_info[:3])), *(tool_problem(tool) for tool in TOOLS)]
    return [line for line in lines if line]


def tool_problem(tool: Tool) -> str:
    """What is wrong with one tool, or an empty string."""
    needed = f"{tool.name} >= {_text(tool.minimum)} is needed"
    if shutil.which(tool.command[0]) is None:
        return f"{needed}, and `{tool.command[0]}` is not on the PATH: {tool.remedy}"
    done = subprocess.run(tool.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    answer = done.stdout.decode(errors="replace")
    found = re.search(tool.pattern, answer)
    if done.returncode != 0 or not found:
        return f"{needed}, and `{' '.join(tool.command)}` says no version but {answer.strip()[:200]!r}: {tool.remedy}"
    if version(found.group(1)) < tool.minimum:
        return f"{needed}, and here is {found.group(1)}: {tool.remedy}"
    return ""


def python_problem(running: tuple[int, ...]) -> str:
    """What is wrong with a Python of this version, or an empty string."""
    if running[:2] < PYTHON:
        return f"Python >= {_text(PYTHON)} is needed, and `python3` is {_text(running)}: apt-get install python3"
    if importlib.util.find_spec("ensurepip") is None:
        return "Python's venv is needed, and this Python has none: apt-get install python3-venv"
    return ""


def version(text: str) -> tuple[int, ...]:
    """`1.24.3` as numbers that compare."""
    return tuple(int(number) for number in text.split("."))


def _text(numbers: tuple[int, ...]) -> str:
    return ".".join(str(number) for number in numbers)


def main() -> int:
    """Print what is missing; the exit status says whether anything is."""
    lines = missing()
    for line in lines:
        print(f"missing: {line}", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
