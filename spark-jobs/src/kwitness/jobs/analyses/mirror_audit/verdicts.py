"""What is said of one partition of a mirror: by offsets where MirrorMaker tells them, else by counts, about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from kwitness.jobs.analyses.mirror_audit.offset_syncs import compared

Evidence = Literal["offset-syncs", "approximate"]
UNREACHABLE = "TargetUnreachable"
NOT_MIRRORED = "NotMirrored"
NOT_SEEN = "NotSeen"


@dataclass(frozen=True, slots=True)
class Counted:
    """What observers counted on both sides, in spans that are old enough.

    Attributes
    ----------
    source, target
        Records that were sent there.
    missing, extra
        Records that the mirror lacks, and has too many, beyond the tolerance of their spans.
    transactional
        Whether batches of transactions were among them, on either side: markers take offsets then.
    """

    source: int = 0
    target: int = 0
    missing: int = 0
    extra: int = 0
    transactional: bool = False


@dataclass(frozen=True, slots=True)
class Sides:
    """What is known of a partition and its mirror.

    Attributes
    ----------
    target_end
        Next offset at the mirror; None where its cluster is away, has no such partition, or did not answer.
    away
        Whether the mirror's cluster does not answer.
    unanswered
        The question about the partition that has no answer; None where all have one.
    lag_ms
        For how long the first record that is later than all at the mirror has been at the source; None if not known.
    compacted
        Whether compaction may remove records at the source; None where it is not known.
    syncs
        Offsets of the source and of the mirror of the same records, in the order in which they were written.
    """

    source_end: int | None
    target_end: int | None
    away: bool
    lag_ms: int | None
    tolerance_ms: int
    compacted: bool | None
    syncs: tuple[tuple[int, int], ...] = ()
    counted: Counted | None = None
    unanswered: str | None = None


def judge(sides: Sides) -> dict[str, Any]:
    """Columns of a partition's row: verdict, evidence, missing, extra, not_seen and lag_records; null where unknown."""
    if sides.away:
        return {"verdict": UNREACHABLE}
    if sides.target_end is None and sides.unanswered is None:
        return {"verdict": NOT_MIRRORED}
    counted, by_offsets = sides.counted, compared(sides.syncs)
    row: dict[str, Any] = {"missing": None, "extra": None, "not_seen": 0, "evidence": None, "lag_records": None}
    # Between syncs each offset is a record, if there are neither markers nor compacted gaps.
    dense = counted is not None and not counted.transactional and sides.compacted is False
    if by_offsets is not None:
        source, mirror = by_offsets.last
        if sides.source_end is not None and sides.target_end is not None:
            row["lag_records"] = max(0, (sides.source_end - source) - (sides.target_end - mirror))
        if dense or by_offsets.fewer == by_offsets.more == 0:
            row |= {"evidence": "offset-syncs", "missing": by_offsets.fewer, "extra": by_offsets.more}
        else:
            row |= {"not_seen": by_offsets.fewer + by_offsets.more}
    if row["evidence"] is None and counted is not None:
        row |= {"evidence": "approximate", "missing": counted.missing, "extra": counted.extra}
    return {"verdict": _verdict(row, sides), **row}


def _verdict(row: dict[str, Any], sides: Sides) -> str:
    if row["missing"]:
        return "Missing"
    if row["extra"]:
        return "Extra"
    if sides.lag_ms is not None and sides.lag_ms > sides.tolerance_ms:
        return "Behind"
    # Without times, only offsets can say that nothing waits.
    is_known = sides.unanswered is None or row["lag_records"] == 0
    return "InStep" if is_known and row["evidence"] is not None else NOT_SEEN


def differences(source: int, target: int, tolerance: int) -> tuple[int, int]:
    """Records that the mirror lacks in a span, and has too many; as many as `tolerance` may be in the one beside it."""
    return max(0, source - target - tolerance), max(0, target - source - tolerance)


def bounded(pairs: Iterable[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """The newest of some syncs, in their order."""
    return list(dict.fromkeys(pairs))[-most:]
