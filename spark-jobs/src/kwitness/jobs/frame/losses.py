"""The table of records that were gone before they were read, so that a restarted driver still knows them."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import SparkSession
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from kwitness.jobs.frame.delta_table import JobTable, keep_first
from kwitness.jobs.frame.offsets import DataLoss, distinct

LOSS_SCHEMA = StructType(
    [
        StructField("topic", StringType(), False, {"comment": "Whose records they were."}),
        StructField("partition", IntegerType(), False, {"comment": "The partition."}),
        StructField("first_offset", LongType(), False, {"comment": "The first that was gone."}),
        StructField("last_offset", LongType(), False, {"comment": "The last that was gone."}),
        StructField("reason", StringType(), False, {"comment": "Expired, CheckpointLost or TopicRecreated."}),
    ]
)


class LossTable:
    """Lost ranges, written once each. The table is made with the first."""

    def __init__(self, session: SparkSession, path: str) -> None:
        self._session = session
        self._table = JobTable(session, path, LOSS_SCHEMA, LOSS_SCHEMA.names)

    def add(self, losses: Iterable[DataLoss]) -> None:
        """Write ranges that are not there yet."""
        rows = [(one.topic, one.partition, one.first_offset, one.last_offset, one.reason) for one in losses]
        if rows:
            self._table.ensure()
            self._table.merge(self._session.createDataFrame(rows, LOSS_SCHEMA), keep_first, {})

    def read(self) -> list[DataLoss]:
        """All ranges, in order."""
        if not self._table.exists():
            return []
        frame = self._session.read.format("delta").load(self._table.path)
        return distinct(DataLoss(**row.asDict()) for row in frame.collect())
