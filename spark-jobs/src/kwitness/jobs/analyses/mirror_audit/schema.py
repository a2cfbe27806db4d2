"""The shapes of the mirror audit: what each side carried, by topic, partition and time. No job runs with them yet."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pyspark.sql.types import IntegerType, LongType, StringType, StructType

from kwitness.jobs.frame.columns import column
from kwitness.jobs.frame.job import Inputs

INPUTS = Inputs(topics=("traffic",), second_cluster=True)
"""The facts of both sides are rows of traffic, each of its own platform's topic."""


class MirrorAuditParameters(BaseModel):
    """Settings; they come into the resource with the type."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    topics: Annotated[tuple[str, ...], Field(max_length=1000)] = ()
    target_cluster: str = ""
    target_prefix: str = ""


TABLE_SCHEMA = StructType(
    [
        column("topic", StringType(), "Topic, as the source calls it.", nullable=False),
        column("partition", IntegerType(), "Partition.", nullable=False),
        column("time_ms", LongType(), "Start of the span by records' timestamps, ms since 1970.", nullable=False),
        column("source_records", LongType(), "Records that producers sent there."),
        column("target_records", LongType(), "Records that the mirror sent to the target."),
        column("tolerance", LongType(), "Records of the largest batch: at each end of a span one may be in another."),
        column("missing", LongType(), "Records that the target lacks beyond that."),
        column("extra", LongType(), "Records that it has beyond that, as after a retry without idempotence."),
        column("evidence", StringType(), "approximate: counted by the latest timestamp of batches."),
    ]
)
