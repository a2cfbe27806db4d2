"""A place where something is written that the project no longer writes."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

__all__ = ["BEGINNING", "PEOPLE", "Counted", "Place", "beginning", "one", "people"]

Counted = Literal["names", "one", "beginnings", "people", "prose"]

BEGINNING: Final = re.compile(r"\s*(what|who|whether|where|whose|which)\b", re.IGNORECASE)
PEOPLE: Final = re.compile(r"\b(?:nobody|somebody|whoever|whatever)\b", re.IGNORECASE)


class Place(NamedTuple):
    """A line of a file, what is written there, and what to write instead."""

    counted: Counted
    line: int
    text: str
    instead: str


def beginning(line: int, text: str) -> Place:
    """Return the place of a docstring or title that begins with a relative clause."""
    begins = text.strip().split("\n")[0][:40]
    return Place("beginnings", line, begins, "the verb: what a module does, what a function returns, what a field is")


def people(line: int, word: str) -> Place:
    """Return the place of a word that hides who is meant."""
    return Place("people", line, word, "the thing of the system that is meant: a collector, a client, a user")


def one(line: int) -> Place:
    """Return the place of a variable with this name."""
    return Place("one", line, "one", "the thing: pod, subscription, entry")
