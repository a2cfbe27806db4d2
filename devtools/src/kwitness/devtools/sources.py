"""Lists the files of the repository: its sources, the portion that each belongs to, and what is generated or a test."""

from __future__ import annotations

import subprocess
from pathlib import Path, PurePosixPath
from typing import Final

__all__ = ["LANGUAGES", "ROOT", "is_generated", "is_test", "portion_of", "tracked"]

ROOT: Final = Path(__file__).resolve().parents[4]
LANGUAGES: Final = {".java", ".py", ".rs"}
"""Suffixes of the languages in which the product is written."""

_SHELVES: Final = {"services", "libraries", "agents"}
"""Folders that hold portions and are none."""
_TESTS: Final = {"test", "tests", "fuzz"}


def tracked(root: Path = ROOT) -> list[PurePosixPath]:
    """Return the files that git has or would add and that exist, relative to the repository."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return sorted(PurePosixPath(name) for name in set(listed.split("\0")) if name and (root / name).is_file())


def portion_of(file: PurePosixPath) -> str:
    """Return the component's folder, such as ``operator`` or ``services/protocol``; ``.`` for files beside those."""
    folders = file.parts[:-1]
    return "/".join(folders[: 2 if folders[0] in _SHELVES else 1]) if folders else "."


def is_test(file: PurePosixPath) -> bool:
    """Return whether a file is in a folder of tests."""
    return not _TESTS.isdisjoint(file.parts[:-1])


def is_generated(text: str) -> bool:
    """Return whether a file's first line says that it is written by a command."""
    return text.startswith(('"""Generated from ', "// Generated from ", "<!-- Generated"))
