"""The columns of the table of objectives, of the facts it is computed from, and how they add up."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.resources.objectives import OBJECTIVE_GROUPS
from kwitness.jobs.frame.columns import column
from kwitness.jobs.frame.facts import EVENT_COLUMNS
from kwitness.jobs.frame.json_events import union_of
from kwitness.jobs.frame.tallies import Tally
from kwitness.jobs.frame.windows import STATE, WINDOW_COLUMNS
from kwitness.jobs.generated.schemas import API_TRAFFIC, REQUEST_EVENT, WINDOW_SEAL

_LONG, _TEXT = LongType(), StringType()
_GROUPS = {
    "topic": "Topic that the request names, of objectives that group by it; as all columns up to k8s_pod.",
    "api": "Which request, by Kafka's name.",
}

_OBJECTIVE = (
    column("objective", _TEXT, "Name of the objective."),
    column("evidence", _TEXT, "The platform's topic that it is computed from: traffic, or requests."),
    column("threshold_us", _LONG, "How long a good answer takes at most, microseconds, as the objective has it."),
    column("counted_threshold_us", _LONG, "The same as counted: the nearest bound of distributions, at most 1 % away."),
    column("target", _TEXT, "How many percent of the answers are to be good."),
    column("errors_are_bad", BooleanType(), "Whether answers with an error are bad however fast they came."),
    column("grouped_by", _TEXT, "What the objective groups by, with commas; others of the next columns are absent."),
)
_GROUP = tuple(column(name, _TEXT, _GROUPS.get(name, f"Identity key {name}.")) for name in OBJECTIVE_GROUPS)
_SUMS = (
    column("answers", _LONG, "Answers that the broker gave when it could; not those to fetches that waited."),
    column("good", _LONG, "Answers of these that are good."),
    column("bad", _LONG, "Answers of these that are bad: both together are all of them."),
    column("errors", _LONG, "Answers with an error, whether or not they are bad; fetches that waited are in it."),
)
_DERIVED = (
    column(
        "burn_rate",
        DoubleType(),
        "Share of bad answers by the share that may be bad: at 1 the budget lasts for its period.",
    ),
    column("sources", _LONG, "Observers that the row is from; of a longer window, the most in any of its parts."),
)

TABLE_SCHEMA = StructType([*WINDOW_COLUMNS, *_OBJECTIVE, *_GROUP, *_SUMS, *_DERIVED, STATE])
"""Of the table: a row for each window, objective, and group of it that had an answer."""

FACTS = StructType(
    [
        *EVENT_COLUMNS,
        StructField("api", _TEXT),
        *(StructField(name, _TEXT) for name in IDENTITY_KEYS),
        StructField("topics", ArrayType(_TEXT)),
        StructField("errors", _LONG),
        StructField("response_time", MapType(_TEXT, _LONG)),
        StructField("response_time_us", _LONG),
    ]
)
"""What one record says: `response_time` of many answers, or `response_time_us` of one; only of those that count."""

_READ = union_of([API_TRAFFIC, REQUEST_EVENT, WINDOW_SEAL])
_NAMES = {
    *("schema", "kind", "event_source", "event_epoch", "event_seq", "window_start_ms", "window_end_ms"),
    *("occurred_at_ms", "api", "requests", "errors", "response_time", "response_time_us", "topics"),
    *("topic", "count", *IDENTITY_KEYS),
}
EVENTS = StructType([field for field in _READ if field.name in _NAMES] + [StructField("partitions", _TEXT)])
"""Fields that are read. What `partitions` are differs between records, so it is read as text first."""

FETCHED = ArrayType(StructType([StructField("bytes", _LONG)]))
"""What is read of the partitions of an answer."""

OBJECTIVES = ArrayType(
    StructType(
        [
            *(StructField(name, _TEXT) for name in ("name", "evidence", "target", "grouped_by")),
            *(StructField(name, _LONG) for name in ("threshold_us", "counted_us", "budget")),
            StructField("bucket", IntegerType()),
            StructField("errors_are_bad", BooleanType()),
            StructField("group_by", ArrayType(_TEXT)),
            StructField("match", MapType(_TEXT, _TEXT)),
        ]
    )
)

OBJECTIVE = tuple(field.name for field in _OBJECTIVE)
GROUP = tuple(field.name for field in _GROUP)
PACKED = ("by", "of")
"""Columns that hold those of the objective and of the group while rows are added up: two keys, and not thirty."""
TALLY = Tally(
    keys=("window_start_ms", *PACKED),
    sums=tuple(field.name for field in _SUMS),
    greatest=(),
    maps={},
)
"""How facts add up to rows."""

LONGER_TALLY = replace(TALLY, greatest=("sources",))
"""How rows add up to rows of longer windows."""
