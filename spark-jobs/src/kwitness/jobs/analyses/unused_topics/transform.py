"""From records of traffic and connections to who used a topic last, and who was connected; and how rows combine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import ArrayType, IntegerType, LongType, StructType

from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.topics import CONNECTIONS_SCHEMA, SCHEMAS, TRAFFIC
from kwitness.jobs.analyses.unused_topics import schema as columns
from kwitness.jobs.frame.bounded_text import bounded
from kwitness.jobs.frame.event_lines import is_from_observer, lines_of
from kwitness.jobs.frame.job import JobInput, TransformResult, rows_in
from kwitness.jobs.frame.json_events import decoded_events, problem, union_of
from kwitness.jobs.frame.moments import DAY_MS, epoch_ms
from kwitness.jobs.frame.window_events import INVALID, LARGEST
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

_ROW = columns.PARTIAL_SCHEMA
_TEXTS = ("subject", "listener", *columns.LAST_FETCHED[1:])
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
    partial = rows_in(decoded)
    partial = partial.withColumns({name: bounded(F.col(name)) for name in _TEXTS})
    day = F.floor(F.col("at_ms") / DAY_MS).cast(IntegerType())
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
    return TransformResult(decoded, rows.withColumns(flat | unsurveyed).select(*columns.TABLE_SCHEMA.names))


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
    return F.col("last_seen_ms") < F.lit(epoch_ms(horizon))


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
    untimed = F.when(
        told.isNull(), problem("MissingField", "the value lacks window_end_ms, occurred_at_ms or sent_at_ms")
    ).when(~at.between(0, LARGEST), problem(INVALID, "window_end_ms, occurred_at_ms or sent_at_ms is no time"))
    timed = events.withColumn(
        "problem", F.coalesce(F.col("problem"), F.when(F.col("event").isNotNull(), untimed))
    ).withColumn("at_ms", at.cast(LongType()))
    return lines_of(timed, _rows(), _ROW)


def _rows() -> Column:
    """All rows of one record, as an array; their texts are as long as they came."""
    event = F.col("event").getField
    is_traffic = F.col("kind") == "traffic"
    is_connection = (F.col("kind") == "connections") & event("kind").isin("opened", "authenticated", "closed")
    is_snapshot = (F.col("kind") == "connections") & ~is_from_observer() & (event("kind") == "snapshot")
    # A row that sums up several clients names none.
    is_named = event("client_software_name").isNotNull() | (is_traffic & ~F.coalesce(event("overflowed"), F.lit(False)))
    unread = F.size(F.coalesce(F.map_keys(event("unread")), F.array().cast("array<string>"))) > 0
    gap = F.when(is_traffic & (event("kind") == "api") & event("api").isin(*_FETCHES) & unread, F.lit("Unread")).when(
        is_connection & event("opaque").isNotNull(), F.lit("Opaque")
    )
    single = F.array(
        F.when(is_traffic, _topic_row()),
        F.when(
            (is_traffic | is_connection) & is_named,
            _row(kind=columns.SOFTWARE, subject=_software(event), use="observed"),
        ),
        F.when(gap.isNotNull(), _row(kind=columns.GAP, subject=gap)),
        F.when(
            is_snapshot & event("broker_id").isNotNull(),
            _row(kind=columns.BROKER, subject=event("broker_id"), use="counted"),
        ),
    )
    open_now = F.filter(
        F.coalesce(event("connections"), F.array().cast(EVENT_SCHEMA["connections"].dataType)),
        lambda one: F.coalesce(one["connections"], F.lit(0)) > 0,
    )
    counted = F.transform(
        open_now,
        lambda one: _row(
            kind=columns.SOFTWARE, subject=_software(one.getField), use="counted", listener=one["listener"]
        ),
    )
    return F.concat(
        F.filter(single, lambda row: row.isNotNull()),
        F.when(is_snapshot, counted).otherwise(F.array().cast(ArrayType(_ROW))),
    )


def _topic_row() -> Column:
    """What a row of traffic says of a topic, null if nothing."""
    event = F.col("event").getField
    use = F.when((event("kind") == "partition") & (event("api") == "Produce"), F.lit("produced")).when(
        ((event("kind") == "partition") & event("api").isin(*_FETCHES)) | (event("kind") == "presence"),
        F.lit("fetched"),
    )
    is_told = event("topic").isNotNull() | event("topic_id").isNotNull()
    kind = (
        F.when(event("topic").isNotNull(), F.lit(columns.TOPIC))
        .when(is_told, F.lit(columns.TOPIC_ID))
        .otherwise(F.lit(columns.GAP))
    )
    row = _row(
        kind=kind,
        subject=F.coalesce(event("topic"), event("topic_id"), F.lit("Overflowed")),
        use=F.when(is_told, use),
        **{name: event(name) for name in columns.LAST_FETCHED[1:]},
    )
    # Who wrote without a topic in the row is not missed, since end offsets tell. Who read may have read any.
    return F.when(use.isNotNull() & (is_told | (use == "fetched")), row)


def _software(field: Callable[[str], Column]) -> Column:
    # What Kafka calls software that was not announced.
    names = ("client_software_name", "client_software_version")
    return F.concat_ws("/", *(F.coalesce(field(name), F.lit("unknown")) for name in names))


def _row(**values: Column | str) -> Column:
    known = {"cluster_id": F.col("event")["cluster_id"], "at_ms": F.col("at_ms"), **values}
    return F.struct(
        *(
            (F.lit(value) if isinstance(value := known.get(field.name), str | None) else value)
            .cast(field.dataType)
            .alias(field.name)
            for field in columns.PARTIAL_SCHEMA.fields
        )
    )
