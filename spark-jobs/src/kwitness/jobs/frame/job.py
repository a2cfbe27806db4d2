"""What a job type is: the few things that differ between analyses. Everything else is the frame's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import LongType, StringType, StructField, StructType

from kwitness.contracts.owners import OwnerList
from kwitness.contracts.rate_card import RateCard
from kwitness.contracts.resources.analyses import AnalyticsJobType
from kwitness.jobs.frame.cluster_survey import ClusterSurvey
from kwitness.jobs.frame.costs import Costs
from kwitness.jobs.frame.findings import Findings
from kwitness.jobs.frame.rejection import QUARANTINE_SCHEMA
from kwitness.jobs.frame.second_cluster import Comparison

TopicKind = Literal["connections", "traffic", "requests", "interceptions", "headers", "telemetry", "seals"]
"""Which of the platform's topics; its name is in the job's configuration."""

COMPUTED_BY = StructField(
    "computed_by", StringType(), True, {"comment": "Type and version of the job that wrote the row, as Traffic/1."}
)
"""The last column of each job's table; the frame fills it."""


class JobInput(NamedTuple):
    """What a resource says to its job: `parameters.<name>`, and `window` for types that have windows.

    Attributes
    ----------
    own_topics
        Full names of the platform's own topics.
    owners
        Whose clients and topics are; None where the KafkaCluster names no owners.
    rate_card
        What traffic and storage cost; None for types that cost nothing.
    tables
        Paths of other jobs' Delta tables, by their types, of `Inputs.tables` and `Inputs.optional_tables`.
    cluster_id
        The cluster that the job is about; empty where it is about whatever its topics name.
    """

    parameters: Any
    window_seconds: float
    own_topics: frozenset[str] = frozenset()
    owners: OwnerList | None = None
    rate_card: RateCard | None = None
    tables: Mapping[AnalyticsJobType, str] = MappingProxyType({})
    cluster_id: str = ""


class DisplayColumn(NamedTuple):
    """A column that people see: by its values, or, of a list, only by how many there are."""

    heading: str
    column: str
    counted: bool = False


@dataclass(frozen=True, slots=True)
class TransformResult:
    """What a transform makes of records.

    Attributes
    ----------
    decoded
        What the others are computed from, of `decoded_schema`. It is kept for both, so that records are read once.
    rows
        Rows of the table's schema, at most one per key; or what `LatticeSink.combined` takes.
    """

    decoded: DataFrame
    rows: DataFrame

    @property
    def rejected(self) -> DataFrame:
        """Rows of `kwitness.jobs.frame.rejection.QUARANTINE_SCHEMA`."""
        return rejected_in(self.decoded)


def decoded_schema(row: StructType) -> StructType:
    """What decoding gives: in each line one of the three, the others null.

    Parameters
    ----------
    row
        Columns of a partial row, or of a fact: what some records say.

    Returns
    -------
    StructType
        `row`; `rejected` of `kwitness.jobs.frame.rejection.QUARANTINE_SCHEMA`; `used`, how many records the rows came
        from.
    """
    return StructType(
        [StructField("row", row), StructField("rejected", QUARANTINE_SCHEMA), StructField("used", LongType())]
    )


def rows_in(decoded: DataFrame) -> DataFrame:
    """The rows among decoded lines."""
    return decoded.where("row is not null").select("row.*")


def rejected_in(decoded: DataFrame) -> DataFrame:
    """Those of the records among decoded lines that cannot be used."""
    return decoded.where("rejected is not null").select("rejected.*")


