"""Reads notes in Delta's log, the user metadata of commits, and tells those of jobs from those of other writers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

EXPIRED = "expired"
"""In the note of a commit that only drops what is not kept any longer."""
_LARGEST = 2**63 - 1


def own_note(text: str | None) -> dict[str, Any] | None:
    """The note of a job; None where a commit has none, or one of another writer."""
    try:
        note = json.loads(text or "null")
    except (ValueError, RecursionError):
        return None
    if not isinstance(note, dict) or not note.keys() <= _FIELDS.keys():
        return None
    return note if all(_FIELDS[name](value) for name, value in note.items()) else None


def note_in(lines: Iterable[str]) -> dict[str, Any] | None:
    """Find the note of a job in a version of the log, a JSON object on each line; None where it has none."""
    commits = (json.loads(line).get("commitInfo") for line in lines if line.startswith('{"commitInfo"'))
    return next((own_note(commit.get("userMetadata")) for commit in commits if commit), None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _are_positions(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(of_topic, Mapping) and all(number.isdecimal() and _is_number(at) for number, at in of_topic.items())
        for of_topic in value.values()
    )


def _are_versions(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(version, Mapping) for version in value.values())


_FIELDS: Mapping[str, Callable[[Any], bool]] = {
    "positions": _are_positions,
    "second": _are_positions,
    "latest_ms": lambda value: value is None or _is_number(value),
    "sampled_ms": _is_number,
    "inputs": _are_versions,
    "settings": lambda value: isinstance(value, str),
    "open": lambda value: isinstance(value, list),
    "catching_up": lambda value: isinstance(value, Mapping),
    EXPIRED: lambda value: isinstance(value, bool),
}
"""What notes of jobs hold, each with its test: other writers may use one of these names."""
