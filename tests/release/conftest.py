"""A repository with committed sources, from which releases can be made."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from kwitness.devtools.release import check, release, write_version

VERSION = "0.2.0"
ROOT = Path(__file__).resolve().parents[2]
CHANGELOG = "# Changelog\n\n<!-- Sections of releases begin here -->\n"
TOWNCRIER = re.findall(
    r"^\[tool\.towncrier\]\n.*?(?=^\[(?!\[tool\.towncrier))",
    (ROOT / "pyproject.toml").read_text(),
    re.DOTALL | re.MULTILINE,
)[0]
"""As this repository sets it."""


class Sources:
    """A repository of git."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q")
        self.git("config", "user.name", "test")
        self.git("config", "user.email", "test@example.org")

    def git(self, *arguments: str) -> None:
        """Run a command of git."""
        subprocess.run(["git", "-C", self.folder, *arguments], check=True, capture_output=True)

    def write(self, name: str, text: str) -> None:
        """Write a file."""
        (self.folder / name).write_text(text, encoding="utf-8")

    def commit(self) -> None:
        """Commit all files."""
        self.git("add", "--all")
        self.git("commit", "-q", "-m", "change")


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sources:
    """Sources of version 0.2.0, which steps read in place of this repository."""
    folder = tmp_path / "sources"
    folder.mkdir()
    sources = Sources(folder)
    sources.write("pyproject.toml", f'[project]\nversion = "{VERSION}"\n\n{TOWNCRIER}')
    sources.write("CHANGELOG.md", CHANGELOG)
    (folder / "changelog").mkdir()
    sources.write("changelog/README.md", "# Fragments\n")
    sources.commit()
    for module in (check, release, write_version):
        monkeypatch.setattr(module, "REPOSITORY", folder)
    return sources
