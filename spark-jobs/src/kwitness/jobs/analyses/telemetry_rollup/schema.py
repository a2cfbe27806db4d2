"""The columns of the table, of the facts that it is computed from, and of what is read in a record."""

from __future__ import annotations

from pyspark.sql.types import (
    ArrayType,
    ByteType,
    DoubleType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from kwitness.jobs.frame.columns import CLIENT_COLUMNS, column
from kwitness.jobs.frame.facts import EVENT_COLUMNS
from kwitness.jobs.frame.windows import STATE, WINDOW_COLUMNS

_LONG, _TEXT, _DOUBLE = LongType(), StringType(), DoubleType()

PUSH = "push"
"""The kind of facts, and of rows that say how much a client pushed."""
METRIC = "metric"
"""The kind of rows that say what it pushed."""

WHO = tuple(field.name for field in CLIENT_COLUMNS)
"""Identity keys that tell rows apart."""
NUMBERED = ("event_source", "event_epoch", "event_seq")
HEADERS = ("schema", *NUMBERED, "received_at_ms", "client_instance_id", *WHO)
"""Headers of a push that are read."""

POINT = StructType(
    [
        StructField("metric", _TEXT),
        StructField("unit", _TEXT),
        StructField("shape", _TEXT),
        StructField("attributes", _TEXT),
        StructField("start_ms", _LONG),
        StructField("value", _DOUBLE),
        StructField("observations", _LONG),
        StructField("bounds", ArrayType(_DOUBLE)),
        StructField("bucket_counts", ArrayType(_LONG)),
    ]
)
"""A data point.

`shape` is gauge; level or change (a sum that may fall, as it is, or what it changed by); counter or histogram (what it
grew by); or counter_total or histogram_total (since `start_ms`). `attributes` is a JSON object sorted by key. Of a
histogram, `value` is the sum of what was observed.
"""

POINTS = ArrayType(POINT)
_COUNTED = ("left_out", "without_value", "unusable")

READ = StructType(
    [
        *(StructField(name, _TEXT) for name in HEADERS),
        StructField("is_damaged", ByteType()),
        StructField("outcome", ByteType()),
        *(StructField(name, _LONG) for name in _COUNTED),
        StructField("points", POINTS),
    ]
)
"""What a decoder reads in a record.

`is_damaged` is 1 where a header is not UTF-8; `outcome` is `READABLE`, `MALFORMED` or `NO_METRICS`, and points are
there in the first case alone.
"""
READABLE, MALFORMED, NO_METRICS = 0, 1, 2

_SIZES = (
    column("pushes", _LONG, "Pushes; kind push only, as the sizes that follow."),
    column("payload_bytes", _LONG, "Bytes of their OTLP messages, decompressed."),
    column("left_out", _LONG, "Data points beyond the most that are kept of a push (seriesPerPush)."),
    column("without_value", _LONG, "Data points that say that there is no value, or are not a number."),
    column("unusable", _LONG, "Data points that make no sense, such as counters that fall, or are of unread kinds."),
)
_KEYS = (
    column("kind", _TEXT, "metric: what clients pushed; push: how much they pushed."),
    column("metric", _TEXT, "Name of the metric, as it was sent."),
    column("type", _TEXT, "gauge; level or change (sums that may fall, and what they changed by); counter; histogram."),
    column("unit", _TEXT, "Unit, as it was sent."),
    column("attributes", _TEXT, "Attributes as a JSON object, sorted; what is no text, number or flag as its type."),
    column("bounds", ArrayType(_DOUBLE), "Upper bounds of a histogram's buckets but the last, which has none."),
    *CLIENT_COLUMNS,
)
_NUMBERS = (
    column("clients", _LONG, "Client instances; of a longer window, the most in any of its parts."),
    column("points", _LONG, "Data points that the row is from."),
    column("value_sum", _DOUBLE, "Sum of the values of gauges and levels; divided by points it is their average."),
    column("value_min", _DOUBLE, "Least of them."),
    column("value_max", _DOUBLE, "Greatest of them."),
    column("value_last", _DOUBLE, "The one that was pushed last; of several at one time the greatest."),
    column("last_ms", _LONG, "When that was, in milliseconds since 1970."),
    column("increase", _DOUBLE, "What counters grew by, or what changed levels changed by."),
    column(
        "without_start",
        _LONG,
        "Totals that began before the window: what they grew by before their first point is not in.",
    ),
    column("observations", _LONG, "Observations of a histogram."),
    column("observed_sum", _DOUBLE, "Their sum."),
    column("bucket_counts", ArrayType(_LONG), "Observations by bucket, one more than bounds."),
)

KEYS = tuple(field.name for field in _KEYS)
SIZES = tuple(field.name for field in _SIZES)

TABLE_SCHEMA = StructType([*WINDOW_COLUMNS, *_KEYS, *_NUMBERS, *_SIZES, STATE])
"""Of the table: a row for each window, metric, attributes and client, and one for each client."""

FACTS = StructType(
    [
        *EVENT_COLUMNS,
        *(StructField(name, _TEXT) for name in (*WHO, "client_instance_id")),
        *(StructField(name, _LONG) for name in SIZES[1:]),
        StructField("points", POINTS),
    ]
)
"""What one push says; its window begins when it was received."""
