"""A second job type, written as a person would add one: it has windows, and nothing in the frame knows of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import LongType, StringType, StructField, StructType

from kwitness.contracts.resources.analytics_parameters import TrafficParameters
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.jobs.frame.job import DisplayColumn, Inputs, Job, JobInput, LatticeSink, TransformResult, decoded_schema

from tests.jobs.conftest import job_config, run_once
from tests.jobs.kafka_topics import Topics
from tests.jobs.tables import read
from tests.jobs.traffic import START_MS, push

pytestmark = pytest.mark.broker

SCHEMA = StructType(
    [
        StructField("client_id", StringType()),
        StructField("window_start_ms", LongType()),
        StructField("first_offset", LongType()),
        StructField("last_offset", LongType()),
    ]
)


def transform(records: DataFrame, job_input: JobInput) -> TransformResult:
    def header(name: str) -> F.Column:
        return F.filter("headers", lambda one: one["key"] == name)[0]["value"].cast("string")

    window_ms = round(job_input.window_seconds * 1000)
    received = header("received_at_ms").cast("long")
    row = F.struct(header("client_id"), received - received % window_ms, "offset", "offset").cast(SCHEMA)
    kinds = {field.name: field.dataType for field in decoded_schema(SCHEMA)}
    decoded = records.select(
        row.alias("row"), F.lit(None).cast(kinds["rejected"]).alias("rejected"), F.lit(1).cast("long").alias("used")
    )
    rows = (
        decoded.select("row.*")
        .groupBy("client_id", "window_start_ms")
        .agg(F.min("first_offset").alias("first_offset"), F.max("last_offset").alias("last_offset"))
    )
    return TransformResult(
        decoded=decoded, rows=rows, rejected=decoded.where("rejected is not null").select("rejected.*")
    )


JOB = Job(
    name="Traffic",
    inputs=Inputs(topics=("telemetry",)),
    parameters=TrafficParameters,
    schema=SCHEMA,
    sink=LatticeSink(
        keys=("client_id", "window_start_ms"),
        transform=transform,
        merge=lambda table, update: {
            "first_offset": F.least(f"{table}.first_offset", f"{update}.first_offset"),
            "last_offset": F.greatest(f"{table}.last_offset", f"{update}.last_offset"),
        },
    ),
    display_columns=(DisplayColumn("CLIENT ID", "client_id"),),
)


def test_a_job_with_windows_of_its_own_runs_in_the_frame(
    spark: SparkSession, kafka: LocalBroker, tmp_path: Path
) -> None:
    topics = Topics(kafka.bootstrap).create()
    config = job_config(
        tmp_path,
        type="Traffic",
        window_seconds=60.0,
        kafka={"bootstrap_servers": [topics.bootstrap]},
        topics=topics.names.model_dump(),
    )
    start = START_MS - START_MS % 60_000
    records = [push(offset, received_at_ms=str(start + offset * 20_000)) for offset in range(12)]

    for part in (records[:5], records[5:]):
        topics.write(part)
        status = run_once(spark, config, JOB).read()

    assert sorted(read(config.table_path), key=lambda row: row["first_offset"]) == [
        {
            "client_id": "orders",
            "window_start_ms": start + n * 60_000,
            "first_offset": 3 * n,
            "last_offset": 3 * n + 2,
            "computed_by": "Traffic/1",
        }
        for n in range(4)
    ]
    assert status.ledger.accepted == status.ledger.delivered == 7
