"""Samples of the bytes that topics store: taken from surveys of the cluster, appended once each, and kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import DateType, LongType, StringType, StructField, StructType

from kwitness.jobs.frame.columns import column
from kwitness.jobs.frame.delta_table import JobTable
from kwitness.jobs.frame.facts import day_of
from kwitness.jobs.frame.moments import now_ms

SAMPLES = StructType(
    [
        StructField("day", DateType(), nullable=False, metadata={"comment": "Of sampled_ms, in UTC."}),
        column("sampled_ms", LongType(), "When brokers were asked, ms since the epoch.", nullable=False),
        column("topic", StringType(), "Topic.", nullable=False),
        column("stored_bytes", LongType(), "Bytes on the disks of brokers, all replicas.", nullable=False),
    ]
)
"""A row for each topic that brokers had at the time; a sample without any row is none."""

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
        self.table = JobTable(session, path, SAMPLES, ("sampled_ms", "topic"), partitions=("day",))

    def add(self, sampled_ms: int, stored: Mapping[str, int]) -> None:
        """Append a sample; one that is not newer than the last is left out, so that each counts once.

        Parameters
        ----------
        stored
            Bytes by topic.
        """
        if not stored or sampled_ms <= self.table.metadata().get(_SAMPLED, -1):
            return
        day = day_of(sampled_ms)
        rows = [(day, sampled_ms, topic, size) for topic, size in sorted(stored.items())]
        self.table.append(self._session.createDataFrame(rows, SAMPLES), {_SAMPLED: sampled_ms})

    def tidy(self) -> None:
        """Write small files of days that are over together; nothing is dropped."""
        self.table.tidy(None, compacted=f"day < DATE'{day_of(now_ms())}'")


def sample_times(samples: DataFrame, start_ms: int, end_ms: int) -> list[int]:
    """When samples were taken that say something of a span: those in it, the last one before, the first one after."""
    at = F.col(_SAMPLED)
    # By day first, since files are pruned by it.
    low, high = day_of(max(0, start_ms)), day_of(end_ms)
    days = F.col("day").between(low, high)
    inside: list[Any] = samples.where(days & at.between(start_ms, end_ms)).select(_SAMPLED).distinct().collect()
    before = samples.where((F.col("day") <= low) & (at < start_ms)).agg(F.max(at)).collect()[0][0]
    after = samples.where((F.col("day") >= high) & (at > end_ms)).agg(F.min(at)).collect()[0][0]
    return sorted({row[0] for row in inside} | {one for one in (before, after) if one is not None})
