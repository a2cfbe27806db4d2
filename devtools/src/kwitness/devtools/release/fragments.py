"""Checks the changelog's fragments, and makes sections of them with towncrier.

`changelog/README.md` says how they are written.
"""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from kwitness.devtools.release.release import ReleaseError

__all__ = ["KINDS", "dated_versions", "make_section", "problems"]

KINDS: Final = ("added", "changed", "fixed", "removed")
_FOLDER: Final = "changelog"
_CHANGELOG: Final = "CHANGELOG.md"
_NAME: Final = re.compile(rf"[a-z][a-z0-9-]*\.({'|'.join(KINDS)})\.md")
_NEEDS_REMEDY: Final = {"changed", "removed"}
_REMEDY: Final = re.compile(r"(?:^|[.!?:)`*]\s+)What to do: \S")
_SECTION: Final = re.compile(r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", re.MULTILINE)
# As entries were marked before there were fragments.
_MARKED: Final = re.compile(
    r"^- (?:(?!\n- |\n#).)*?\*\*(?:Changed|Breaking)\*\*.*?(?=\n- |\n#|\Z)", re.MULTILINE | re.DOTALL
)


def problems(root: Path) -> list[str]:
    """Return what is wrong with fragments and entries, each with its file and remedy."""
    found = []
    for file in sorted((root / _FOLDER).iterdir()):
        if file.name == "README.md":
            continue
        name = _NAME.fullmatch(file.name)
        if name is None:
            found.append(f"{_FOLDER}/{file.name} is no fragment: name it NAME.KIND.md, as {_FOLDER}/README.md says")
            continue
        text = file.read_text(encoding="utf-8").strip()
        if not text or text.startswith("- "):
            found.append(f"{_FOLDER}/{file.name} must be an entry's text: write sentences, without a mark of a list")
        elif name[1] in _NEEDS_REMEDY and not _REMEDY.search(text):
            found.append(f'{_FOLDER}/{file.name} is of kind {name[1]}: add a sentence that begins with "What to do:"')
    text = (root / _CHANGELOG).read_text(encoding="utf-8")
    for entry in _MARKED.finditer(text):
        if not _REMEDY.search(entry[0]):
            line = text.count("\n", 0, entry.start()) + 1
            found.append(f'{_CHANGELOG}:{line} names a change: add a sentence that begins with "What to do:"')
    return found


def dated_versions(root: Path) -> list[str]:
    """Return the versions that have a section."""
    return _SECTION.findall((root / _CHANGELOG).read_text(encoding="utf-8"))


def make_section(root: Path, version: str) -> None:
    """Make a section of today of all fragments, and remove these.

    Raises
    ------
    ReleaseError
        towncrier refuses them; the message has its own.
    """
    today = datetime.now(tz=UTC).date().isoformat()
    command = [sys.executable, "-m", "towncrier", "build", "--yes", "--version", version, "--date", today]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"towncrier made no section of {_FOLDER}/: {(done.stderr or done.stdout).strip()}")
