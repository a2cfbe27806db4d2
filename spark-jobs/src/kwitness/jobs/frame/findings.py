"""What a job found that somebody should look at: counted by kind, with a few examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

MAX_EXAMPLES = 20
"""Findings that are told one by one; the table has all."""


class Finding(NamedTuple):
    """One finding.

    Attributes
    ----------
    kind
        A word in CamelCase, stable, to count and filter by.
    subject
        What it is about, such as a topic.
    message
        What was found, by which evidence, and what to do.
    """

    kind: str
    subject: str
    message: str


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings of a job at one time.

    Attributes
    ----------
    counts
        How many there are, by kind; kinds that the job looks for and did not find have 0.
    examples
        At most `MAX_EXAMPLES` of them.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[Finding, ...] = ()
