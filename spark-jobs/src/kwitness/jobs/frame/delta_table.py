"""The Delta table of a job and the one of its quarantine: made, written so that repeating does nothing, tidied."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from delta.tables import DeltaTable
from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import StructType

from kwitness.jobs.frame.commit_notes import EXPIRED, note_in
from kwitness.jobs.frame.hadoop_files import HadoopFiles
from kwitness.jobs.frame.job import MergeRule, Settled
from kwitness.jobs.frame.offsets import Positions, from_json, to_json
from kwitness.jobs.frame.table_schema import missing_fields, other_fields

_LOG = logging.getLogger(__name__)
_PROPERTIES = {
    # Readers without a JVM know the oldest protocol best, and a small table gains nothing from the newer ones.
    "delta.enableDeletionVectors": "false",
    "delta.checkpointInterval": "20",
    "delta.logRetentionDuration": "interval 2 days",
    # Each batch writes files again; whoever still reads one that was replaced has so long to end.
    "delta.deletedFileRetentionDuration": "interval 2 hours",
}
#: Cannot be lowered, so a table that is there keeps its own.
_PROTOCOL = {"delta.minReaderVersion": "1", "delta.minWriterVersion": "2"}
_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
_SKIP_EMPTY = "spark.databricks.delta.skipRecordingEmptyCommits"


class TableSchemaError(ValueError):
    """A table is there and has other columns than the job writes."""


class TableHistoryError(ValueError):
    """To where a table was read is not known any more."""


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

    def ensure(self) -> bool:
        """Make the table, or give it the columns and properties that this version has and it lacks.

        How an existing table is partitioned stays as it is. The result is whether it was made.

        Raises
        ------
        TableSchemaError
            The path holds another table.
        """
        if not self.exists():
            builder = DeltaTable.createIfNotExists(self._session).location(self.path).addColumns(self._schema)
            if self._partitions:
                builder = builder.partitionedBy(*self._partitions)
            for key, value in (_PROPERTIES | _PROTOCOL).items():
                builder = builder.property(key, value)
            builder.execute()
            return True
        table = self._open(self._session)
        there = table.toDF().schema
        other = other_fields(there, self._schema)
        if other or not set(self._keys) <= set(there.names):
            raise TableSchemaError(
                f"{self.path} holds a table with other columns ({', '.join(other) or 'without the keys'}): "
                "give the job another table"
            )
        stated = self._snapshot().metadata()
        if added := missing_fields(there, self._schema):
            self._alter(f"ADD COLUMNS ({', '.join(field.declared for field in added)})")
        if changed := {key: value for key, value in _PROPERTIES.items() if not _has(stated, key, value)}:
            pairs = ", ".join(f"'{key}' = '{value}'" for key, value in changed.items())
            self._alter(f"SET TBLPROPERTIES ({pairs})")
        if (partitions := str(stated.partitionColumns().mkString(", "))) != ", ".join(self._partitions):
            _LOG.info(
                "%s is partitioned by (%s), a new table would be by (%s): batches write more, nothing is wrong",
                self.path,
                partitions,
                ", ".join(self._partitions),
            )
        return False

    def merge(
        self,
        rows: DataFrame,
        rule: MergeRule,
        positions: Positions,
        *,
        unchanged: Callable[[str, str], Column] | None = None,
        second: Positions | None = None,
    ) -> None:
        """Merge rows, at most one per key; the commit says to which positions in Kafka it belongs, of both clusters.

        Rows of which `unchanged`, given the aliases of table and update, is true stay as they are.
        """
        session = rows.sparkSession
        table = self._open(session)
        if unchanged is not None:
            # Left out here and not in the merge, which would write the files of all rows that it finds again.
            rows = self._changing(rows, table.toDF(), unchanged)
        merging = table.alias("table").merge(rows.alias("update"), self._same_key)
        changed: dict[str, str | Column] = dict(rule("table", "update"))
        if changed:
            merging = merging.whenMatchedUpdate(set=changed)
        with _commits_with(session, metadata_of(positions, second), skip_empty=False):
            merging.whenNotMatchedInsertAll().execute()

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
        # What Delta knows since this process's last commit; it lists no folder and runs no job.
        return int(self._log().unsafeVolatileSnapshot().version())

    def positions(self) -> Positions:
        """The positions in Kafka that the latest commit with any belongs to; empty if there is none."""
        return positions_in(self.metadata())

    def metadata(self) -> dict[str, Any]:
        """What the latest commit of a job carries; empty if there is none. Commits of other writers are passed over.

        Raises
        ------
        TableHistoryError
            The log has no such commit any more.
        """
        if not self.exists():
            return {}
        newest = int(self._snapshot().version())
        has_empty_note = False
        for version in range(newest, -1, -1):
            try:
                note = note_in(self._files.read_text(f"{self.path}/_delta_log/{version:020d}.json").splitlines())
            except FileNotFoundError:
                break
            if note:
                return note
            has_empty_note |= note is not None
        else:
            return {}
        if has_empty_note:
            # Housekeeping of a table that has no batch writes such notes.
            return {}
        raise TableHistoryError(
            f"{self.path}: no commit from version {version + 1} to {newest} is of a batch, "
            "so others wrote to the table until the log forgot to where it was read: restore a version that a job "
            "wrote, or give the job another table"
        )

    def tidy(self, expired: Column | None, settled: Settled | None = None, *, compacted: str | None = None) -> None:
        """Drop expired rows, move settled ones, write small files together, remove files that no reader needs.

        Parameters
        ----------
        compacted
            A condition on partition columns: only the files of those partitions are written together.
        """
        table = self._open(self._session)
        # Housekeeping goes on while no records come; its commits must not push what they say out of sight.
        note = {name: value for name, value in self.metadata().items() if name != EXPIRED}
        if expired is not None:
            with _commits_with(self._session, note | {EXPIRED: True}):
                table.delete(expired)
        with _commits_with(self._session, note):
            if settled is not None:
                table.update(settled.rows, dict(settled.changes))
            small = table.optimize()
            (small if compacted is None else small.where(compacted)).executeCompaction()
            table.vacuum()

    def _changing(self, rows: DataFrame, table: DataFrame, unchanged: Callable[[str, str], Column]) -> DataFrame:
        """Rows that are new, or of which more is said than the table has."""
        found = rows.alias("update").join(table.alias("table"), F.expr(self._same_key), "left")
        is_new = F.col(f"table.{self._keys[0]}").isNull() & F.col(f"update.{self._keys[0]}").isNotNull()
        return found.where(is_new | ~F.coalesce(unchanged("table", "update"), F.lit(False))).select("update.*")

    @property
    def _same_key(self) -> str:
        return " AND ".join(f"table.{key} <=> update.{key}" for key in self._keys)

    def _alter(self, change: str) -> None:
        self._session.sql(f"ALTER TABLE delta.`{self.path}` {change}")

    def _log(self) -> Any:
        # Delta has no public way to ask for version, properties and partitions that runs no job.
        jvm: Any = self._session.sparkContext._jvm  # noqa: SLF001
        return jvm.org.apache.spark.sql.delta.DeltaLog.forTable(self._session._jsparkSession, self.path)  # noqa: SLF001

    def _snapshot(self) -> Any:
        """Read what the log holds now, with the commits of other writers."""
        log = self._log()
        # The rest are Scala's defaults.
        return log.update(False, *(getattr(log, f"update$default${at}")() for at in (2, 3)))

    def _open(self, session: SparkSession) -> DeltaTable:
        return DeltaTable.forPath(session, self.path)

    def _written(self, rows: DataFrame, metadata: Mapping[str, Any]) -> DataFrameWriter:
        # Each partition's rows into as few files as their size asks for.
        gathered = rows.hint("rebalance", *self._partitions)
        return gathered.write.format("delta").option("userMetadata", json.dumps(metadata))


def _has(stated: Any, key: str, value: str) -> bool:
    """Return whether a table's metadata, as Delta holds it in Java, has a property."""
    found = stated.configuration().get(key)
    return bool(found.isDefined() and found.get() == value)


