"""The columns of the table of end-to-end latency, of the facts it is computed from, and how they add up."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql.types import DoubleType, IntegerType, LongType, MapType, StringType, StructField, StructType

from kwitness.jobs.frame.columns import column
from kwitness.jobs.frame.facts import EVENT_COLUMNS
from kwitness.jobs.frame.json_events import union_of
from kwitness.jobs.frame.owners import TOPIC_PREFIX, owner_columns
from kwitness.jobs.frame.tallies import Tally
from kwitness.jobs.frame.windows import STATE, WINDOW_COLUMNS
from kwitness.jobs.generated.schemas import TOPIC_INTERCEPTIONS, WINDOW_SEAL

_LONG, _TEXT = LongType(), StringType()

_WHO = (
    column("topic", _TEXT, "Topic; absent where a client read more topics than have rows of their own."),
    column("group_id", _TEXT, "Identity key group_id; absent for consumers without a group."),
    column("client_id", _TEXT, "Identity key client_id."),
    column("principal", _TEXT, "Identity key principal, where it is known of the pod."),
    column("k8s_namespace", _TEXT, "Namespace of the consumer's pod."),
    column("k8s_workload", _TEXT, "Workload of the consumer's pod, where it is known."),
)
_ATTRIBUTES = column(
    "attributes",
    MapType(_TEXT, _TEXT),
    "Attributes of the consumer's pod that parameters.endToEndLatency.attributes names; absent where it has none.",
)
_SUMS = (
    column(
        "consumed",
        _LONG,
        "Records handed to the application, each as often as it was; 0 without the interceptor Audit.",
    ),
    column("negative", _LONG, "Records of these whose timestamp was later than the consumer's clock; not measured."),
    column("latency_us", _LONG, "Sum of the latencies that were measured, microseconds."),
)
_LATENCY = column(
    "latency",
    MapType(IntegerType(), _LONG),
    "From the record's timestamp to its being handed over, counted by number of the bucket (sketch bounds). The "
    "timestamp is the producer's with CreateTime, the broker's with LogAppendTime; records do not say which.",
)
_DERIVED = (
    column("measured", _LONG, "Records in latency."),
    column("latency_p50_us", _LONG, "Half of the records took no longer; at most 2.1 % more than measured."),
    column("latency_p90_us", _LONG, "90 % of the records took no longer, likewise."),
    column("latency_p99_us", _LONG, "99 % of the records took no longer, likewise."),
    column(
        "clock_skew",
        DoubleType(),
        "Share of negative ones among measured and negative: above 0 two clocks differ by more than a record takes, "
        "and all latencies of the row are wrong by as much.",
    ),
    column("sources", _LONG, "Reporters of interceptors that the row is from; of a longer window, the most in a part."),
)

_OWNERS = (*owner_columns("the consumer"), *owner_columns("the topic", TOPIC_PREFIX))

TABLE_SCHEMA = StructType([*WINDOW_COLUMNS, *_WHO, _ATTRIBUTES, *_SUMS, _LATENCY, *_DERIVED, *_OWNERS, STATE])
"""Of the table: a row for each window, topic and consumer that records were handed to."""

FACTS = union_of(
    [EVENT_COLUMNS, StructType([*_WHO, _ATTRIBUTES, *_SUMS, StructField(_LATENCY.name, MapType(_TEXT, _LONG))])],
)
"""What one record says; the distribution has the numbers of its buckets as text, as in records."""

_READ = {
    *("schema", "kind", "event_source", "event_epoch", "event_seq", "window_start_ms", "window_end_ms", "count"),
    *("side", "consumed", "anomalies", "end_to_end_latency", _ATTRIBUTES.name, *(field.name for field in _WHO)),
}
EVENTS = StructType([field for field in union_of([TOPIC_INTERCEPTIONS, WINDOW_SEAL]) if field.name in _READ])
"""Fields that are read."""

WHO = tuple(field.name for field in _WHO)
SUMS = tuple(field.name for field in _SUMS)
TALLY = Tally(keys=("window_start_ms", *WHO, _ATTRIBUTES.name), sums=SUMS, greatest=(), maps={_LATENCY.name: True})
"""How facts add up to rows."""

LONGER_TALLY = replace(TALLY, greatest=("sources",))
"""How rows add up to rows of longer windows."""
