"""How much of what was connected observers saw: by software and day, since brokers count no single clients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kwitness.contracts.software import is_ours
from kwitness.jobs.analyses.unused_topics.schema import BROKER, GAP, SOFTWARE
from kwitness.jobs.frame.moments import DAY_MS

#: Brokers tell at least once a minute who is connected; the topics may be read later.
_RECENT_MS = 3_600_000
#: Software that is named in a row.
_MAX_NAMED = 20


@dataclass(frozen=True, slots=True)
class Coverage:
    """What observers could see of a period.

    Attributes
    ----------
    level
        `full` if nothing is missing, `none` if observers saw none of what was connected.
    not_observed
        Software that was connected and that no observer saw on one of its days, at most 20 names.
    missing
        What is missing for `full`: `ConnectionsNotCounted`, `SoftwareNotObserved`, or why observers could not tell a
        topic (`Overflowed`, `Opaque`, `Unread`).
    """

    level: Literal["full", "partial", "none"]
    not_observed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def coverage(
    rows: Iterable[Mapping[str, Any]],
    *,
    brokers: Iterable[str],
    since_ms: int,
    until_ms: int,
) -> Coverage:
    """Compare what brokers counted with what observers saw.

    Parameters
    ----------
    rows
        Of the table, those of one cluster; topics are passed over.
    brokers
        Those that are there now.
    """
    of_kind: dict[str, list[Mapping[str, Any]]] = {SOFTWARE: [], BROKER: [], GAP: []}
    for row in rows:
        of_kind.get(row["kind"], []).append(row)
    days = frozenset(range(since_ms // DAY_MS, until_ms // DAY_MS + 1))
    observed: dict[str, set[int]] = {}
    counted: dict[str, set[int]] = {}
    for row in of_kind[SOFTWARE]:
        observed.setdefault(row["subject"], set()).update(days & set(row["observed_days"]))
        if not is_ours(None, *row["subject"].partition("/")[::2]):
            counted.setdefault(row["subject"], set()).update(days & set(row["counted_days"]))
    unseen = sorted(one for one, on in counted.items() if not on <= observed.get(one, set()))
    missing = [row["subject"] for row in of_kind[GAP] if row["last_seen_ms"] >= since_ms]
    if unseen:
        missing.append("SoftwareNotObserved")
    if not _counts(of_kind[BROKER], frozenset(brokers), days, since_ms, until_ms):
        missing.append("ConnectionsNotCounted")
    if not missing:
        return Coverage("full")
    saw = any(on & observed.get(one, set()) for one, on in counted.items())
    return Coverage("partial" if saw else "none", tuple(unseen[:_MAX_NAMED]), tuple(sorted(set(missing))))


def _counts(
    rows: Sequence[Mapping[str, Any]], present: frozenset[str], days: frozenset[int], since_ms: int, until_ms: int
) -> bool:
    """Whether connections were counted in the whole period, and are now by each broker."""
    recent = {row["subject"] for row in rows if row["last_seen_ms"] >= until_ms - _RECENT_MS}
    return (
        present <= recent
        and min((row["first_seen_ms"] for row in rows), default=until_ms) <= since_ms
        and days <= {day for row in rows for day in row["counted_days"]}
    )
