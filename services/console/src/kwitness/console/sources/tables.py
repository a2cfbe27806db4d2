"""The source of the tables of analyses: reads a table when it has a new version, in a process of its own."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from kwitness.answers.failure import CommandFailedError
from kwitness.console.index.analyses import ANALYSES, JOB_TABLES, Analysis
from kwitness.console.index.database import Database, IndexFullError
from kwitness.console.index.past_traffic import PAST_TYPE
from kwitness.console.sources.found_tables import FoundTable, without_twice_found
from kwitness.console.sources.source import Source, SourceState
from kwitness.console.sources.tables_process import Reading, ReadTable, read_in_process
from kwitness.contracts.spelling import quantity

__all__ = ["MOST_TABLES", "TableSources"]

MOST_TABLES: Final = 16
"""Tables of a type that are read."""
_RETRY_S: Final = 600.0
"""Seconds until a version that could not be read is read again: a store may have been away."""
_BY_TYPE: Final[Mapping[str, Analysis]] = {analysis.job_type: analysis for analysis in ANALYSES}


@dataclass(slots=True)
class _Known:
    """A table as its last read found it."""

    commit: tuple[Any, ...] | None
    read_at: float
    job_type: str | None = None
    facts: Mapping[str, Any] | None = None
    problem: str | None = None


class TableSources:
    """All tables of analyses that the console finds.

    Attributes
    ----------
    states
        The state of each type, by the name of its table in the index.
    source
        Reads all of them.
    past_tables
        Tables of Traffic that were found, whose hours are read when a page shows one.

    Parameters
    ----------
    places
        Find tables, each in a place: a folder, the AnalyticsJobs of a cluster.
    read
        Reads tables.
    """

    def __init__(
        self,
        places: Sequence[Callable[[], list[FoundTable]]],
        database: Database,
        changed: Callable[[], None],
        read: Callable[[Sequence[Mapping[str, str]]], Reading] = read_in_process,
    ) -> None:
        self.states = {analysis.name: SourceState(analysis.title) for analysis in ANALYSES}
        self.source = Source("tables", self._read, changed=changed, worked_beside=lambda: self._worked_s)
        self._places = places
        self._database = database
        self._read_tables = read
        self._known: dict[str, _Known] = {}
        self._worked_s = 0.0
        self.past_tables: Sequence[FoundTable] = ()

    def _read(self) -> Sequence[str]:
        """Read tables that have new versions; states of types have what is lacking."""
        began_ms, self._worked_s = int(time.time() * 1000), 0.0
        found, failures = self._found()
        if failures and len(failures) == len(self._places):
            return self._failed("; ".join(failures))
        for job in self._known.keys() - {table.job for table in found}:
            self._forget(job)
        due = [table for table in found if self._is_due(table)]
        try:
            if due:
                self._read_all(due)
            self._database.write(JOB_TABLES.filled(json.dumps([*self._rows(found)])))
        except IndexFullError as error:
            return self._failed(str(error))
        self.past_tables = [table for table in found if self._type_of(table) == PAST_TYPE]
        for name, state in self.states.items():
            state.as_of_ms, state.problem = began_ms, None
            state.lacks = (*failures, *self._lacks(name, found))
        return []

    def _failed(self, problem: str) -> Sequence[str]:
        for state in self.states.values():
            state.problem = problem
        raise CommandFailedError(problem)

    def _found(self) -> tuple[list[FoundTable], list[str]]:
        tables: list[FoundTable] = []
        failures = []
        for find in self._places:
            try:
                tables += find()
            except CommandFailedError as error:
                failures.append(str(error))
        return without_twice_found(tables), failures

    def _type_of(self, table: FoundTable) -> str | None:
        known = self._known.get(table.job)
        return table.facts.get("type") or (known.job_type if known else None)

    def _is_due(self, table: FoundTable) -> bool:
        """Return whether a table has a version that was not read, and it is time to read it."""
        if table.commit is None or table.path is None or table.facts.get("type") == PAST_TYPE:
            return False
        known = self._known.get(table.job)
        if known is None:
            return True
        passed_s = time.monotonic() - known.read_at
        if known.commit == table.commit:
            return known.problem is not None and passed_s >= _RETRY_S
        # Of other types: whether it was replaced by another table is known by the file of its log alone.
        analysis = _BY_TYPE.get(self._type_of(table) or "")
        return passed_s >= (analysis.period_s if analysis else _RETRY_S)

    def _read_all(self, due: Sequence[FoundTable]) -> None:
        counts: dict[str | None, int] = {}
        requests = []
        for table in due:
            job_type = self._type_of(table)
            counts[job_type] = counts.get(job_type, 0) + 1
            if job_type is None or counts[job_type] <= MOST_TABLES:
                requests.append(table)
        reading = self._read_tables([{"job": table.job, "path": table.path or ""} for table in requests])
        self._worked_s = reading.worked_s
        for table, answer in zip(requests, reading.tables, strict=False):
            self._keep(table, answer)
        if reading.ended is not None and len(reading.tables) < len(requests):
            # Tables after it are read the next time.
            at_fault = requests[len(reading.tables)]
            self._note(at_fault, None, reading.ended)

    def _keep(self, table: FoundTable, answer: ReadTable) -> None:
        facts = answer.facts
        analysis = _BY_TYPE.get(facts["type"] or "")
        problem = facts.get("problem")
        if problem is None and analysis is not None:
            try:
                self._database.write(*_replaced(analysis, table.job, answer.rows))
            except duckdb.Error as error:
                problem = f"its rows are not as this release of kwitness has them ({error}): update the console"
        self._note(table, facts if problem is None else None, problem)

    def _note(self, table: FoundTable, facts: Mapping[str, Any] | None, problem: str | None) -> None:
        before = self._known.get(table.job)
        self._known[table.job] = _Known(
            table.commit,
            time.monotonic(),
            facts["type"] if facts else self._type_of(table),
            facts or (before.facts if before else None),
            problem,
        )

    def _forget(self, job: str) -> None:
        known = self._known.pop(job)
        analysis = _BY_TYPE.get(known.job_type or "")
        if analysis is not None:
            self._database.write(*_replaced(analysis, job, "[]"))

    def _rows(self, found: Iterable[FoundTable]) -> Iterable[Mapping[str, Any]]:
        """Return the items of `JOB_TABLES`."""
        for table in found:
            known = self._known.get(table.job)
            job_type = self._type_of(table)
            if job_type in _BY_TYPE:
                yield {
                    **((known.facts if known else None) or {}),
                    **table.facts,
                    "job": table.job,
                    "type": job_type,
                    "name": table.name,
                    "option": table.option,
                    "problem": table.problem or (known.problem if known else None),
                }

    def _lacks(self, name: str, found: Sequence[FoundTable]) -> Iterable[str]:
        """Return what the rows of a type lack; a table that cannot be opened may be of any type."""
        [analysis] = [analysis for analysis in ANALYSES if analysis.name == name]
        of_type = [table for table in found if self._type_of(table) in {None, analysis.job_type}]
        for table in of_type:
            known = self._known.get(table.job)
            if problem := table.problem or (known.problem if known else None):
                yield f"table {table.job}: {problem}"
            left_out = (known.facts or {}).get("left_out") if known else None
            if left_out:
                yield f"{quantity(left_out, 'row')} of table {table.job}, the least important ones"
        named = [table for table in of_type if self._type_of(table) is not None]
        if len(named) > MOST_TABLES:
            yield f"{quantity(len(named) - MOST_TABLES, 'table')}, since {MOST_TABLES} of a type are read"


def _replaced(analysis: Analysis, job: str, rows: str) -> Iterable[tuple[str, list[str]]]:
    """Return statements that replace the rows of a job, and write the table again: removed rows would keep memory."""
    table = analysis.table
    yield f"CREATE OR REPLACE TABLE {table.name} AS SELECT * FROM {table.name} WHERE job <> ?", [job]
    yield table.added(rows)
