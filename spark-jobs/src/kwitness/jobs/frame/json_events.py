"""Records whose values are JSON objects, decoded in the JVM by the schemas that contracts generate.

One schema serves all kinds and versions of a topic's records: it has the fields of each of them, and what a record does
not have is null. Fields that the schema does not know are passed over, so that a newer source does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import LongType, StringType, StructField, StructType

from kwitness.jobs.frame.kafka_record import HEADERS
from kwitness.jobs.frame.moments import now_ms
from kwitness.jobs.frame.rejection import MAX_FIELD_BYTES, MAX_HEADERS, MAX_VALUE_BYTES, REJECTED

CORRUPT = "_corrupt_record"
#: Records of events are a few hundred bytes; what is beyond this is not parsed.
MAX_EVENT_BYTES = 1 << 20
_TOO_LARGE = ("TooLarge", f"the value has more than {MAX_EVENT_BYTES} bytes")
_MALFORMED = ("MalformedPayload", "the value is no JSON object with fields of these types")
_UNKNOWN = ("UnknownSchema", "the value names no schema that this version reads")
_UNIDENTIFIED = ("MissingField", "the value lacks event_source, event_epoch or event_seq")


def union_of(schemas: Iterable[StructType]) -> StructType:
    """All fields of several schemas, each once, in the order in which they come first.

    Raises
    ------
    ValueError
        Two schemas have a field of one name and two types.
    """
    found: dict[str, StructField] = {}
    for field in (field for schema in schemas for field in schema.fields):
        known = found.setdefault(field.name, field)
        if known.dataType != field.dataType:
            raise ValueError(
                f"field {field.name} is {known.dataType.simpleString()} and {field.dataType.simpleString()}"
            )
    return StructType(list(found.values()))


def decoded_events(
    records: DataFrame,
    schema: StructType,
    names: Mapping[str, Collection[str]],
    passed_over: Callable[[Callable[[str], Column]], Column] = lambda _: F.lit(False),
) -> DataFrame:
    """Records with two more columns: `event`, what their value says, and `problem`, a struct of reason and message.

    One of the two is null: an event is there where there is no problem. It has the fields of the schema, and `CORRUPT`,
    which is null but in what is passed over.

    Parameters
    ----------
    records
        Columns `kwitness.jobs.frame.kafka_record.RECORD_COLUMNS` and `kind`.
    schema
        Fields that are read, `schema`, `event_source`, `event_epoch` and `event_seq` among them.
    names
        By kind of the topic, the names of schemas that are understood, with their versions (`kwitness.traffic/1`).
    passed_over
        Given what returns a field: true for events that are of no use to the job, whose fields may have other types
        than those of the same name that it reads. A field that has another type is null.
    """
    read = StructType([*schema.fields, StructField(CORRUPT, StringType())])
    size = F.coalesce(F.octet_length("value"), F.lit(0))
    text = F.when(size <= MAX_EVENT_BYTES, F.col("value").cast("string"))
    parsed = records.withColumns(
        {"_size": size, "_read": F.from_json(text, read, {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT})}
    )
    field = F.col("_read").getField
    known = reduce(
        Column.__or__,
        ((F.col("kind") == kind) & field("schema").isin(*sorted(of_kind)) for kind, of_kind in names.items()),
        F.lit(False),
    )
    identified = field("event_source").isNotNull() & field("event_epoch").isNotNull() & field("event_seq").isNotNull()
    is_corrupt = field(CORRUPT).isNotNull() & ~F.coalesce(passed_over(field), F.lit(False))
    found = (
        F.when(F.col("_size") > MAX_EVENT_BYTES, problem(*_TOO_LARGE))
        .when(F.col("_read").isNull() | is_corrupt, problem(*_MALFORMED))
        .when(~F.coalesce(known, F.lit(False)), problem(*_UNKNOWN))
        .when(~identified, problem(*_UNIDENTIFIED))
    )
    return (
        parsed.withColumn("problem", found)
        # As it was read: to copy its fields one by one costs a quarter of all that is done here.
        .withColumn("event", F.when(F.col("problem").isNull(), F.col("_read")))
        .drop("_size", "_read")
    )


def rejected_column() -> Column:
    """The row of `QUARANTINE_SCHEMA` of a record with columns of Kafka and `problem`; null where there is none."""
    cut = F.substring(F.col("value"), 1, MAX_VALUE_BYTES)
    headers = F.transform(
        F.slice(F.coalesce(F.col("headers"), F.array().cast(HEADERS)), 1, MAX_HEADERS),
        lambda one: F.struct(
            F.substring(one["key"], 1, MAX_FIELD_BYTES).alias("key"),
            F.base64(F.substring(one["value"], 1, MAX_FIELD_BYTES)).alias("value_base64"),
        ),
    )
    row = F.struct(
        "topic",
        "partition",
        "offset",
        "timestamp_ms",
        F.col("problem.reason").alias("reason"),
        F.col("problem.message").alias("message"),
        F.base64(F.substring(F.col("key"), 1, MAX_FIELD_BYTES)).alias("key_base64"),
        headers.alias("headers"),
        F.octet_length("value").cast(LongType()).alias("value_bytes"),
        F.base64(cut).alias("value_base64"),
    )
    return F.when(F.col("problem").isNotNull(), row.cast(REJECTED))


def problem(reason: str, message: str) -> Column:
    """Why a record is not used, as `decoded_events` has it."""
    return F.struct(F.lit(reason).alias("reason"), F.lit(message).alias("message"))


def written_ms() -> Column:
    """The time in Kafka of a record; the present where a clock was ahead, for later records are compared with it."""
    # Not current_timestamp(): Delta's MERGE replaces it in its source, which then reads and decodes the batch again.
    return F.least(F.col("timestamp_ms"), F.lit(now_ms()))
