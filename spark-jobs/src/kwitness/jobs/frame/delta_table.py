"""The Delta table of a job and the one of its quarantine: made, written so that repeating does nothing, tidied."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from delta.tables import DeltaTable
from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
from pyspark.sql.types import StructType

from kwitness.jobs.frame.hadoop_files import HadoopFiles
from kwitness.jobs.frame.job import MergeRule
from kwitness.jobs.frame.offsets import Positions, from_json, to_json

_PROPERTIES = {
    # Readers without a JVM know the oldest protocol best, and a small table gains nothing from the newer ones.
    "delta.enableDeletionVectors": "false",
    "delta.minReaderVersion": "1",
    "delta.minWriterVersion": "2",
    "delta.checkpointInterval": "20",
    "delta.logRetentionDuration": "interval 2 days",
    "delta.deletedFileRetentionDuration": "interval 1 days",
}
#: Commits that are searched for positions; each batch writes them, housekeeping's do not have any.
_SEARCHED_COMMITS = 50
_METADATA = "spark.databricks.delta.commitInfo.userMetadata"


class TableSchemaError(ValueError):
    """A table is there and has other columns than the job writes."""


class JobTable:
    """One Delta table, found by its path.

    Parameters
    ----------
    keys
        The columns that identify a row.
    partitions
        The columns that a new table is partitioned by.
    """

    def __init__(
        self,
        session: SparkSession,
        path: str,
        schema: StructType,
        keys: Sequence[str],
        *,
        partitions: Sequence[str] = (),
    ) -> None:
        self._session = session
        self._schema = schema
        self._keys = tuple(keys)
        self._partitions = tuple(partitions)
        self._files = HadoopFiles(session)
        self.path = self._files.normal(path)

    def exists(self) -> bool:
        """Whether the table was made."""
        return bool(DeltaTable.isDeltaTable(self._session, self.path))

    def ensure(self) -> None:
        """Make the table, or add columns that a newer version of the job has.

        Raises
        ------
        TableSchemaError
            The path holds another table.
        """
        builder = DeltaTable.createIfNotExists(self._session).location(self.path).addColumns(self._schema)
        if not self.exists():
            if self._partitions:
                builder = builder.partitionedBy(*self._partitions)
            for key, value in _PROPERTIES.items():
                builder = builder.property(key, value)
            builder.execute()
            return
        there = {field.name: field.dataType for field in self._open(self._session).toDF().schema}
        wanted = {field.name: field.dataType for field in self._schema}
        other = [name for name, kind in there.items() if name in wanted and wanted[name] != kind]
        if other or not set(self._keys) <= set(there):
            raise TableSchemaError(
                f"{self.path} holds a table with other columns ({', '.join(other) or 'without the keys'}): "
                "give the job another table"
            )
        added = [field for field in self._schema if field.name not in there]
        if added:
            declared = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in added)
            self._session.sql(f"ALTER TABLE delta.`{self.path}` ADD COLUMNS ({declared})")

    def merge(
        self,
        rows: DataFrame,
        rule: MergeRule,
        positions: Positions,
        *,
        unchanged: Callable[[str, str], Column] | None = None,
    ) -> None:
        """Merge rows, at most one per key; the commit says to which positions in Kafka it belongs.

        Rows of which `unchanged`, given the aliases of table and update, is true stay as they are.
        """
        session = rows.sparkSession
        merging = (
            self._open(session)
            .alias("table")
            .merge(rows.alias("update"), " AND ".join(f"table.{key} <=> update.{key}" for key in self._keys))
        )
        changed: dict[str, str | Column] = dict(rule("table", "update"))
        if changed:
            condition = None if unchanged is None else ~unchanged("table", "update")
            merging = merging.whenMatchedUpdate(condition, set=changed)
        session.conf.set(_METADATA, json.dumps(metadata_of(positions)))
        try:
            merging.whenNotMatchedInsertAll().execute()
        finally:
            session.conf.unset(_METADATA)

    def append(self, rows: DataFrame, metadata: Mapping[str, Any]) -> None:
        """Add rows; the commit carries the metadata."""
        self._written(rows, metadata).mode("append").save(self.path)

    def replace(self, rows: DataFrame, condition: str, metadata: Mapping[str, Any]) -> None:
        """Put rows into the place of those that meet a condition, which they meet as well; in one commit."""
        self._written(rows, metadata).mode("overwrite").option("replaceWhere", condition).save(self.path)

    def frame(self) -> DataFrame:
        """All rows."""
        return self._open(self._session).toDF()

    def version(self) -> int | None:
        """The version written last; None before the first."""
        if not self.exists():
            return None
        # Names of commits are versions; asking Delta for its history would be a Spark job after each batch.
        names = self._files.names(f"{self.path}/_delta_log")
        return max(int(name.removesuffix(".json")) for name in names if re.fullmatch(r"\d{20}\.json", name))

    def positions(self) -> Positions:
        """The positions in Kafka that the latest commit with any belongs to; empty if there is none."""
        return positions_in(self.metadata())

    def metadata(self) -> dict[str, Any]:
        """What the latest commit that carries any metadata carries; empty if there is none."""
        if not self.exists():
            return {}
        for commit in self._open(self._session).history(_SEARCHED_COMMITS).select("userMetadata").collect():
            if commit["userMetadata"]:
                found: dict[str, Any] = json.loads(commit["userMetadata"])
                return found
        return {}

    def tidy(self, expired: Column | None, *, compacted: str | None = None) -> None:
        """Drop expired rows, write small files together, remove files that no reader needs any more.

        Parameters
        ----------
        compacted
            A condition on partition columns: only the files of those partitions are written together.
        """
        table = self._open(self._session)
        if expired is not None:
            table.delete(expired)
        small = table.optimize()
        (small if compacted is None else small.where(compacted)).executeCompaction()
        table.vacuum()

    def _open(self, session: SparkSession) -> DeltaTable:
        return DeltaTable.forPath(session, self.path)

    def _written(self, rows: DataFrame, metadata: Mapping[str, Any]) -> DataFrameWriter:
        # Each partition's rows into as few files as their size asks for.
        gathered = rows.hint("rebalance", *self._partitions)
        return gathered.write.format("delta").option("userMetadata", json.dumps(metadata))


def metadata_of(positions: Positions) -> dict[str, Any]:
    """What a commit carries that belongs to these positions in Kafka."""
    return {"positions": json.loads(to_json(positions))}


def positions_in(metadata: Mapping[str, Any]) -> Positions:
    """The positions in Kafka that a commit's metadata holds."""
    return from_json(json.dumps(metadata.get("positions", {})))


def keep_first(table: str, update: str) -> Mapping[str, Column]:
    """The merge rule of rows that never change once they are there."""
    del table, update
    return {}
