"""Notes what a whole passing run of `make test` cost, by the hash of the tree that it tested."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from kwitness.images.cache import cache_folder
from kwitness.images.image_parts import REPOSITORY

__all__ = ["note_passed", "tree_hash"]


def tree_hash(repository: Path = REPOSITORY) -> str | None:
    """Return git's hash of the working tree, changes that are not committed included; None without git's history."""
    with tempfile.TemporaryDirectory(prefix="kwitness-tree-") as folder:
        environment = {**os.environ, "GIT_INDEX_FILE": str(Path(folder, "index"))}
        for command in (["git", "read-tree", "HEAD"], ["git", "add", "--all"], ["git", "write-tree"]):
            done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return None
    return done.stdout.strip()


def note_passed(tree: str, costs: Mapping[str, object], folder: Path | None = None) -> Path:
    """Write `passed/<tree>` in the cache's folder: when, and `costs`, such as minutes and CPU-seconds."""
    file = (folder or cache_folder()) / "passed" / tree
    file.parent.mkdir(parents=True, exist_ok=True)
    now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    file.write_text(json.dumps({"ended": now, **costs}, indent=2) + "\n", encoding="utf-8")
    return file
