"""The Delta table of another job, read as of one version."""

from __future__ import annotations

from datetime import date
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, SparkSession

from kwitness.jobs.frame.delta_changes import changed_days
from kwitness.jobs.frame.hadoop_files import HadoopFiles


class TableVersion(NamedTuple):
    """Which table at which version; a table that was removed and made again has another id."""

    id: str
    version: int


class InputTable:
    """One table, found by its path, which somebody else writes meanwhile.

    Parameters
    ----------
    path
        Of a Delta table that is partitioned by `day`.
    """

    def __init__(self, session: SparkSession, path: str) -> None:
        self._session = session
        self._files = HadoopFiles(session)
        self.path = self._files.normal(path)

    def present(self) -> TableVersion | None:
        """The version that it has now; None before the first."""
        # Delta has no public way to ask for version and id alone; what is public runs jobs for it.
        jvm: Any = self._session.sparkContext._jvm  # noqa: SLF001
        log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(self._session._jsparkSession, self.path)  # noqa: SLF001
        # What others wrote meanwhile is read; the rest are Scala's defaults.
        snapshot = log.update(False, *(getattr(log, f"update$default${at}")() for at in (2, 3)))
        version = int(snapshot.version())
        return TableVersion(str(snapshot.metadata().id()), version) if version >= 0 else None

    def at(self, version: TableVersion) -> DataFrame:
        """All rows as of a version."""
        return self._session.read.format("delta").option("versionAsOf", version.version).load(self.path)

    def days(self, version: TableVersion) -> frozenset[date]:
        """All days that there are rows of."""
        return frozenset(row[0] for row in self.at(version).select("day").distinct().collect())

    def changed(self, since: TableVersion | None, until: TableVersion) -> frozenset[date]:
        """Days with a row that was added or removed after one version and up to another.

        All days where that cannot be told: before the first version, of another table, of a log that is gone.
        """
        if since is None or since.id != until.id or since.version > until.version:
            return self.days(until)
        found = changed_days(self._files, self.path, since.version, until.version)
        return self.days(until) if found is None else found
