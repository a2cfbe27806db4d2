"""Lines that give a page's numbers in other programs: the command, kubectl, Prometheus and SQL over tables."""

from __future__ import annotations

import json
from typing import Final, NamedTuple

from kwitness.console.pages.names import LONGEST

__all__ = ["BYTES", "Line", "label", "literal", "pattern"]

BYTES: Final = "kafka_client_record_bytes_total"


class Line(NamedTuple):
    """A line to type, the program that it is for, and what it gives."""

    program: str
    text: str
    gives: str


def pattern(name: str) -> str:
    """Return a name, or its beginning and a * where the rest is too long or cannot be typed."""
    end = next((at for at, character in enumerate(name) if not character.isprintable()), len(name))
    end = min(end, LONGEST)
    return name if end == len(name) else f"{name[:end]}*"


def label(name: str, value: str) -> str:
    """Return a matcher of PromQL."""
    return f"{name}={json.dumps(value, ensure_ascii=False)}"


def literal(value: str) -> str:
    """Return a text in SQL."""
    return "'" + value.replace("'", "''") + "'"
