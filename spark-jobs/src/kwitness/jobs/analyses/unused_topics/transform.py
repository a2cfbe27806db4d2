"""From records of traffic and connections to who used a topic last, and who was connected; and how rows combine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import ArrayType, IntegerType, LongType, StructType

from kwitness.contracts.record_headers import REPORTED_BY
from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.topics import CONNECTIONS_SCHEMA, SCHEMAS, TRAFFIC
from kwitness.jobs.analyses.unused_topics import schema as columns
from kwitness.jobs.frame.job import JobInput, TransformResult, decoded_schema
from kwitness.jobs.frame.json_events import decoded_events, rejected_column, union_of
from kwitness.jobs.generated import schemas

_NAMES = {"traffic": [SCHEMAS[TRAFFIC]], "connections": [CONNECTIONS_SCHEMA]}
_READ = (
    *("schema", "kind", "event_source", "event_epoch", "event_seq", "cluster_id", "broker_id", "principal"),
    *("client_id", "group_id", "client_software_name", "client_software_version", "window_end_ms", "overflowed"),
    *("api", "topic", "topic_id", "unread", "occurred_at_ms", "opaque", "sent_at_ms", "connections"),
)
_ALL = union_of(
    (
        schemas.PARTITION_TRAFFIC,
        schemas.API_TRAFFIC,
        schemas.TOPIC_PRESENCE,
        schemas.CONNECTION_EVENT,
        schemas.CONNECTION_SNAPSHOT,
    )
)
EVENT_SCHEMA = StructType([_ALL[name] for name in _READ])
"""The fields that are read."""

_DECODED = decoded_schema(columns.PARTIAL_SCHEMA)
_ROW = columns.PARTIAL_SCHEMA
_DAY_MS = 86_400_000
_MAX_TEXT = 512
_FETCHES = ("Fetch", "ShareFetch")


def transform(records: DataFrame, job_input: JobInput) -> TransformResult:
    """Turn records of the two topics into rows of the table, one per key.

    Parameters
    ----------
    records
        Columns `kwitness.jobs.frame.kafka_record.RECORD_COLUMNS` and `kind` (`traffic` or `connections`).
    """
    del job_input  # It says what is judged, not what is seen.
    decoded = _decoded(records)
    partial = decoded.where("row is not null").select("row.*")
    day = F.floor(F.col("at_ms") / _DAY_MS).cast(IntegerType())
    latest = {
        use: F.max(F.when(F.col("use") == use, F.struct(F.col("at_ms").alias("ms"), *names[1:]))).alias(use)
        for use, names in (("produced", columns.LAST_PRODUCED), ("fetched", columns.LAST_FETCHED))
    }
    rows = partial.groupBy(*columns.KEYS).agg(
        F.min("at_ms").alias("first_seen_ms"),
        F.max("at_ms").alias("last_seen_ms"),
        *latest.values(),
        *(
            _newest(F.collect_set(F.when(F.col("use") == use, day))).alias(f"{use}_days")
            for use in ("counted", "observed")
        ),
    )
    flat = {f"last_produced_{name}": F.col("produced")[name] for name in columns.LAST_PRODUCED}
    flat |= {f"last_fetched_{name}": F.col("fetched")[name] for name in columns.LAST_FETCHED}
    unsurveyed = {field.name: F.lit(None).cast(field.dataType) for field in columns.SURVEY_FIELDS}
    return TransformResult(
        decoded=decoded,
        rows=rows.withColumns(flat | unsurveyed).select(*columns.TABLE_SCHEMA.names),
        rejected=decoded.where("rejected is not null").select("rejected.*"),
    )


def merge(table: str, update: str) -> Mapping[str, Column]:
    """What each column becomes when the table (alias `table`) has the row of `update` already."""
    old = {name: F.col(f"{table}.{name}") for name in columns.TABLE_SCHEMA.names}
    new = {name: F.col(f"{update}.{name}") for name in columns.TABLE_SCHEMA.names}
    newer = F.coalesce(new["surveyed_ms"], F.lit(-1)) > F.coalesce(old["surveyed_ms"], F.lit(-1))
    return {
        "first_seen_ms": F.least(old["first_seen_ms"], new["first_seen_ms"]),
        "last_seen_ms": F.greatest(old["last_seen_ms"], new["last_seen_ms"]),
        **_latest(old, new, "last_produced_", columns.LAST_PRODUCED),
        **_latest(old, new, "last_fetched_", columns.LAST_FETCHED),
        **{name: _newest(F.array_union(old[name], new[name])) for name in ("counted_days", "observed_days")},
        **{name: F.when(newer, new[name]).otherwise(old[name]) for name in columns.SURVEY_COLUMNS},
    }


def expired(job_input: JobInput, now: datetime) -> Column:
    """Rows that are dropped at the next housekeeping: of what was neither seen nor listed for twice `unused_for`."""
    horizon = now - 2 * parse_duration(job_input.parameters.unused_for)
    return F.col("last_seen_ms") < F.lit(int(horizon.timestamp() * 1000))


def _latest(
    old: Mapping[str, Column], new: Mapping[str, Column], prefix: str, names: Sequence[str]
) -> dict[str, Column]:
    # By time first; of one time, by the rest, nulls before every text.
    greatest = F.greatest(*(F.struct(*(side[prefix + name].alias(name) for name in names)) for side in (old, new)))
    return {prefix + name: greatest[name] for name in names}


def _newest(days: Column) -> Column:
    """Distinct days, sorted; if there are too many the newest, which is the same in any order of merging."""
    return F.reverse(F.slice(F.sort_array(days, asc=False), 1, columns.MAX_DAYS))


def _decoded(records: DataFrame) -> DataFrame:
    events = decoded_events(records, EVENT_SCHEMA, _NAMES)
    event = F.col("event").getField
    told = F.coalesce(event("window_end_ms"), event("occurred_at_ms"), event("sent_at_ms"))
    # Whoever's clock is ahead: nothing happened after its record was written.
    at = F.least(told, F.when(F.col("timestamp_ms") >= 0, F.col("timestamp_ms")))
    untimed = F.struct(
        F.lit("MissingField").alias("reason"),
        F.lit("the value lacks window_end_ms, occurred_at_ms or sent_at_ms").alias("message"),
    )
    timed = events.withColumn(
        "problem", F.coalesce(F.col("problem"), F.when(F.col("event").isNotNull() & told.isNull(), untimed))
    ).withColumn("at_ms", at.cast(LongType()))
    rows = F.when(F.col("problem").isNull(), _rows()).otherwise(F.array().cast(ArrayType(_ROW)))
    lines = F.transform(rows, lambda row: _line(row=row))
    # A line of its own for each record, since some say nothing of any topic or client.
    last = F.when(F.col("problem").isNull(), _line(used=F.lit(1))).otherwise(_line(rejected=rejected_column()))
    return timed.select(F.explode(F.concat(lines, F.array(last))).alias("line")).select("line.*")


def _line(**filled: Column) -> Column:
    return F.struct(
        *(filled.get(field.name, F.lit(None)).cast(field.dataType).alias(field.name) for field in _DECODED.fields)
    )


def _rows() -> Column:
    """All rows of one record, as an array."""
    event = F.col("event").getField
    # The collector writes what observers send unread: the header that it adds tells that from a broker's snapshot.
    from_observer = F.exists(
        F.coalesce("headers", F.array().cast("array<struct<key: string, value: binary>>")),
        lambda one: one["key"] == REPORTED_BY,
    )
    is_traffic = F.col("kind") == "traffic"
    is_snapshot = (F.col("kind") == "connections") & ~from_observer & (event("kind") == "snapshot")
    is_connection = (F.col("kind") == "connections") & event("kind").isin("opened", "authenticated", "closed")
    named = event("client_software_name").isNotNull() | ~F.coalesce(event("overflowed"), F.lit(False))
    software = _row(columns.SOFTWARE, _software(event), use="observed")
    opaque = _row(columns.GAP, F.lit("Opaque"))
    observed = F.array(
        *_topic_rows(is_traffic),
        F.when(is_traffic & named, software),
        F.when(
            is_traffic & (event("kind") == "api") & event("api").isin(*_FETCHES) & _has_unread(),
            _row(columns.GAP, F.lit("Unread")),
        ),
        F.when(is_connection & event("client_software_name").isNotNull(), software),
        F.when(is_connection & event("opaque").isNotNull(), opaque),
        F.when(is_snapshot & event("broker_id").isNotNull(), _row(columns.BROKER, event("broker_id"), use="counted")),
    )
    counted = F.transform(
        F.filter(F.coalesce(event("connections"), F.array().cast(EVENT_SCHEMA["connections"].dataType)), _is_open),
        lambda one: _row(columns.SOFTWARE, _software(one.getField), use="counted", listener=one["listener"]),
    )
    nothing = F.array().cast(ArrayType(_ROW))
    return F.concat(F.filter(observed, lambda row: row.isNotNull()), F.when(is_snapshot, counted).otherwise(nothing))


def _topic_rows(is_traffic: Column) -> list[Column]:
    event = F.col("event").getField
    produces = (event("kind") == "partition") & (event("api") == "Produce")
    fetches = ((event("kind") == "partition") & event("api").isin(*_FETCHES)) | (event("kind") == "presence")
    has_topic, has_id = event("topic").isNotNull(), event("topic_id").isNotNull()
    rows = []
    for of_use, use in ((produces, "produced"), (fetches, "fetched")):
        rows.append(F.when(is_traffic & of_use & has_topic, _row(columns.TOPIC, event("topic"), use=use)))
        by_id = _row(columns.TOPIC_ID, event("topic_id"), use=use)
        rows.append(F.when(is_traffic & of_use & ~has_topic & has_id, by_id))
    # Who wrote is not missed: end offsets tell. Who read without a topic in the row may have read any.
    overflowed = _row(columns.GAP, F.lit("Overflowed"))
    return [*rows, F.when(is_traffic & fetches & ~has_topic & ~has_id, overflowed)]


def _has_unread() -> Column:
    event = F.col("event").getField
    return F.size(F.coalesce(F.map_keys(event("unread")), F.array().cast("array<string>"))) > 0


def _is_open(one: Column) -> Column:
    return F.coalesce(one["connections"], F.lit(0)) > 0


def _software(field: Callable[[str], Column]) -> Column:
    names = ("client_software_name", "client_software_version")
    # What Kafka calls software that was not announced.
    return F.concat_ws("/", *(F.coalesce(_bounded(field(name)), F.lit("unknown")) for name in names))


def _row(kind: str, subject: Column, *, use: str | None = None, listener: Column | None = None) -> Column:
    event = F.col("event").getField
    values = {
        "cluster_id": event("cluster_id"),
        "kind": F.lit(kind),
        "subject": _bounded(subject),
        "listener": F.lit(None) if listener is None else _bounded(listener),
        "at_ms": F.col("at_ms"),
        "use": F.lit(use),
    }
    if use in {"produced", "fetched"}:
        values |= {name: _bounded(event(name)) for name in columns.LAST_FETCHED[1:]}
    return F.struct(
        *(
            values.get(field.name, F.lit(None)).cast(field.dataType).alias(field.name)
            for field in columns.PARTIAL_SCHEMA.fields
        )
    )


def _bounded(text: Column) -> Column:
    """The text if it is short, else its beginning and a digest of the whole, so that two long texts stay different."""
    long = F.concat(F.substring(text, 1, _MAX_TEXT - 17), F.lit("~"), F.substring(F.sha2(text, 256), 1, 16))
    return F.when(F.length(text) > _MAX_TEXT, long).otherwise(text)