def metadata_of(positions: Positions, second: Positions | None = None) -> dict[str, Any]:
    """What a commit carries that belongs to these positions in Kafka, and to those in a second cluster."""
    of_second = {"second": json.loads(to_json(second))} if second else {}
    return {"positions": json.loads(to_json(positions)), **of_second}


def positions_in(metadata: Mapping[str, Any]) -> Positions:
    """The positions in Kafka that a commit's metadata holds."""
    return from_json(json.dumps(metadata.get("positions", {})))


def second_positions_in(metadata: Mapping[str, Any]) -> Positions:
    """The positions in a second cluster that a commit's metadata holds."""
    return from_json(json.dumps(metadata.get("second", {})))


@contextmanager
def _commits_with(session: SparkSession, metadata: Mapping[str, Any], *, skip_empty: bool = True) -> Iterator[None]:
    """Commits of this session carry the metadata; what changes no row is one as well, or is none."""
    session.conf.set(_METADATA, json.dumps(metadata))
    session.conf.set(_SKIP_EMPTY, str(skip_empty).lower())
    try:
        yield
    finally:
        session.conf.unset(_METADATA)
        session.conf.unset(_SKIP_EMPTY)


def keep_first(table: str, update: str) -> Mapping[str, Column]:
    """The merge rule of rows that never change once they are there."""
    del table, update
    return {}
