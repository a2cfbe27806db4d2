"""What a job type is: the few things that differ between analyses. Everything else is the frame's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel
from pyspark.sql import Column, DataFrame
from pyspark.sql.types import LongType, StructField, StructType

from kwitness.jobs.rejection import QUARANTINE_SCHEMA

TopicKind = Literal["connections", "traffic", "requests", "interceptions", "headers", "telemetry", "seals"]
"""Which of the platform's topics; its name is in the job's configuration."""


@dataclass(frozen=True, slots=True)
class TransformResult:
    """What a transform makes of records.

    Attributes
    ----------
    decoded
        What the other two are computed from, of `decoded_schema`. It is kept for both, so that records are read once.
    rows
        Rows of the table's schema, at most one per key.
    rejected
        Rows of `kwitness.jobs.rejection.QUARANTINE_SCHEMA`.
    """

    decoded: DataFrame
    rows: DataFrame
    rejected: DataFrame


class JobInput(NamedTuple):
    """What a resource says to its job: `spec.parameters.<name>`, and `spec.window` for types that have windows."""

    parameters: Any
    window_seconds: float


class DisplayColumn(NamedTuple):
    """A column that people see: by its values, or, of a list, only by how many there are."""

    heading: str
    column: str
    counted: bool = False


def decoded_schema(row: StructType) -> StructType:
    """What a transform's decoding gives: in each line one of the three, the others null.

    Parameters
    ----------
    row
        Columns of a partial row: what some records say.

    Returns
    -------
    StructType
        `row`; `rejected` of `kwitness.jobs.rejection.QUARANTINE_SCHEMA`; `used`, how many records the rows came from.
    """
    return StructType(
        [StructField("row", row), StructField("rejected", QUARANTINE_SCHEMA), StructField("used", LongType())]
    )


@dataclass(frozen=True, slots=True)
class Job:
    """A job type.

    Attributes
    ----------
    name
        The `spec.type` of AnalyticsJob.
    topics
        The topics it reads, all in one stream.
    parameters
        The model of `spec.parameters.<name>`.
    schema
        The columns of its Delta table, each with a comment.
    keys
        The columns that identify a row.
    transform
        Pure: records to rows and rejected records. The same for batch and stream.
    merge
        Pure: given the aliases of the table and of the update, the value of each column of a row that is there
        already. It must be idempotent, commutative and associative, because a batch may come twice or in parts.
    expired
        Pure: given the input and the time, which rows housekeeping drops; absent where rows stay for ever.
    display_columns
        What people see of the table, in order; the first five columns sort the lines.
    """

    name: str
    topics: tuple[TopicKind, ...]
    parameters: type[BaseModel]
    schema: StructType
    keys: tuple[str, ...]
    transform: Callable[[DataFrame, JobInput], TransformResult]
    merge: Callable[[str, str], Mapping[str, Column]]
    display_columns: tuple[DisplayColumn, ...]
    expired: Callable[[JobInput, datetime], Column] | None = None
