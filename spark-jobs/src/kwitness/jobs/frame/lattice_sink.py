"""One table with a row per key, which every batch is merged into."""

from __future__ import annotations

from datetime import datetime

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import StructType

from kwitness.jobs.frame.cluster_survey import ClusterSurvey
from kwitness.jobs.frame.delta_table import JobTable, second_positions_in
from kwitness.jobs.frame.job import COMPUTED_BY, Job, JobInput, LatticeSink, SecondSide, TopicKind
from kwitness.jobs.frame.offsets import Positions
from kwitness.jobs.frame.second_cluster import Comparison
from kwitness.jobs.frame.sink import Reading


class LatticeTable:
    """The table of a job whose sink is a `LatticeSink`.

    Parameters
    ----------
    path
        Of the Delta table.
    """

    def __init__(self, session: SparkSession, job: Job, sink: LatticeSink, job_input: JobInput, path: str) -> None:
        self._session = session
        self._job = job
        self._sink = sink
        self._input = job_input
        schema = StructType([*job.schema.fields, COMPUTED_BY])
        self.table = JobTable(session, path, schema, sink.keys, partitions=job.layout.partitions)
        self._second: Positions = {}

    def prepare(self) -> None:
        """Make the table, or add the columns of this version."""
        self.table.ensure()
        self._second = second_positions_in(self.table.metadata())

    def positions(self) -> Positions:
        """To where in Kafka records are in the table."""
        return self.table.positions()

    def read(self, records: DataFrame) -> Reading:
        """Decode records."""
        found = self._sink.transform(records, self._input)
        return Reading(found.decoded, lambda end: self.merge(self._combined(found.rows), end))

    def merge(self, rows: DataFrame, positions: Positions) -> None:
        """Merge rows of the job's schema, at most one per key."""
        computed_by = F.lit(self._job.computed_by)
        named = rows.withColumn(COMPUTED_BY.name, computed_by)
        self.table.merge(
            named,
            lambda table, update: {**self._sink.merge(table, update), COMPUTED_BY.name: computed_by},
            positions,
            unchanged=self._sink.unchanged,
            second=self._second,
        )

    @property
    def second_positions(self) -> Positions:
        """To where in the second cluster records are in the table."""
        return self._second

    def read_second(self, records: DataFrame, second: Positions) -> Reading:
        """Decode records of the second cluster; written, the commit says to where there it was read."""
        side = self._side
        found = side.transform(records, self._input)

        def write(positions: Positions) -> None:
            self._second = second
            self.merge(self._combined(found.rows), positions)

        return Reading(found.decoded, write)

    def compare(self, comparison: Comparison, positions: Positions) -> None:
        """Merge what a comparison of both clusters says."""
        self.merge(self._side.compare(comparison, self.table.frame(), self._input), positions)

    @property
    def second_kinds(self) -> tuple[TopicKind, ...]:
        """Topics of the platform that are read in the second cluster."""
        return self._sink.second.topics if self._sink.second else ()

    @property
    def _side(self) -> SecondSide:
        if self._sink.second is None:
            raise ValueError(f"{self._job.name} has no second cluster")
        return self._sink.second

    def _combined(self, rows: DataFrame) -> DataFrame:
        if self._sink.combined is None:
            return rows
        # In the session of the batch, and as the commit before has left it.
        table = rows.sparkSession.read.format("delta").load(self.table.path)
        return self._sink.combined(table, rows, self._input)

    def survey(self, asked: ClusterSurvey, positions: Positions) -> None:
        """Merge what the cluster says of itself; `positions` are those that the table has come to."""
        if self._sink.survey is not None:
            self.merge(self._sink.survey(self._session, asked, self.table.frame(), self._input), positions)

    def tidy(self, now: datetime) -> None:
        """Drop expired rows, write small files together."""
        settled = self._sink.settled(self._input, now) if self._sink.settled else None
        self.table.tidy(self._sink.expired(self._input, now) if self._sink.expired else None, settled)
