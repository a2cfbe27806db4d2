"""Whether a topic is used, and by which evidence. Only what the cluster itself proves is called unused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kwitness.jobs.analyses.unused_topics.coverage import Coverage

Verdict = Literal["Used", "Unused", "NotSeen"]
#: Timestamps of records that are further ahead than this are a producer's mistake.
_AHEAD_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a topic. Times are milliseconds since the epoch; None where nothing is known, or never.

    Attributes
    ----------
    ends_complete
        Whether the end of each partition is known.
    ends_since_ms
        First of the surveys since which no end offset moved.
    ends_moved_ms
        Last survey that found one moved.
    groups_complete
        Whether all groups could be seen.
    groups_since_ms
        First of the surveys since which no group had members on it or moved its offsets.
    groups_used_ms
        Last survey that found one which did.
    keeps_state
        Whether the topic holds records and compaction keeps the latest of each key; None where that is not known.
    """

    last_produced_ms: int | None = None
    last_fetched_ms: int | None = None
    latest_timestamp_ms: int | None = None
    ends_complete: bool = True
    ends_since_ms: int | None = None
    ends_moved_ms: int | None = None
    groups_complete: bool = True
    groups_since_ms: int | None = None
    groups_used_ms: int | None = None
    keeps_state: bool | None = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts of a topic.

    Attributes
    ----------
    verdict
        Of the topic as a whole: `Used` if it is written or read, `Unused` if neither is proved to be.
    missing
        What is missing where a verdict is `NotSeen`: `EndOffsetsUnknown`, `EndOffsetsTooYoung`, `GroupsNotListed`,
        `GroupsTooYoung`, `Compacted`, `CleanupPolicyUnknown`, and those of `Coverage`.
    """

    produce: Verdict
    fetch: Verdict
    verdict: Verdict
    missing: tuple[str, ...] = ()


def judge(evidence: Evidence, coverage: Coverage, *, since_ms: int, until_ms: int) -> Judgement:
    """Judge a topic by what happened from `since_ms` to `until_ms`, the time of the survey."""
    written = (evidence.last_produced_ms, evidence.ends_moved_ms, _believed(evidence.latest_timestamp_ms, until_ms))
    produce, lacks_produce = _verdict(written, _lacks_of_ends(evidence, since_ms), since_ms)
    read = (evidence.last_fetched_ms, evidence.groups_used_ms)
    lacks = (*_lacks_of_groups(evidence, since_ms), *_lacks_of_policy(evidence), *coverage.missing)
    fetch, lacks_fetch = _verdict(read, lacks, since_ms)
    return Judgement(produce, fetch, _both(produce, fetch), (*lacks_produce, *lacks_fetch))


def _both(produce: Verdict, fetch: Verdict) -> Verdict:
    if "Used" in {produce, fetch}:
        return "Used"
    return produce if produce == fetch else "NotSeen"


def _verdict(uses: tuple[int | None, ...], lacks: tuple[str, ...], since_ms: int) -> tuple[Verdict, tuple[str, ...]]:
    if any(use is not None and use >= since_ms for use in uses):
        return "Used", ()
    return ("NotSeen", lacks) if lacks else ("Unused", ())


def _believed(timestamp_ms: int | None, until_ms: int) -> int | None:
    return timestamp_ms if timestamp_ms is not None and timestamp_ms <= until_ms + _AHEAD_MS else None


def _lacks_of_ends(evidence: Evidence, since_ms: int) -> tuple[str, ...]:
    if not evidence.ends_complete or evidence.ends_since_ms is None:
        return ("EndOffsetsUnknown",)
    return ("EndOffsetsTooYoung",) if evidence.ends_since_ms > since_ms else ()


def _lacks_of_groups(evidence: Evidence, since_ms: int) -> tuple[str, ...]:
    if not evidence.groups_complete or evidence.groups_since_ms is None:
        return ("GroupsNotListed",)
    return ("GroupsTooYoung",) if evidence.groups_since_ms > since_ms else ()


def _lacks_of_policy(evidence: Evidence) -> tuple[str, ...]:
    """Return the reason for which records that stay for ever can be read at the next start of an application."""
    if evidence.keeps_state is None:
        return ("CleanupPolicyUnknown",)
    return ("Compacted",) if evidence.keeps_state else ()
