"""Checks first, and in one go, that all is here which a target of the Makefile needs and does not install itself.

Usage: `python3 -m kwitness.devtools.prerequisites TARGET`. Imports nothing but the standard library and runs on Pythons
from 3.7 on: it is what says that the Python is too old.
"""

from __future__ import annotations

import importlib.util
import os
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


_BASE = (
    Tool("git", ("git", "--version"), r"(\d+(?:\.\d+)+)", (2,), "apt-get install git"),
    Tool("make", ("make", "--version"), r"(\d+(?:\.\d+)+)", (4,), "apt-get install make"),
)
_JAVA = (
    Tool("a JDK", ("javac", "-version"), r"(\d+(?:\.\d+)*)", (17,), "apt-get install openjdk-17-jdk-headless"),
    Tool("Maven", ("mvn", "-version"), r"Apache Maven (\d+(?:\.\d+)+)", (3, 8), "apt-get install maven"),
)
_GO = (Tool("Go", ("go", "env", "GOVERSION"), r"go(\d+(?:\.\d+)+)", (1, 24), "see https://go.dev/dl"),)
_GO_OF_COSIGN = (Tool("Go", ("go", "env", "GOVERSION"), r"go(\d+(?:\.\d+)+)", (1, 25), "see https://go.dev/dl"),)
_RUST = (
    # rustup's cargo takes the version of `rust-toolchain.toml`, whatever the default is.
    Tool("Rust", ("cargo", "--version"), r"cargo (\d+(?:\.\d+)+)", (1, 95), "see https://rustup.rs"),
)
_COMPILER = (
    # Of libFuzzer.
    Tool("a C++ compiler", ("c++", "--version"), r"(\d+(?:\.\d+)+)", (9,), "apt-get install g++"),
)
_VALGRIND = (
    Tool("valgrind", ("valgrind", "--version"), r"valgrind-(\d+(?:\.\d+)+)", (3, 19), "apt-get install valgrind"),
)
_NODE = (
    # A client program of the observer's tests.
    Tool("Node", ("node", "--version"), r"v(\d+(?:\.\d+)+)", (18,), "apt-get install nodejs"),
    Tool("npm", ("npm", "--version"), r"(?m)^(\d+(?:\.\d+)+)$", (7,), "apt-get install npm"),
)

_C = (
    # An application of librdkafka.
    Tool("a C compiler", ("cc", "--version"), r"(\d+(?:\.\d+)+)", (9,), "apt-get install gcc"),
)
_PLUGIN = (
    # Reads the library that programs load.
    Tool("readelf", ("readelf", "--version"), r"(\d+(?:\.\d+)+)", (2,), "apt-get install binutils"),
)
_GPG = (
    # Signs what Maven's repositories get.
    Tool("GnuPG", ("gpg", "--version"), r"GnuPG\) (\d+(?:\.\d+)+)", (2, 2), "apt-get install gnupg"),
)

TOOLS = {
    "setup": _BASE,
    "generate": (*_BASE, *_JAVA),  # the broker plugin writes its own page
    "verify": (*_BASE, *_JAVA),
    "vectors": (*_BASE, *_JAVA),
    "lint": (*_BASE, *_RUST),
    "lint-rust": (*_BASE, *_RUST),
    "test-wire": (*_BASE, *_RUST, *_VALGRIND),
    "instructions": (*_BASE, *_RUST, *_VALGRIND),
    "test-observer-rust": (*_BASE, *_RUST),
    "sim": _RUST,
    "test-librdkafka-rust": (*_BASE, *_RUST, *_PLUGIN),
    "test-java": (*_BASE, *_JAVA),
    "try": (*_BASE, *_JAVA),
    "wheels": (*_BASE, *_RUST, *_JAVA),
    "spark-jars": (*_BASE, *_JAVA),
    "s3a-jars": (*_BASE, *_JAVA),
    "images": (*_BASE, *_JAVA, *_RUST),
    "lock-images": _BASE,
    "cosign": (*_BASE, *_GO_OF_COSIGN),
    "release": (*_BASE, *_GO_OF_COSIGN, *_JAVA, *_RUST),
    "release-snapshot": (*_BASE, *_GO, *_JAVA, *_RUST, *_PLUGIN),
    "release-tag": (*_BASE, *_GO_OF_COSIGN, *_JAVA, *_RUST, *_GPG),
    "test-release": (*_BASE, *_GO_OF_COSIGN, *_JAVA, *_RUST, *_GPG),
    "demo-images": (*_BASE, *_JAVA, *_RUST),
    # An API server is built from Go modules, librdkafka's plugin by Cargo.
    "test-fast": (*_BASE, *_GO, *_JAVA, *_RUST, *_PLUGIN),
    "bench": (*_BASE, *_GO, *_JAVA, *_RUST, *_C),
    "bench-observer": (*_BASE, *_JAVA, *_RUST),
    "bench-console": _BASE,
    "bench-interceptors": (*_BASE, *_JAVA, *_RUST, *_C),
    "bench-spark": (*_BASE, *_JAVA),
    "demo": (*_BASE, *_GO, *_JAVA, *_RUST),
    "test": (*_BASE, *_GO, *_JAVA, *_RUST, *_VALGRIND, *_NODE, *_PLUGIN),
    "check": (*_BASE, *_GO, *_JAVA, *_RUST),
    "soak": (*_BASE, *_GO, *_JAVA, *_RUST, *_NODE),
    "soak-observer": (*_BASE, *_JAVA, *_RUST),
    "soak-strangers": (*_BASE, *_RUST),
    "fuzz": (*_BASE, *_RUST, *_COMPILER),
}
"""What each target of the Makefile needs beside Python; a target that is not here needs what `setup` does."""
WITH_ENGINE = frozenset(
    {"images", "lock-images", "release", "release-tag", "test-release", "demo-images", "demo", "test", "soak"}
)
"""Targets that need a container engine."""


def missing(target: str) -> list[str]:
    """One line for each thing that a target needs and that is absent or too old; empty when all is there.

    Raises
    ------
    KeyError
        No such target.
    """
    lines = [python_problem(tuple(sys.version_info[:3])), *(tool_problem(tool) for tool in TOOLS[target])]
    if target in WITH_ENGINE:
        lines.append(engine_problem())
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


def engine_problem() -> str:
    """What keeps a container engine from being there, or an empty string.

    No problem is an engine that root only has to start, or to install by apt-get: whoever needs it does so.
    """
    needed = "a container engine is needed, and"
    if shutil.which("docker") and _succeeds("docker", "version"):
        return ""
    host = os.environ.get("DOCKER_HOST")
    if host:
        return f"{needed} the one at DOCKER_HOST={host} does not answer: start it, or unset DOCKER_HOST"
    there, is_root = shutil.which("dockerd") is not None, os.geteuid() == 0
    if is_root and (there or shutil.which("apt-get")):
        return ""
    if there:
        return f"{needed} the one here does not answer: `sudo systemctl start docker`, and be allowed to use it"
    return f"{needed} there is none: install Docker (Debian's is docker.io), start it and be allowed to use it"


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


def _succeeds(*command: str) -> bool:
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def main(arguments: list[str]) -> int:
    """Print what is missing for a target; the exit status says whether anything is."""
    (target,) = arguments
    lines = missing(target)
    for line in lines:
        print(f"missing: {line}", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
