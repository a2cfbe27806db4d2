"""Frames of records as transforms expect them, from Kafka's rows; and reading a part of topics at once."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.jobs.frame.offsets import Positions, to_json


def records_of(frame: DataFrame, kinds: Mapping[str, str]) -> DataFrame:
    """Kafka's rows with the columns that transforms expect; `kinds` are those of topics by their names."""
    named = F.create_map(*(F.lit(text) for pair in kinds.items() for text in pair))
    times = F.unix_millis("timestamp").alias("timestamp_ms")
    plain = ("topic", "partition", "offset")
    return frame.select(*plain, times, "key", "value", "headers", named[F.col("topic")].alias("kind"))


def read_between(session: SparkSession, options: Mapping[str, str], start: Positions, end: Positions) -> DataFrame:
    """Kafka's rows between two positions of the same partitions; those that are gone meanwhile are left out."""
    partitions: dict[str, list[int]] = {}
    for where in sorted(end):
        partitions.setdefault(where.topic, []).append(where.partition)
    return (
        session.read.format("kafka")
        .options(**{f"kafka.{key}": value for key, value in options.items()})
        .option("assign", json.dumps(partitions))
        .option("startingOffsets", to_json({where: start.get(where, 0) for where in end}))
        .option("endingOffsets", to_json(end))
        .option("includeHeaders", "true")
        .option("groupIdPrefix", options["client.id"])
        .option("failOnDataLoss", "false")
        .load()
    )
