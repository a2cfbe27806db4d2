"""Opens the tables of AnalyticsJobs, wherever they are: in an object store, on a claim, or at a running driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.failure import CommandFailedError, WrongUseError
from kwitness.answers.tables.delta_tables import distinct_name, filtered, open_table, require_libraries
from kwitness.answers.tables.driver_rows import DriverAccess
from kwitness.answers.tables.job_tables import JobTable, find_job_table

__all__ = ["FoundRows", "TablesOfJobs"]


class FoundRows(NamedTuple):
    """A dataset of Arrow, how many rows of the table it does not have, and what of the driver's bounds is why."""

    dataset: Any
    left_out: int = 0
    reason: str | None = None


class TablesOfJobs:
    """Opens tables by the names of their jobs, as `find_job` takes them."""

    def __init__(self, access: ClusterAccess, drivers: DriverAccess) -> None:
        self._access = access
        self._drivers = drivers

    def table(self, job: str) -> Any:
        """Return a table with its past, a `deltalake.DeltaTable`.

        Raises
        ------
        CommandFailedError
            This machine does not reach it.
        """
        found = find_job_table(self._access, job)
        if found.path is None:
            raise CommandFailedError(
                f"the table of AnalyticsJob {found.job.metadata.name} is on a claim, and its driver gives rows of the "
                "newest version alone: mount the claim and give the path, as docs/guides/inventory.md#between-runs "
                "has it"
            )
        return open_table(found.path)

    def first_rows(
        self, job: str, limit: int, columns: Sequence[str], where: Sequence[str], version: int | None
    ) -> FoundRows:
        """Return a dataset with at least so many rows of a table for which conditions hold, where it has them.

        Raises
        ------
        WrongUseError
            An older version is requested, and only the driver has the table.
        CommandFailedError
            The table cannot be read.
        """
        found = find_job_table(self._access, job)
        if found.path is not None:
            return FoundRows(filtered(open_table(found.path, version), where))
        if version is not None:
            raise WrongUseError(
                f"--version {version}: the table of AnalyticsJob {found.job.metadata.name} is read through its driver, "
                "which has the newest version alone"
            )
        return self._from_driver(found, limit, columns, where)

    def datasets(self, jobs: Sequence[str], columns: Sequence[str], where: Sequence[str]) -> dict[str, Any]:
        """Return datasets with all rows for which conditions hold, by the names of tables.

        Parameters
        ----------
        columns
            Those that a driver is asked for.

        Raises
        ------
        CommandFailedError
            A table cannot be read, or a driver does not give all rows of it: answers to SQL would be wrong.
        """
        datasets: dict[str, Any] = {}
        for job in dict.fromkeys(jobs):
            found = find_job_table(self._access, job)
            name = distinct_name(found.name, datasets)
            if found.path is not None:
                datasets[name] = filtered(open_table(found.path), where)
                continue
            rows = self._from_driver(found, None, columns, where)
            if rows.left_out:
                count = rows.dataset.count_rows()
                raise CommandFailedError(
                    f"the table of AnalyticsJob {found.job.metadata.name} has {count + rows.left_out:,} such rows, of "
                    f"which its driver gives {count:,} ({rows.reason}), and SQL upon a part would be wrong: ask for "
                    "fewer by --where, such as 'day >= 2026-11-29', or for fewer --columns where rows are wide, or "
                    "mount the claim and give the folder (docs/guides/tables.md#through-the-driver)"
                )
            datasets[name] = rows.dataset
        return datasets

    def _from_driver(
        self, found: JobTable, limit: int | None, columns: Sequence[str], where: Sequence[str]
    ) -> FoundRows:
        require_libraries()
        from pyarrow.dataset import dataset  # noqa: PLC0415 - of the extra `tables`

        answer = self._drivers.rows(found.job, limit=limit, columns=columns, where=where)
        return FoundRows(dataset(answer.rows), answer.end.left_out, answer.end.reason)
