"""The shapes of the mirror audit: what each side carried, by topic, partition and time. No job runs with them yet."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pyspark.sql.types import DataType, IntegerType, LongType, StringType, StructField, StructType

from kwitness.jobs.frame.job import Inputs

INPUTS = Inputs(topics=("traffic",), second_cluster=True)
"""The facts of both sides are rows of traffic, each of its own platform's topic."""


class MirrorAuditParameters(BaseModel):
    """Settings; they come into the resource with the type."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    topics: Annotated[tuple[str, ...], Field(max_length=1000)] = ()
    target_cluster: str = ""
    target_prefix: str = ""


def _field(name: str, kind: DataType, comment: str, *, nullable: bool = True) -> StructField:
    return StructField(name, kind, nullable, {"comment": comment})


TABLE_SCHEMA = StructType(
    [
        _field("topic", StringType(), "Topic, as the source calls it.", nullable=False),
        _field("partition", IntegerType(), "Partition.", nullable=False),
        _field("time_ms", LongType(), "Start of the span by records' timestamps, ms since 1970.", nullable=False),
        _field("source_records", LongType(), "Records that producers sent there."),
        _field("target_records", LongType(), "Records that the mirror sent to the target."),
        _field("tolerance", LongType(), "Records of the largest batch: at each end of a span one may be in another."),
        _field("missing", LongType(), "Records that the target lacks beyond that."),
        _field("extra", LongType(), "Records that it has beyond that, as after a retry without idempotence."),
        _field("evidence", StringType(), "approximate: counted by the latest timestamp of batches."),
    ]
)