class Inputs(NamedTuple):
    """What a job reads.

    Attributes
    ----------
    topics
        The platform's topics, all in one stream.
    survey
        Whether it asks the Kafka cluster what it says of itself.
    second_cluster
        Whether it compares with another Kafka cluster, which has a credential of its own.
    optional_topics
        Those of `topics` without which there are answers too; where all are, one of them is enough.
    tables
        Types of other AnalyticsJobs whose tables it reads; without one of them it does not run.
    optional_tables
        Likewise, but it runs without them.
    """

    topics: tuple[TopicKind, ...] = ()
    survey: bool = False
    second_cluster: bool = False
    optional_topics: tuple[TopicKind, ...] = ()
    tables: tuple[AnalyticsJobType, ...] = ()
    optional_tables: tuple[AnalyticsJobType, ...] = ()

    def lacking(self, empty: Collection[TopicKind]) -> tuple[TopicKind, ...]:
        """Which of the `empty` topics, that never had a record, an answer needs."""
        needed = tuple(kind for kind in self.topics if kind not in self.optional_topics)
        if not needed:
            return self.topics if set(self.topics) <= set(empty) else ()
        return tuple(kind for kind in needed if kind in empty)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a job's table lies.

    Attributes
    ----------
    partitions
        Columns that it is partitioned by.
    """

    partitions: tuple[str, ...] = ()


MergeRule = Callable[[str, str], Mapping[str, Column]]
"""From the aliases of table and update: the value of each column of a row that is there already."""


class Settled(NamedTuple):
    """Rows that housekeeping moves to another part of a table, and what it changes in them."""

    rows: Column
    changes: Mapping[str, Column]


@dataclass(frozen=True, slots=True)
class SecondSide:
    """What a job does with a second cluster (`Inputs.second_cluster`), when its run ends.

    Attributes
    ----------
    topics
        The platform's topics that it reads there.
    transform
        As `LatticeSink.transform`, of records of that cluster.
    compare
        Given what both clusters say of themselves and the table: rows of the table's schema, merged likewise.
    """

    topics: tuple[TopicKind, ...]
    transform: Callable[[DataFrame, JobInput], TransformResult]
    compare: Callable[[Comparison, DataFrame, JobInput], DataFrame]


@dataclass(frozen=True, slots=True)
class LatticeSink:
    """One row per key, which each batch is merged into.

    Attributes
    ----------
    keys
        The columns that identify a row.
    transform
        Pure: records to rows and rejected records. The same for batch and stream.
    merge
        Pure; commutative and associative, because batches come in any cut.
    expired
        Pure: given the input and the time, which rows housekeeping drops; absent where rows stay for ever.
    survey
        Given a survey of the Kafka cluster and the table: rows of the table's schema, merged likewise. It runs after
        each run that ends, and now and then in a stream. Absent where `Inputs.survey` is not asked for.
    unchanged
        Pure: given the aliases of table and update, whether the row may stay as it is for now, so that its file need
        not be written again. What it leaves out must come again with a later record, or not matter.
    combined
        Pure: given the table, the rows of a transform and the input, rows of the table's schema for their keys, which
        `merge` then writes. For what columns of two rows cannot say in SQL; the rows of the transform may then be of a
        schema of their own, with the keys. Absent where `merge` says all.
    settled
        Pure: given the input and the time, which rows housekeeping moves to a part of the table that batches leave
        alone. Only columns of `Layout.partitions` change, and a later record of the row changes them back.
    second
        What it does with a second cluster; absent where there is none.
    """

    keys: tuple[str, ...]
    transform: Callable[[DataFrame, JobInput], TransformResult]
    merge: MergeRule
    expired: Callable[[JobInput, datetime], Column] | None = None
    survey: Callable[[SparkSession, ClusterSurvey, DataFrame, JobInput], DataFrame] | None = None
    unchanged: Callable[[str, str], Column] | None = None
    combined: Callable[[DataFrame, DataFrame, JobInput], DataFrame] | None = None
    settled: Callable[[JobInput, datetime], Settled] | None = None
    second: SecondSide | None = None


@dataclass(frozen=True, slots=True)
class WindowsSink:
    """Facts, appended once each, and rows of windows, computed from the facts of a window whenever it is touched.

    Attributes
    ----------
    facts
        What one record says: `kwitness.jobs.frame.facts.EVENT_COLUMNS` first, then the job's own.
    decode
        Pure: records to the same records with three more columns, as `kwitness.jobs.frame.facts.decoded_facts` makes
        them: `row` of `facts`, `rejected` and `used`.
    windows
        Pure: all facts of some windows, without duplicates, to rows of those windows: `window_start_ms`, and all
        columns of the table that are the job's own. It passes over seals.
    longer
        Pure: rows of the table to rows of longer windows, in seconds, likewise.
    lengths
        Those longer lengths, in seconds.
    derived
        Pure: rows of whatever lengths, as `windows` and `longer` make them, to the same with columns that follow from
        the others of their row. They are computed once for all lengths, and `longer` does not see them. Absent where
        `windows` and `longer` make all columns.

    The job's parameters have `retention`, how long facts are kept, `grace`, how late a record may be before its window
    counts as closed: durations; and `keep`, how long windows are kept, by their length.
    """

    facts: StructType
    decode: Callable[[DataFrame, JobInput], DataFrame]
    windows: Callable[[DataFrame, JobInput], DataFrame]
    longer: Callable[[DataFrame, int, JobInput], DataFrame]
    lengths: tuple[int, ...] = (3600, 86_400)
    derived: Callable[[DataFrame, JobInput], DataFrame] | None = None


class TableInputs(NamedTuple):
    """What the periods of a `TableSink` are computed from, all of it as of one version each.

    Attributes
    ----------
    tables
        Other jobs' tables, by their types; of `Inputs.optional_tables` those that there are.
    samples
        Of `kwitness.jobs.frame.stored_samples.SAMPLES`, all that were taken; empty without `Inputs.survey`.
    keep
        Has Spark keep a frame that is used more than once, until the periods are written.
    """

    tables: Mapping[AnalyticsJobType, DataFrame]
    samples: DataFrame
    keep: Callable[[DataFrame], DataFrame]


class Computed(NamedTuple):
    """Periods that were computed.

    Attributes
    ----------
    rows
        All rows of them, of the table's schema.
    open
        Those that may still change though nothing in them does; they are computed with the next ones.
    """

    rows: DataFrame
    open: frozenset[str]


@dataclass(frozen=True, slots=True)
class TableSink:
    """Periods of time, such as months, each computed as a whole from other jobs' tables whenever those change in it.

    It is for jobs without topics. `Inputs.survey` has it take samples of the bytes that topics store.

    Attributes
    ----------
    period
        The column, of text, that names the period of a row; the table is partitioned by it.
    keys
        The columns that identify a row, with `period`.
    periods
        Pure: given days in UTC and the input, the periods that a part of them belongs to.
    compute
        Given what is read, some periods and the input. It writes nothing.
    costs
        Given what is read, the table and the input: what the status says of costs. It writes nothing. Absent where the
        table has none.
    """

    period: str
    keys: tuple[str, ...]
    periods: Callable[[Iterable[date], JobInput], tuple[str, ...]]
    compute: Callable[[TableInputs, tuple[str, ...], JobInput], Computed]
    costs: Callable[[TableInputs, DataFrame, JobInput], Costs | None] | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A job type.

    Attributes
    ----------
    name
        The `type` in `spec.analyses` of an AnalyticsJob.
    version
        Counted up when the same records would give other rows; part of `computed_by`.
    parameters
        The model of `parameters.<name>`.
    schema
        The columns of its Delta table, each with a comment, without `COMPUTED_BY`.
    display_columns
        What people see of the table, in order; the first five columns sort the lines.
    findings
        Pure: given the table, the input and the time in milliseconds since the epoch, what somebody should look at.
        Absent for jobs that only describe.
    """

    name: str
    inputs: Inputs
    parameters: type[BaseModel]
    schema: StructType
    sink: LatticeSink | WindowsSink | TableSink
    display_columns: tuple[DisplayColumn, ...]
    layout: Layout = Layout()
    findings: Callable[[DataFrame, JobInput, int], Findings] | None = None
    version: int = 1

    @property
    def computed_by(self) -> str:
        """What `COMPUTED_BY` says in rows of this version."""
        return f"{self.name}/{self.version}"
