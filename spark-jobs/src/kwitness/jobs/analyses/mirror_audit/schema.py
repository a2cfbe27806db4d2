"""The columns of MirrorAudit."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, BooleanType, IntegerType, LongType, StringType, StructField, StructType

from kwitness.jobs.frame.columns import column

SPAN = "span"
PARTITION = "partition"
TOPIC = "topic"
MAX_RANGES = 64
MAX_SYNCS = 64
MAX_CHANGED = 1024
NO_PARTITION = -1

KEYS = ("kind", "topic", "partition", "time_ms")
_RANGES = ArrayType(StructType([StructField("first", LongType()), StructField("last", LongType())]))
CHANGED_ROWS = ArrayType(
    StructType([StructField("row", LongType()), StructField("last_ms", LongType()), StructField("changed", LongType())])
)
_SYNCS = ArrayType(StructType([StructField("source", LongType()), StructField("mirror", LongType())]))

SPAN_FIELDS = (
    column("source_ranges", _RANGES, f"Offsets that observers saw written there, at most {MAX_RANGES} ranges."),
    column("target_ranges", _RANGES, "Likewise at the mirror."),
    column("tolerance", LongType(), "Records of the largest batch, about: so many may be in the span beside it."),
    column("transactional", BooleanType(), "Whether batches of transactions were among them."),
)
"""What records say of a span."""

TABLE_SCHEMA = StructType(
    [
        column(
            "kind",
            StringType(),
            "span (what was sent in a time), partition (both sides now), topic (what consumers of the mirror found).",
            nullable=False,
        ),
        column("topic", StringType(), "Topic, as the source calls it.", nullable=False),
        column("partition", IntegerType(), f"Partition; {NO_PARTITION} of a topic.", nullable=False),
        column(
            "time_ms", LongType(), "Start of the span by records' timestamps, ms since 1970; else 0.", nullable=False
        ),
        column(
            "verdict",
            StringType(),
            "Of a partition: TargetUnreachable, NotMirrored, Missing, Extra, Behind, NotSeen (no evidence, or no "
            "answer), InStep. Of a topic: Changed, or InStep.",
        ),
        column("evidence", StringType(), "offset-syncs (exact, by MirrorMaker's offsets), or approximate (by counts)."),
        column("missing", LongType(), "Records that the mirror lacks."),
        column("extra", LongType(), "Records that it has too many, as after a retry without idempotence."),
        column("not_seen", LongType(), "Offsets that differ and may be markers of transactions or compacted gaps."),
        column("lag_records", LongType(), "Records that it has not yet, where offsets are known."),
        column(
            "lag_ms", LongType(), "For how long the first record that is later than all there has been at the source."
        ),
        column("changed", LongType(), "Of a topic, records that reached consumers other than they were sent."),
        column(
            "changed_rows",
            CHANGED_ROWS,
            f"Digests of the latest {MAX_CHANGED} rows that counted some, so that one that comes again counts once.",
        ),
        column("source_records", LongType(), "Records that observers saw sent to the source."),
        column("target_records", LongType(), "Records that observers saw sent to the mirror."),
        *SPAN_FIELDS,
        column("target_topic", StringType(), "What the mirror calls the topic."),
        column("source_start", LongType(), "First offset of the log at the source."),
        column("source_end", LongType(), "Next offset there."),
        column("target_start", LongType(), "First offset of the log at the mirror."),
        column("target_end", LongType(), "Next offset there."),
        column(
            "unanswered",
            StringType(),
            "Of a partition, what a cluster did not answer: source.endOffsets, mirror.topics, mirror.endOffsets, or "
            "latestTimestamps (for how long records wait is not known); null if nothing.",
        ),
        column("syncs", _SYNCS, f"Offsets of the same records on both sides, the last {MAX_SYNCS} that were read."),
        column("surveyed_ms", LongType(), "When both were asked last, ms since 1970."),
        column("last_ms", LongType(), "End of the last window that told of it, ms since 1970."),
    ]
)
"""Rows of three kinds."""
