"""From records of traffic and connections to who used which version of which API, and how rows combine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import ArrayType, StringType, StructType

from kwitness.contracts.kafka_releases import lifetimes
from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.topics import CONNECTIONS_SCHEMA, SCHEMAS, TRAFFIC
from kwitness.jobs.analyses.upgrade_impact import schema as columns
from kwitness.jobs.frame.bounded_text import bounded
from kwitness.jobs.frame.event_lines import is_from_observer, lines_of
from kwitness.jobs.frame.job import JobInput, TransformResult, rows_in
from kwitness.jobs.frame.json_events import decoded_events, problem, union_of
from kwitness.jobs.frame.longs import LARGEST_LONG
from kwitness.jobs.frame.moments import epoch_ms
from kwitness.jobs.frame.owners import OWNER, with_owners
from kwitness.jobs.generated import schemas

_NAMES = {"traffic": [SCHEMAS[TRAFFIC]], "connections": [CONNECTIONS_SCHEMA]}
_READ = (
    *("schema", "kind", "event_source", "event_epoch", "event_seq", "api", "api_version", *columns.SUMS),
    *(*columns.CLIENT, "window_start_ms", "window_end_ms", "occurred_at_ms", "opaque", "sent_at_ms", "connections"),
)
_ALL = union_of((schemas.API_TRAFFIC, schemas.CONNECTION_EVENT, schemas.CONNECTION_SNAPSHOT))
EVENT_SCHEMA = StructType([_ALL[name] for name in _READ])
"""The fields that are read."""

_ROW = columns.PARTIAL_SCHEMA
_TEXTS = tuple(field.name for field in columns.KEY_FIELDS if field.dataType == StringType() and field.name != "kind")
#: Far above what a window can hold, far below what a sum of many can; and what a sum can.
_LARGEST = 2**53
_LAST_VERSION = 2**15 - 1
_LIFETIMES = json.dumps({f"{api}/{version}": life._asdict() for (api, version), life in lifetimes().items()})


def transform(records: DataFrame, job_input: JobInput) -> TransformResult:
    """Turn records of the two topics into rows of the table, one per key.

    Parameters
    ----------
    records
        Columns `kwitness.jobs.frame.kafka_record.RECORD_COLUMNS` and `kind` (`traffic` or `connections`).
    """
    decoded = _decoded(records)
    partial = rows_in(decoded).withColumns({name: bounded(F.col(name)) for name in _TEXTS})
    rows = partial.groupBy(*columns.KEYS).agg(
        *(_capped(F.try_sum(name), F.count(name) > 0).alias(name) for name in columns.SUMS),
        F.max("connections").alias("connections"),
        F.min("first_seen_ms").alias("first_seen_ms"),
        F.max("last_seen_ms").alias("last_seen_ms"),
    )
    # One literal, since a plan with hundreds of them takes seconds.
    known = F.from_json(F.lit(_LIFETIMES), "map<string, struct<added_in: string, dropped_in: string>>")
    life = F.try_element_at(known, F.concat(F.col("api"), F.lit("/"), F.col("api_version")))
    named = with_owners(rows.withColumn("_life", life), job_input.owners, F.col("last_seen_ms"))
    of_rows = {name: F.col("_life")[name] for name in ("added_in", "dropped_in")}
    of_rows["ended"] = F.lit(False)
    return TransformResult(decoded, named.withColumns(of_rows).select(*columns.TABLE_SCHEMA.names))


def merge(table: str, update: str) -> Mapping[str, Column]:
    """What each column becomes when the table (alias `table`) has the row of `update` already."""
    old = {name: F.col(f"{table}.{name}") for name in columns.TABLE_SCHEMA.names}
    new = {name: F.col(f"{update}.{name}") for name in columns.TABLE_SCHEMA.names}
    return {
        **{name: _capped(F.try_add(old[name], new[name]), old[name].isNotNull()) for name in columns.SUMS},
        "connections": F.greatest(old["connections"], new["connections"]),
        "first_seen_ms": F.least(old["first_seen_ms"], new["first_seen_ms"]),
        "last_seen_ms": F.greatest(old["last_seen_ms"], new["last_seen_ms"]),
        # Of the release that this driver knows, which is the newest.
        **{name: new[name] for name in ("added_in", "dropped_in", "ended")},
        **{
            name: F.when(new["last_seen_ms"] >= old["last_seen_ms"], new[name]).otherwise(old[name])
            for name in OWNER.names
        },
    }


def expired(job_input: JobInput, now: datetime) -> Column:
    """Rows that are dropped at the next housekeeping: of what was not seen for twice `used_within`."""
    horizon = now - 2 * parse_duration(job_input.parameters.used_within)
    return F.col("last_seen_ms") < F.lit(epoch_ms(horizon))


def _capped(total: Column, is_there: Column) -> Column:
    """A sum, the largest number where it is beyond 64 bits, null where there is nothing to add up."""
    return F.when(is_there, F.coalesce(total, F.lit(LARGEST_LONG)))


def _decoded(records: DataFrame) -> DataFrame:
    events = decoded_events(records, EVENT_SCHEMA, _NAMES)
    event = F.col("event").getField
    end = F.coalesce(event("window_end_ms"), event("occurred_at_ms"), event("sent_at_ms"))
    # Whoever's clock is ahead: nothing happened after its record was written.
    written = F.when(F.col("timestamp_ms") >= 0, F.col("timestamp_ms"))
    timed = events.withColumns(
        {
            "problem": F.coalesce("problem", F.when(F.col("event").isNotNull(), _problem(end))),
            "first_seen_ms": F.least(F.coalesce(event("window_start_ms"), end), written),
            "last_seen_ms": F.least(end, written),
        }
    )
    return lines_of(timed, _rows(), _ROW)


def _problem(end: Column) -> Column:
    """What is wrong with an event whose JSON is as it should be."""
    event = F.col("event").getField
    is_request = (F.col("kind") == "traffic") & (event("kind") == "api")
    start = F.coalesce(event("window_start_ms"), end)
    counts = [F.coalesce(event(name), F.lit(0)).between(0, _LARGEST) for name in columns.SUMS]
    version = F.coalesce(event("api_version"), F.lit(0)).between(0, _LAST_VERSION)
    return (
        F.when(end.isNull(), problem("MissingField", "the value lacks window_end_ms, occurred_at_ms or sent_at_ms"))
        .when((start < 0) | (start > end), problem("InvalidField", "window_start_ms is after window_end_ms"))
        .when(
            is_request & (event("api").isNull() | event("requests").isNull()),
            problem("MissingField", "the value lacks api or requests"),
        )
        .when(
            is_request & ~(counts[0] & counts[1] & counts[2] & version),
            problem("InvalidField", f"a count is not from 0 to {_LARGEST}, or api_version is none"),
        )
    )


def _rows() -> Column:
    """All rows of one record, as an array; their texts are as long as they came."""
    event = F.col("event").getField
    # A connection that is still open has not said all of who it is, unless it cannot be read at all.
    is_over = (event("kind") == "closed") | (
        event("kind").isin("opened", "authenticated") & event("opaque").isNotNull()
    )
    is_connection = (F.col("kind") == "connections") & is_over
    is_snapshot = (F.col("kind") == "connections") & ~is_from_observer() & (event("kind") == "snapshot")
    # Others said nothing: probes, say.
    says = event("opaque").isNotNull()
    for name in ("principal", "client_id", "client_software_name"):
        says = says | event(name).isNotNull()
    client = {name: event(name) for name in columns.CLIENT}
    single = F.array(
        F.when(
            (F.col("kind") == "traffic") & (event("kind") == "api"),
            _row(
                kind=F.lit(columns.REQUEST),
                api=event("api"),
                api_version=event("api_version"),
                **client,
                requests=event("requests"),
                request_bytes=F.coalesce(event("request_bytes"), F.lit(0)),
                response_bytes=F.coalesce(event("response_bytes"), F.lit(0)),
            ),
        ),
        F.when(is_connection & says, _row(kind=F.lit(columns.CONNECTION), **client)),
    )
    open_now = F.filter(
        F.coalesce(event("connections"), F.array().cast(EVENT_SCHEMA["connections"].dataType)),
        lambda one: F.coalesce(one["connections"], F.lit(0)) > 0,
    )
    counted = F.transform(
        open_now,
        lambda one: _row(
            kind=F.lit(columns.SOFTWARE),
            cluster_id=event("cluster_id"),
            client_software_name=_announced(one["client_software_name"]),
            client_software_version=_announced(one["client_software_version"]),
            connections=one["connections"],
        ),
    )
    return F.concat(
        F.filter(single, lambda row: row.isNotNull()),
        F.when(is_snapshot, counted).otherwise(F.array().cast(ArrayType(_ROW))),
    )


def _announced(text: Column) -> Column:
    # What Kafka calls software that was not announced; observers leave it out.
    return F.when(text != "unknown", text)


def _row(**values: Column) -> Column:
    known = {"first_seen_ms": F.col("first_seen_ms"), "last_seen_ms": F.col("last_seen_ms"), **values}
    return F.struct(
        *(
            known.get(field.name, F.lit(None)).cast(field.dataType).alias(field.name)
            for field in columns.PARTIAL_SCHEMA.fields
        )
    )
