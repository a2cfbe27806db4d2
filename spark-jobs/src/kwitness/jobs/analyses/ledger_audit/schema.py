"""The columns of the ledger audit: what a batch says of an epoch of a source, and the account of it."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, DataType, LongType, MapType, StringType, StructField, StructType

from kwitness.jobs.analyses.ledger_audit.numbers import MAX_EXAMPLES, MAX_RANGES
from kwitness.jobs.frame.columns import column


def _struct(*fields: tuple[str, DataType]) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields])


_INTERVALS = ArrayType(_struct(("first", LongType()), ("last", LongType())))
_RUNS = ArrayType(_struct(("first", LongType()), ("last", LongType()), ("since_ms", LongType())))
_DROPPED = ArrayType(_struct(("key", StringType()), ("value", LongType())))
_SEAL = (
    ("topic", StringType()),
    ("first", LongType()),
    ("last", LongType()),
    ("counted", LongType()),
)
SEAL = _struct(*_SEAL, ("window_end_ms", LongType()), ("dropped", _DROPPED))
"""What a seal says; its reasons are sorted, so that equal seals are equal."""

NUMBER_SCHEMA = _struct(
    ("kind", StringType()),
    ("event_source", StringType()),
    ("event_epoch", LongType()),
    ("event_seq", LongType()),
    ("topic", StringType()),
    ("time_ms", LongType()),
    ("cluster_id", StringType()),
    ("reported_by", StringType()),
    ("seal", SEAL),
)
"""What one record says: its number, and of a seal what it seals."""

KEYS = ("kind", "event_source", "event_epoch")
_KEY_FIELDS = (
    column(
        "kind",
        StringType(),
        "Who numbers: Observer, Interceptors, Plugin (pushes), Otlp (exports that a collector took).",
        nullable=False,
    ),
    column("event_source", StringType(), "Name of the source.", nullable=False),
    column("event_epoch", LongType(), "Start of the source, ms since 1970; its numbers begin there.", nullable=False),
)

BATCH_SCHEMA = StructType(
    [
        *_KEY_FIELDS,
        StructField("cluster_id", StringType()),
        StructField("reported_by", StringType()),
        StructField("records", LongType()),
        StructField("first_ms", LongType()),
        StructField("last_ms", LongType()),
        StructField(
            "islands",
            ArrayType(
                _struct(("topic", StringType()), ("first", LongType()), ("last", LongType()), ("since_ms", LongType()))
            ),
        ),
        StructField("seals", ArrayType(_struct(("seq", LongType()), ("time_ms", LongType()), ("seal", SEAL)))),
    ]
)
"""What a batch says of an epoch."""

TABLE_SCHEMA = StructType(
    [
        *_KEY_FIELDS,
        column("cluster_id", StringType(), "Kafka cluster that its records are about."),
        column("reported_by", StringType(), "What the collector knows it as. Null for Plugin and Otlp."),
        column(
            "state",
            StringType(),
            "At the time of its last record, the worst of: Gap, Uncertain, Duplicate, Open (within grace), Closed.",
        ),
        column("records", LongType(), "Records that were read, however often a number came."),
        column("numbers", LongType(), "Different numbers that were found."),
        column("duplicates", LongType(), "Records whose number had come before."),
        column("missing", LongType(), "Numbers neither found nor told to be dropped."),
        column(
            "gaps",
            _INTERVALS,
            f"Where they are: the first {MAX_EXAMPLES} ranges. Dropped numbers may be in them, which seals count only.",
        ),
        column("missing_since_ms", LongType(), "Since when the first is missing, ms since 1970."),
        column("dropped", LongType(), "Records that the source says it gave up, from its seals."),
        column("dropped_by_reason", MapType(StringType(), LongType()), "Likewise by reason."),
        column("unsealed", LongType(), "Numbers that were found and that no seal covers. 0 for Plugin and Otlp."),
        column("unsealed_ranges", _INTERVALS, f"The first {MAX_EXAMPLES} ranges of them."),
        column("unsealed_since_ms", LongType(), "Since when the first waits for its seal, ms since 1970."),
        column(
            "untold",
            LongType(),
            "Numbers in no topic and no seal: totals take such numbers, and so does what was lost with its seal; of "
            "Otlp, exports that were refused.",
        ),
        column(
            "topics",
            ArrayType(
                _struct(
                    ("topic", StringType()), ("found", LongType()), ("sealed", LongType()), ("first_seq", LongType())
                )
            ),
            "By topic: numbers found, records that seals count, and the first number found.",
        ),
        column("first_seq", LongType(), "First number found. Nothing is said of those before it."),
        column("last_seq", LongType(), "Last number found."),
        column("last_seal_seq", LongType(), "Number of the last seal."),
        column("first_ms", LongType(), "Time in Kafka of its first record, ms since 1970."),
        column("last_ms", LongType(), "Time in Kafka of its last record, ms since 1970."),
        column("sealed_until_ms", LongType(), "End of the last window that it sealed, ms since 1970."),
        column("ranges", _RUNS, f"Numbers found, from `floor` on, at most {MAX_RANGES} ranges."),
        column("sealed_ranges", _INTERVALS, "Numbers that seals cover, and their own, from `floor` on."),
        column(
            "waiting_seals",
            ArrayType(_struct(("seq", LongType()), *_SEAL, ("time_ms", LongType()))),
            "Seals that lack records.",
        ),
        column("tail", _RUNS, "Numbers found above the last seal's."),
        column("floor", LongType(), "Numbers below it were judged for good, since ranges were too many; 0: none."),
        column(
            "settled",
            _struct(
                ("numbers", LongType()),
                ("missing", LongType()),
                ("unsealed", LongType()),
                ("untold", LongType()),
                ("ranges", LongType()),
                ("gaps", _INTERVALS),
            ),
            "What was found of those numbers, and how many ranges were closed.",
        ),
        column("late", LongType(), "Numbers below `floor` that came afterwards; taken to be missing ones."),
        column("late_sealed", LongType(), "Records that seals below `floor` counted afterwards."),
    ]
)
"""Of the Delta table."""
