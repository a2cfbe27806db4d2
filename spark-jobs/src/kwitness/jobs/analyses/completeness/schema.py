"""The shapes of completeness: sets of offsets, by partition and by who says what of them. No job runs with them yet."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from kwitness.jobs.frame.columns import column

Said = Literal["Acknowledged", "Produced", "Consumed"]
"""What is said of offsets: brokers acknowledged them to a producer's interceptor; an observer saw them in the answer to
a Produce; a group was handed them, or fetched them."""
Evidence = Literal["interceptors", "wire"]

MAX_RANGES = 4096


class CompletenessParameters(BaseModel):
    """Settings; they come into the resource with the type."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    topics: Annotated[tuple[str, ...], Field(max_length=1000)] = ()
    grace: str = "1h"


OFFSET_RANGES = ArrayType(StructType([StructField("first", LongType()), StructField("last", LongType())]))
KEYS = ("topic", "partition", "said", "evidence", "group_id")

TABLE_SCHEMA = StructType(
    [
        column("topic", StringType(), "Topic.", nullable=False),
        column("partition", IntegerType(), "Partition.", nullable=False),
        column("said", StringType(), "Acknowledged, Produced or Consumed.", nullable=False),
        column("evidence", StringType(), "Who says so: interceptors, or wire (observers).", nullable=False),
        column("group_id", StringType(), "Group that consumed; empty of what was sent.", nullable=False),
        column("ranges", OFFSET_RANGES, f"Offsets, at most {MAX_RANGES} ranges."),
        column("exact", BooleanType(), "Whether no gap between ranges was closed: else they may hold too much."),
        column("first_window_ms", LongType(), "Start of the first window that said so, ms since 1970."),
        column("last_window_ms", LongType(), "End of the last one, ms since 1970."),
    ]
)
"""One row for each set of offsets."""
