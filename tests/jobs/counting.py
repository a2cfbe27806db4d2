"""A job whose merge adds up: a record that has its effect twice, or not at all, is seen in its table."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import LongType, StringType, StructField, StructType

from kwitness.contracts.resources.analytics_parameters import TrafficParameters
from kwitness.jobs.frame.job import DisplayColumn, Inputs, Job, JobInput, LatticeSink, TransformResult, decoded_schema

SCHEMA = StructType([StructField("topic", StringType()), StructField("records", LongType())])


def transform(records: DataFrame, job_input: JobInput) -> TransformResult:
    del job_input
    kinds = {field.name: field.dataType for field in decoded_schema(SCHEMA)}
    row = F.struct("topic", F.lit(1).cast("long")).cast(SCHEMA)
    decoded = records.select(
        row.alias("row"), F.lit(None).cast(kinds["rejected"]).alias("rejected"), F.lit(1).cast("long").alias("used")
    )
    rows = decoded.select("row.*").groupBy("topic").agg(F.sum("records").alias("records"))
    return TransformResult(decoded, rows)


JOB = Job(
    name="Traffic",
    inputs=Inputs(topics=("telemetry", "connections")),
    parameters=TrafficParameters,
    schema=SCHEMA,
    sink=LatticeSink(
        keys=("topic",),
        transform=transform,
        merge=lambda table, update: {"records": F.col(f"{table}.records") + F.col(f"{update}.records")},
    ),
    display_columns=(DisplayColumn("TOPIC", "topic"),),
)
