"""Examples of the rules in contracts/, which every language and every user of a rule runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).resolve().parents[1] / "contracts/vectors"


def documents(rule: str) -> dict[str, Any]:
    """Return all that the file of one rule has."""
    found: dict[str, Any] = json.loads((_FOLDER / f"{rule}.json").read_text(encoding="utf-8"))
    return found


def vectors(rule: str, section: str) -> list[dict[str, Any]]:
    """Return the examples of one section of one rule."""
    examples: list[dict[str, Any]] = documents(rule)[section]
    assert examples
    return examples
