"""Lines that give the numbers of consumer groups in the command."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from kwitness.console.pages.lines import Line, label, pattern

__all__ = ["lag_lines", "member_lines", "went_back_lines"]

MOST_GROUPS: Final = 3
"""Groups of a client that have a line of their own."""


def lag_lines(groups: Iterable[str]) -> Sequence[Line]:
    """Return a line for each of the first groups; one that comes again counts once."""
    return tuple(
        Line("kwitness", f"kwitness groups {_name(group)}", "lag of its group by topic, and members that push")
        for group in islice(dict.fromkeys(groups), MOST_GROUPS)
    )


def member_lines(group: str) -> Sequence[Line]:
    """Return lines that show the members of a group, of which those of the other groups are made as well."""
    return (
        Line("kwitness", f"kwitness clients --group {_name(group)}", "members that push, of the first group"),
        Line("kwitness", f"kwitness connections --group {_name(group)}", "connections of its members at observers"),
    )


def went_back_lines(topic: str) -> Sequence[Line]:
    """Return the line that has who committed below what groups of a topic had before."""
    series = f"kafka_client_group_commits_back_total{{{label('topic', topic)}}}"
    text = f"sum by (group_id, principal, client_id) (increase({series}[1h])) > 0"
    return (Line("PromQL", text, "who committed an offset below the one before"),)


def _name(group: str) -> str:
    return shlex.quote(pattern(group))
