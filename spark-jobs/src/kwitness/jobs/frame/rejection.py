"""What becomes of a record that cannot be used: it is kept, bounded, with the reason, and never stops the job."""

from __future__ import annotations

import base64
from datetime import datetime, timedelta
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import ArrayType, IntegerType, LongType, StringType, StructField, StructType

from kwitness.jobs.frame.columns import column
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.moments import epoch_ms

#: Bytes of a record's value, and of its key and each header, that the quarantine keeps.
MAX_VALUE_BYTES = 4096
MAX_FIELD_BYTES = 256
#: Headers that the quarantine keeps of one record.
MAX_HEADERS = 64
_MAX_MESSAGE = 512
#: How long housekeeping leaves a record in the quarantine, and how many of the newest.
KEPT = timedelta(days=30)
MAX_KEPT = 100_000


class RejectedRecordError(ValueError):
    """A record cannot be used.

    Parameters
    ----------
    reason
        One CamelCase word, stable, to count and filter by.
    message
        What is wrong and with which input. It never quotes what a client sent.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


QUARANTINE_SCHEMA = StructType(
    [
        column("topic", StringType(), "The record's topic.", nullable=False),
        column("partition", IntegerType(), "Its partition.", nullable=False),
        column("offset", LongType(), "Its offset.", nullable=False),
        column("timestamp_ms", LongType(), "Its timestamp, ms since the epoch.", nullable=False),
        column("reason", StringType(), "Why it could not be used: a word, stable.", nullable=False),
        column("message", StringType(), "What is wrong with it, in words; never what a client sent.", nullable=False),
        column("key_base64", StringType(), "Beginning of its key."),
        column(
            "headers",
            ArrayType(StructType([StructField("key", StringType()), StructField("value_base64", StringType())])),
            "Its headers, with the beginnings of their values.",
        ),
        column("value_bytes", LongType(), "Bytes of its value, all of them."),
        column("value_base64", StringType(), "Beginning of its value."),
    ]
)
"""One row per record that could not be used; sizes are those of the record, contents are cut to the bounds above."""

REJECTED = StructType([StructField(field.name, field.dataType) for field in QUARANTINE_SCHEMA])
"""The same columns for casts, which may not promise what they have not been told, that nothing is null."""


def rejection(record: KafkaRecord, error: RejectedRecordError) -> dict[str, Any]:
    """Return the row of `QUARANTINE_SCHEMA` for a record."""
    return {
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "timestamp_ms": record.timestamp_ms,
        "reason": error.reason,
        "message": error.message[:_MAX_MESSAGE],
        "key_base64": _encoded(record.key, MAX_FIELD_BYTES),
        "headers": [
            {"key": key[:MAX_FIELD_BYTES], "value_base64": _encoded(value, MAX_FIELD_BYTES)}
            for key, value in record.headers[:MAX_HEADERS]
        ],
        "value_bytes": None if record.value is None else len(record.value),
        "value_base64": _encoded(record.value, MAX_VALUE_BYTES),
    }


def outdated(quarantine: DataFrame, now: datetime) -> Column:
    """Which rows housekeeping drops: those older than `KEPT`, and all but the newest `MAX_KEPT` or a few more."""
    horizon = epoch_ms(now - KEPT)
    newest = quarantine.select("timestamp_ms").orderBy(F.desc("timestamp_ms")).offset(MAX_KEPT).limit(1).collect()
    return F.col("timestamp_ms") < F.lit(max([horizon, *(row["timestamp_ms"] for row in newest)]))


def _encoded(content: bytes | None, limit: int) -> str | None:
    return None if content is None else base64.b64encode(content[:limit]).decode("ascii")
