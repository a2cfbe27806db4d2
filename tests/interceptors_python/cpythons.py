"""Finds CPythons beside the one of the tests, with the clients that applications have there."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from kwitness.images.cache import cached_folder, content_key
from kwitness.images.commands import run
from kwitness.images.image_parts import find_uv

TRIED = ("3.9", "3.12", "3.13")
"""Releases that interceptors were tried with, beside that of the tests; the first is the oldest supported one."""
NOT_YET_TRIED = ("3.14",)
"""Releases that no machine of the tests had so far."""
LIBRARIES = ("confluent-kafka", "kafka-python", "aiokafka")
_LOCK = Path(__file__).resolve().parents[2] / "locks/dev.txt"
_OLDER_LIBRARIES = {"3.9": Path(__file__).with_name("libraries_for_3.9.txt")}
"""Locks for releases that the present libraries do not support."""


def find_cpython(release: str) -> str | None:
    """Return the interpreter of a release, such as "3.12"; None where there is none."""
    # pyenv has a program for each release in the PATH, which runs only those that are chosen.
    choice = {**os.environ, "PYENV_VERSION": release}
    command = [find_uv(), "python", "find", "--system", "--no-project", "--no-python-downloads", f"cpython@{release}"]
    found = subprocess.run(command, env=choice, capture_output=True, text=True, check=False)
    return found.stdout.strip() if found.returncode == 0 else None


def python_with_libraries(release: str, interpreter: str) -> Path:
    """Return the program `python` of a virtual environment with the locked libraries, made once."""
    lock = _OLDER_LIBRARIES.get(release, _LOCK)
    versions = [
        version for name in LIBRARIES for version in re.findall(rf"^{name}==\S+", lock.read_text(), re.MULTILINE)
    ]

    def make(folder: Path) -> None:
        run([find_uv(), "venv", "--quiet", "--allow-existing", "--python", interpreter, folder])
        install = [find_uv(), "pip", "install", "--quiet", "--only-binary", ":all:", "--constraints", lock]
        run([*install, "--python", folder / "bin/python", *LIBRARIES])

    return cached_folder("python-clients", content_key(interpreter, *versions), make) / "bin/python"
