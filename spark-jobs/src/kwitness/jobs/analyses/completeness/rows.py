"""Between partitions and the rows of tables, as Arrow has them in Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from kwitness.jobs.analyses.completeness.offset_counts import MAX_EXAMPLES, Gaps, Judged
from kwitness.jobs.analyses.completeness.partition import (
    MAX_GROUPS,
    WRITTEN,
    Abort,
    Evidence,
    Log,
    Partition,
    Voice,
)
from kwitness.jobs.analyses.completeness.reports import Edge, Report, Run, Sums, Told
from kwitness.jobs.analyses.completeness.schema import NO_PARTITION, TABLE_SCHEMA
from kwitness.jobs.frame.intervals import EMPTY, Intervals, coalesced, size, within

if TYPE_CHECKING:
    import pyarrow as pa

Row = Mapping[str, Any]
_LARGEST = 2**63 - 1
_LINES = 64
_JUDGED = ("lost", "skipped", "not_seen", "aborted", "compacted")
_RANGES = ("lost_ranges", "skipped_ranges", "not_seen_ranges")
_SENT = ("sent", "acknowledged", "given_up")
_REPORT = ("start_ms", "end_ms", "teller", "seq", "exact", "plain", "markers", "unconfirmed", *_SENT)


def updated(batches: Iterable[pa.RecordBatch], grace_ms: int) -> Iterator[pa.RecordBatch]:
    """Rows of the table from lines with `old`, rows of one partition, `new`, of `BATCH_SCHEMA`, and `log`."""
    # Imported here: only the executors' Python workers have a use for it.
    import pyarrow as pa  # noqa: PLC0415
    from pyspark.sql.pandas.types import to_arrow_schema  # noqa: PLC0415

    schema = to_arrow_schema(TABLE_SCHEMA)
    # A line may be large, so that few are Python objects at a time.
    few = (batch.slice(start, _LINES) for batch in batches for start in range(0, batch.num_rows, _LINES))
    for lines in few:
        rows = [
            row
            for line in lines.to_pylist()
            for row in rows_after(line["old"] or (), line["new"] or (), line["log"], grace_ms)
        ]
        yield pa.RecordBatch.from_pylist(rows, schema=schema)


def rows_after(old: Sequence[Row], new: Sequence[Row], log: Row | None, grace_ms: int) -> list[dict[str, Any]]:
    """The rows of one partition after a batch, or after a survey."""
    [place] = {(row["topic"], row["partition"]) for row in (*old, *new)}
    partition = partition_of(old).after(
        {_voice(row): [(one["at_ms"], report_of(one)) for one in row["reports"]] for row in new},
        (Abort(**one) for row in new for one in row["aborts"] or ()),
        None if log is None else log_of(log),
        grace_ms=grace_ms,
    )
    rows = list(rows_of(partition, of_topic=place[1] == NO_PARTITION))
    told = {_voice(row) for row in rows}
    # Of groups of which somebody tells now, or that have no offsets any more.
    over = [row for row in old if row["evidence"] == "offsets" and _voice(row) not in told]
    rows += [
        {**_surveyed(partition), "group_id": row["group_id"], "evidence": "offsets", "verdict": "Complete"}
        for row in over
    ]
    named = dict(zip(("topic", "partition"), place, strict=True))
    return [{**dict.fromkeys(TABLE_SCHEMA.names), **named, **row} for row in rows]


def rows_of(partition: Partition, *, of_topic: bool) -> Iterator[dict[str, Any]]:
    """Rows without the columns that say of which partition they are."""
    for voice, told in sorted(partition.told.items()):
        if of_topic:
            yield _row_of_topic(partition, voice, told)
        elif voice.group_id == WRITTEN:
            yield _row_of_written(partition, voice, told)
        else:
            yield _row_of_group(partition, voice, told)
    if of_topic:
        yield {"group_id": WRITTEN, "evidence": "offsets", "state": _state(partition)}
        return
    yield _row_of_log(partition)
    known = {voice.group_id for voice in partition.told}
    for group_id, offset in () if partition.log is None else partition.log.committed:
        if group_id not in known:
            yield {
                "group_id": group_id,
                "evidence": "offsets",
                "verdict": "NotSeen",
                "coverage": "none",
                "committed": offset,
                **_surveyed(partition),
            }


def partition_of(rows: Iterable[Row]) -> Partition:
    """The partition that rows of the table hold."""
    told = {_voice(row): _told_of(row["voice"]) for row in rows if row["voice"] is not None}
    settled = {_voice(row): _judged_of(row["settled"]) for row in rows if row["settled"] is not None}
    for row in rows:
        if row["state"] is not None:
            state = row["state"]
            return Partition(
                told=told,
                settled=settled,
                gaps=Gaps(unexplained=state["gaps"], ranges=_intervals(state["gap_ranges"])),
                aborts=tuple(Abort(**one) for one in state["aborts"]),
                log=None if state["log"] is None else log_of(state["log"]),
                floor=state["floor"],
                seen_ms=state["seen_ms"],
                folded_ms=state["folded_ms"],
                beyond=_intervals(state["beyond"]),
                left_out=state["left_out"],
                forced=state["forced"],
            )
    return Partition(told=told, settled=settled)


def report_of(one: Row) -> Report:
    """A report as it came. What cannot be counted is taken for nothing."""
    ranges = coalesced((pair["first"], pair["last"]) for pair in one["ranges"] or ())
    again = max(0, (one["count"] or 0) - size(ranges)) if one["exact"] and ranges else 0
    fields: dict[str, Any] = {name: one[name] for name in _REPORT}
    return Report(ranges=ranges, again=again, **fields)


def log_of(one: Row) -> Log:
    """What a survey said."""
    return Log(
        one["surveyed_ms"],
        one["start"],
        one["end"],
        one["topic_id"],
        one["compacted"],
        tuple(sorted((group["group_id"], group["offset"]) for group in one["committed"] or ()))[:MAX_GROUPS],
    )


def _row_of_group(partition: Partition, voice: Voice, told: Told) -> dict[str, Any]:
    judged = partition.judged(voice)
    folded = told.folded
    waiting = within(partition.written(), folded[-1][1] + 1, _LARGEST) if folded else EMPTY
    worst = {
        "Lost": judged.lost,
        "NotSeen": judged.not_seen,
        "Skipped": judged.skipped,
        "Duplicated": told.sums.duplicated,
        "Open": not folded and partition.floor == 0,
    }
    committed = dict(partition.log.committed) if partition.log else {}
    return {
        **_row_of_voice(partition, voice, told),
        "verdict": _worst(worst),
        "coverage": "partial" if judged.not_seen else "full",
        "written": _bounded(judged.written),
        **{name: _bounded(getattr(judged, name)) for name in _JUDGED},
        **{name: _pairs(getattr(judged, name)) for name in _RANGES},
        "waiting": _bounded(size(waiting)),
        "committed": committed.get(voice.group_id),
        "settled": _judged_row(partition.settled[voice]) if voice in partition.settled else None,
    }


def _row_of_written(partition: Partition, voice: Voice, told: Told) -> dict[str, Any]:
    return {
        **_row_of_voice(partition, voice, told),
        "verdict": _worst({"Duplicated": told.sums.duplicated, "Open": not told.runs and partition.floor == 0}),
        "unconfirmed": _bounded(told.sums.unconfirmed),
    }


def _row_of_topic(partition: Partition, voice: Voice, told: Told) -> dict[str, Any]:
    sums = told.sums
    unknown = max(0, sums.sent - sums.acknowledged - sums.given_up)
    # What came late is in no sum, so the rest cannot be told from it.
    verdict = _worst({"NotSeen": unknown and sums.late_reports, "NotAcknowledged": unknown, "Open": not sums.sent})
    return {
        "group_id": voice.group_id,
        "evidence": voice.evidence,
        "verdict": verdict,
        "coverage": "partial" if sums.late_reports else "full",
        "approximate": partition.approximate(voice),
        "late": _bounded(sums.late_reports),
        "meant": _bounded(sums.sent),
        "acknowledged": _bounded(sums.acknowledged),
        "given_up": _bounded(sums.given_up),
        "not_acknowledged": _bounded(unknown),
        "first_ms": told.first_ms,
        "last_ms": told.last_ms,
        "voice": _told_row(told),
    }


def _row_of_log(partition: Partition) -> dict[str, Any]:
    gaps, written = partition.all_gaps(), partition.written()
    lost = size(partition.beyond)
    return {
        "group_id": WRITTEN,
        "evidence": "offsets",
        "verdict": _worst({"Lost": lost, "Unexplained": gaps.unexplained, "Open": partition.log is None}),
        "coverage": "none" if not written else "partial" if gaps.unexplained else "full",
        "approximate": partition.forced or bool(partition.left_out),
        "told": _bounded(size(written)),
        "lost": _bounded(lost),
        "control": _bounded(gaps.control),
        "unconfirmed": _bounded(gaps.unconfirmed),
        "unexplained": _bounded(gaps.unexplained),
        "lost_ranges": _pairs(partition.beyond[:MAX_EXAMPLES]),
        "unexplained_ranges": _pairs(gaps.ranges) if gaps.unexplained else [],
        "first_offset": written[0][0] if written else None,
        "last_offset": written[-1][1] if written else None,
        "last_ms": partition.seen_ms,
        **_surveyed(partition),
        "state": _state(partition),
    }


def _row_of_voice(partition: Partition, voice: Voice, told: Told) -> dict[str, Any]:
    offsets = told.offsets()
    return {
        "group_id": voice.group_id,
        "evidence": voice.evidence,
        "coverage": "full",
        "approximate": partition.approximate(voice),
        "told": _bounded(size(offsets)),
        "duplicated": _bounded(told.sums.duplicated),
        "late": _bounded(told.sums.late),
        "first_offset": offsets[0][0] if offsets else None,
        "last_offset": offsets[-1][1] if offsets else None,
        "first_ms": told.first_ms,
        "last_ms": told.last_ms,
        "voice": _told_row(told),
    }


def _surveyed(partition: Partition) -> dict[str, Any]:
    log = partition.log
    return {} if log is None else {"log_start": log.start, "log_end": log.end, "surveyed_ms": log.surveyed_ms}


def _worst(verdicts: Mapping[str, object]) -> str:
    return next((name for name, is_so in verdicts.items() if is_so), "Complete")


def _voice(row: Row) -> Voice:
    return Voice(row["group_id"], cast("Evidence", row["evidence"]))


def _told_of(row: Row) -> Told:
    return Told(
        runs=tuple(Run(one["first"], one["last"], Edge(**one["begin"]), Edge(**one["end"])) for one in row["runs"]),
        reports=tuple(Report(**{**one, "ranges": _intervals(one["ranges"])}) for one in row["reports"]),
        sure=_intervals(row["sure"]),
        plain=_intervals(row["plain"]),
        skipped=_intervals(row["skipped"] or ()),
        sums=Sums(**row["sums"]),
        **{name: row[name] for name in ("exact", "crowded", "first_ms", "last_ms")},
    )


def _told_row(told: Told) -> dict[str, Any]:
    return {
        "runs": [
            {"first": one.first, "last": one.last, "begin": one.begin._asdict(), "end": one.end._asdict()}
            for one in told.runs
        ],
        "reports": [
            {**one._asdict(), "ranges": _pairs(one.ranges), "again": _bounded(one.again)} for one in told.reports
        ],
        "sure": _pairs(told.sure),
        "plain": _pairs(told.plain),
        "skipped": _pairs(told.skipped),
        "sums": {name: _bounded(count) for name, count in told.sums._asdict().items()},
        "exact": told.exact,
        "crowded": told.crowded,
        "first_ms": told.first_ms,
        "last_ms": told.last_ms,
    }


def _judged_of(row: Row) -> Judged:
    # Rows of earlier versions have nothing of what was skipped.
    ranges = {name: _intervals(row[name] or ()) for name in _RANGES}
    return Judged(**{**row, **ranges, "skipped": row["skipped"] or 0})


def _judged_row(judged: Judged) -> dict[str, Any]:
    counts = {name: _bounded(getattr(judged, name)) for name in ("written", *_JUDGED)}
    return {**counts, **{name: _pairs(getattr(judged, name)) for name in _RANGES}}


def _state(partition: Partition) -> dict[str, Any]:
    log = partition.log
    return {
        "gaps": _bounded(partition.gaps.unexplained),
        "gap_ranges": _pairs(partition.gaps.ranges),
        "aborts": [one._asdict() for one in partition.aborts],
        "log": None
        if log is None
        else {
            **log._asdict(),
            "committed": [{"group_id": group_id, "offset": offset} for group_id, offset in log.committed],
        },
        "floor": partition.floor,
        "seen_ms": partition.seen_ms,
        "folded_ms": partition.folded_ms,
        "beyond": _pairs(partition.beyond),
        "left_out": partition.left_out,
        "forced": partition.forced,
    }


def _intervals(entries: Iterable[Mapping[str, int]]) -> Intervals:
    return tuple((one["first"], one["last"]) for one in entries)


def _pairs(offsets: Intervals) -> list[dict[str, int]]:
    return [{"first": first, "last": last} for first, last in offsets]


def _bounded(count: int) -> int:
    """A count as tables can have it: ranges that somebody made up may hold more."""
    return min(count, _LARGEST)
