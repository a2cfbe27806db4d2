"""Samples of the bytes that topics store: taken from surveys of the cluster, appended once each, and kept."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import DateType, LongType, MapType, StringType, StructField, StructType

from kwitness.jobs.frame.columns import column
from kwitness.jobs.frame.delta_table import JobTable
from kwitness.jobs.frame.facts import day_of
from kwitness.jobs.frame.moments import now_ms

SAMPLES = StructType(
    [
        StructField("day", DateType(), nullable=False, metadata={"comment": "Of sampled_ms, in UTC."}),
        column("sampled_ms", LongType(), "When brokers were asked, ms since the epoch.", nullable=False),
        column(
            "stored_bytes",
            MapType(StringType(), LongType()),
            "By topic: bytes on the disks of brokers, all replicas.",
            nullable=False,
        ),
    ]
)
"""A row for each time that brokers were asked and all answered."""

_SAMPLED = "sampled_ms"


class StoredSamples:
    """The table of samples of one job.

    Parameters
    ----------
    path
        Of the Delta table.
    """

    def __init__(self, session: SparkSession, path: str) -> None:
        self._session = session
        self._latest: int | None = None
        self.table = JobTable(session, path, SAMPLES, (_SAMPLED,), partitions=("day",))

    def add(self, sampled_ms: int, stored: Mapping[str, int]) -> None:
        """Append a sample; one that is not newer than the last is left out, so that each counts once.

        Parameters
        ----------
        stored
            Bytes by topic.
        """
        if self._latest is None:
            self._latest = int(self.table.metadata().get(_SAMPLED, -1))
        if sampled_ms <= self._latest:
            return
        rows = [(day_of(sampled_ms), sampled_ms, dict(stored))]
        self.table.append(self._session.createDataFrame(rows, SAMPLES), {_SAMPLED: sampled_ms})
        self._latest = sampled_ms

    def tidy(self) -> None:
        """Write small files of days that are over together; nothing is dropped."""
        self.table.tidy(None, compacted=f"day < DATE'{day_of(now_ms())}'")


def sample_times(samples: DataFrame, start_ms: int, end_ms: int) -> list[int]:
    """When samples were taken that say something of a span: those in it, the last one before, the first one after."""
    at = F.col(_SAMPLED)
    found = samples.agg(
        F.collect_set(F.when(at.between(start_ms, end_ms), at)).alias("inside"),
        F.max(F.when(at < start_ms, at)).alias("before"),
        F.min(F.when(at > end_ms, at)).alias("after"),
    ).collect()[0]
    return sorted({*found["inside"], *(one for one in (found["before"], found["after"]) if one is not None)})
