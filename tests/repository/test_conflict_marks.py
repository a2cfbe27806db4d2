"""No file keeps the marks of a merge conflict."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Not spelled out, or this file would be found.
MARKS = ("<" * 7 + " ", ">" * 7 + " ")


def marked(folder: Path) -> list[str]:
    """Return tracked lines that begin as Git marks a conflict."""
    patterns = [argument for mark in MARKS for argument in ("-e", f"^{mark}")]
    found = subprocess.run(
        ["git", "grep", "-I", "--line-number", *patterns], cwd=folder, capture_output=True, text=True, check=False
    )
    return found.stdout.splitlines()


def test_no_conflict_is_left() -> None:
    assert marked(ROOT) == []


def test_a_conflict_is_found(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    (tmp_path / "page.md").write_text(f"{MARKS[0]}HEAD\nours\n=======\ntheirs\n{MARKS[1]}theirs\n")
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)

    assert [line.split(":")[:2] for line in marked(tmp_path)] == [["page.md", "1"], ["page.md", "5"]]
