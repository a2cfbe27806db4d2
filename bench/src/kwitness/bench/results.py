"""What a benchmark leaves behind: its raw blocks, and its section of the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["write_results"]


def write_results(folder: Path, name: str, raw: Any, section: str) -> None:
    """Write ``<name>.json`` and ``<name>.md``."""
    (folder / f"{name}.json").write_text(json.dumps(raw, indent=1) + "\n")
    (folder / f"{name}.md").write_text(section)
