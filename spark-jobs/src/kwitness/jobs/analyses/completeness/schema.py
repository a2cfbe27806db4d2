"""The columns of completeness: what records and surveys say of a partition, and the rows of the table."""

from __future__ import annotations

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from kwitness.jobs.analyses.completeness.offset_counts import MAX_EXAMPLES
from kwitness.jobs.analyses.completeness.partition import MAX_RANGES
from kwitness.jobs.analyses.completeness.reports import MAX_REPORTS
from kwitness.jobs.frame.columns import column


def _struct(**fields: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields.items()])


_LONG = LongType()
OFFSET_RANGES = ArrayType(_struct(first=_LONG, last=_LONG))
KEYS = ("topic", "partition", "group_id", "evidence")
PLACE = KEYS[:2]
NO_PARTITION = -1
"""Partition of rows on a whole topic: what an application wanted to send has none yet."""

_COUNTS = dict.fromkeys(("markers", "unconfirmed", "sent", "acknowledged", "given_up"), _LONG)
TOLD_REPORT = _struct(
    at_ms=_LONG,
    start_ms=_LONG,
    end_ms=_LONG,
    teller=_LONG,
    seq=_LONG,
    ranges=OFFSET_RANGES,
    count=_LONG,
    exact=BooleanType(),
    plain=BooleanType(),
    **_COUNTS,
)
"""A report as it comes: when its record was written, and how many records it counts."""

ABORTS = ArrayType(_struct(first=_LONG, last=_LONG, records=_LONG))
BATCH_SCHEMA = StructType(
    [
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("group_id", StringType()),
        StructField("evidence", StringType()),
        StructField("reports", ArrayType(TOLD_REPORT)),
        StructField("aborts", ABORTS),
    ]
)
"""What a batch says of a row's subject."""

_COMMITTED = ArrayType(_struct(group_id=StringType(), offset=_LONG))
LOG = _struct(
    surveyed_ms=_LONG,
    start=_LONG,
    end=_LONG,
    topic_id=StringType(),
    compacted=BooleanType(),
    committed=_COMMITTED,
)
"""What a survey says of a partition."""

_EDGE = _struct(at_ms=_LONG, teller=_LONG)
_TOLD = _struct(
    runs=ArrayType(_struct(first=_LONG, last=_LONG, begin=_EDGE, end=_EDGE)),
    reports=ArrayType(
        _struct(
            start_ms=_LONG,
            end_ms=_LONG,
            teller=_LONG,
            seq=_LONG,
            ranges=OFFSET_RANGES,
            again=_LONG,
            exact=BooleanType(),
            plain=BooleanType(),
            **_COUNTS,
        )
    ),
    sure=OFFSET_RANGES,
    plain=OFFSET_RANGES,
    skipped=OFFSET_RANGES,
    sums=_struct(duplicated=_LONG, late=_LONG, late_reports=_LONG, **_COUNTS),
    exact=BooleanType(),
    crowded=BooleanType(),
    first_ms=_LONG,
    last_ms=_LONG,
)
_JUDGED = _struct(
    written=_LONG,
    lost=_LONG,
    skipped=_LONG,
    not_seen=_LONG,
    aborted=_LONG,
    compacted=_LONG,
    lost_ranges=OFFSET_RANGES,
    skipped_ranges=OFFSET_RANGES,
    not_seen_ranges=OFFSET_RANGES,
)
_PARTITION = _struct(
    gaps=_LONG,
    gap_ranges=OFFSET_RANGES,
    aborts=ABORTS,
    log=LOG,
    floor=_LONG,
    seen_ms=_LONG,
    folded_ms=_LONG,
    beyond=OFFSET_RANGES,
    left_out=_LONG,
    forced=BooleanType(),
)

_FIRST = f"the first {MAX_EXAMPLES} ranges"
TABLE_SCHEMA = StructType(
    [
        column("topic", StringType(), "Topic.", nullable=False),
        column(
            "partition",
            IntegerType(),
            f"Partition; {NO_PARTITION} in rows on what applications wanted to send to the topic.",
            nullable=False,
        ),
        column(
            "group_id",
            StringType(),
            "Group that consumed, or client:<client id> where it told no group; empty of what was written.",
            nullable=False,
        ),
        column(
            "evidence",
            StringType(),
            "Who says so: interceptors (in applications), wire (observers), offsets (the log itself).",
            nullable=False,
        ),
        column(
            "verdict",
            StringType(),
            "The worst of: Lost, NotAcknowledged, NotSeen, Skipped, Unexplained, Duplicated, "
            "Open (nothing is old enough), Complete.",
        ),
        column("coverage", StringType(), "full: nothing is left that nobody saw. partial, or none."),
        column(
            "approximate",
            BooleanType(),
            "Whether ranges hold too much, since gaps were closed, or there were more than are told apart.",
        ),
        column("told", LongType(), "Different offsets that are told of now; what was judged for good is not in it."),
        column("written", LongType(), "Offsets between the group's first and last that were surely written."),
        column("lost", LongType(), "Of these, proved not to be handed over; of the log, acknowledged and not in it."),
        column("skipped", LongType(), "Of these, passed over by the group itself: the log had them afterwards."),
        column("not_seen", LongType(), "Of these, seen by nobody to be handed over, which proves nothing."),
        column("aborted", LongType(), "Of these, not handed over since their transaction was aborted."),
        column("compacted", LongType(), "Of these, not handed over of a topic from which compaction removes records."),
        column("duplicated", LongType(), "Offsets that were told of again, each as often as it was."),
        column("late", LongType(), "Offsets that only records told of which came later than grace."),
        column("control", LongType(), "Of the log, offsets nobody wrote: as many as there may be transaction markers."),
        column("unconfirmed", LongType(), "Of the others, as many as were sent with acks=0."),
        column("unexplained", LongType(), "The rest: written by somebody whom nobody saw."),
        column("meant", LongType(), "Records that applications wanted to send, whose windows are old enough."),
        column("acknowledged", LongType(), "Of these, acknowledged."),
        column("given_up", LongType(), "Of these, given up with an error."),
        column("not_acknowledged", LongType(), "Of these, neither: nobody knows what became of them."),
        column("lost_ranges", OFFSET_RANGES, f"Offsets that are lost: {_FIRST}."),
        column("skipped_ranges", OFFSET_RANGES, f"Offsets that the group passed over: {_FIRST}."),
        column("not_seen_ranges", OFFSET_RANGES, f"Offsets that were not seen: {_FIRST}."),
        column("unexplained_ranges", OFFSET_RANGES, f"Offsets that nobody said were written: {_FIRST}; markers, too."),
        column("first_offset", LongType(), "First offset that is told of now."),
        column("last_offset", LongType(), "Last offset that is told of."),
        column("waiting", LongType(), "Offsets that were written after the last one that the group was handed."),
        column("committed", LongType(), "What the group has committed, by the last survey."),
        column("log_start", LongType(), "First offset of the log, by the last survey."),
        column("log_end", LongType(), "Next offset of the log, by the last survey."),
        column("surveyed_ms", LongType(), "When that was, ms since 1970."),
        column("first_ms", LongType(), "Start of the first window that told of it, ms since 1970."),
        column("last_ms", LongType(), "End of the last one, ms since 1970."),
        column("voice", _TOLD, f"What is told of: {MAX_RANGES} ranges at most, {MAX_REPORTS} reports that wait."),
        column("settled", _JUDGED, "What was judged of offsets below the floor."),
        column("state", _PARTITION, "Of the log: what is known of the partition as a whole."),
    ]
)
"""One row for each voice on a partition, and one for its log."""
