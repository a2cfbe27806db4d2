"""One table of periods, each computed as a whole from other jobs' tables, and beside it samples of stored bytes.

Each commit of the table says which versions it was computed from, and with which settings. So it can be told at any
time, by the tables alone, which periods must be computed again, and what a driver does after a look is what it does
when it finds the work of one that was killed: one commit, or none.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import StructType

from kwitness.contracts.resources.analyses import AnalyticsJobType
from kwitness.jobs.frame.costs import Costs
from kwitness.jobs.frame.delta_table import JobTable
from kwitness.jobs.frame.input_table import InputTable, TableVersion
from kwitness.jobs.frame.job import COMPUTED_BY, Job, JobInput, TableInputs, TableSink
from kwitness.jobs.frame.settings_digest import digest_of
from kwitness.jobs.frame.stored_samples import StoredSamples

_LOG = logging.getLogger(__name__)
_SAMPLES = "samples"
_DAY = timedelta(days=1)


class _Mark(NamedTuple):
    """What a commit of the table holds.

    Attributes
    ----------
    inputs
        The versions that it was computed from, by type, that of samples among them.
    settings
        A digest of all else that it was computed with.
    open
        Periods that may still change though nothing in them does.
    """

    inputs: Mapping[str, TableVersion]
    settings: str
    open: frozenset[str] = frozenset()

    def metadata(self) -> dict[str, Any]:
        inputs = {name: one._asdict() for name, one in self.inputs.items()}
        return {"inputs": inputs, "settings": self.settings, "open": sorted(self.open)}

    @classmethod
    def read(cls, metadata: Mapping[str, Any]) -> _Mark:
        inputs = metadata.get("inputs", {})
        read = {name: TableVersion(**one) for name, one in inputs.items()}
        return cls(read, metadata.get("settings", ""), frozenset(metadata.get("open", ())))


class PeriodTables:
    """The tables of a job whose sink is a `TableSink`.

    Parameters
    ----------
    path, samples_path
        Of the table of periods, and of that of samples.
    """

    def __init__(
        self, session: SparkSession, job: Job, sink: TableSink, job_input: JobInput, *, path: str, samples_path: str
    ) -> None:
        self._job = job
        self._sink = sink
        self._input = job_input
        self._schema = StructType([*job.schema.fields, COMPUTED_BY])
        self._inputs = {name: InputTable(session, path) for name, path in self._read(job, job_input).items()}
        keys = (sink.period, *sink.keys)
        self.table = JobTable(session, path, self._schema, keys, partitions=(sink.period,))
        self.samples = StoredSamples(session, samples_path)
        self._sampled = InputTable(session, samples_path)
        self._settings = digest_of(job, job_input)
        self._mark = _Mark({}, "")

    @staticmethod
    def _read(job: Job, job_input: JobInput) -> dict[AnalyticsJobType, str]:
        wanted = (*job.inputs.tables, *job.inputs.optional_tables)
        return {name: job_input.tables[name] for name in wanted if name in job_input.tables}

    def prepare(self) -> None:
        """Make the tables, or add the columns of this version."""
        self.table.ensure()
        self.samples.table.ensure()
        self._mark = _Mark.read(self.table.metadata())

    def missing(self) -> tuple[str, ...]:
        """Types whose tables must be there, and are not."""
        return tuple(
            name for name in self._job.inputs.tables if name not in self._inputs or self._inputs[name].present() is None
        )

    def update(self) -> tuple[str, ...]:
        """Compute the periods in which something changed, and put them into the place of what was there, in one commit.

        Returns
        -------
        tuple[str, ...]
            Those periods; none where nothing changed, and then nothing is written.
        """
        present = self._present()
        if (present, self._settings) == (self._mark.inputs, self._mark.settings):
            return ()
        days = self._changed(present)
        periods = tuple(sorted({*self._sink.periods(sorted(days), self._input), *self._mark.open})) if days else ()
        # What changed no row is not written down: it is seen again by the next driver, which finds the same.
        self._mark = self._write(periods, present) if periods else self._mark._replace(inputs=present)
        return periods

    def _write(self, periods: tuple[str, ...], present: Mapping[str, TableVersion]) -> _Mark:
        with self._reading(present) as inputs:
            found = self._sink.compute(inputs, periods, self._input)
            mark = _Mark(present, self._settings, (self._mark.open - {*periods}) | found.open)
            named = ", ".join(f"'{one}'" for one in periods)
            rows = found.rows.withColumn(COMPUTED_BY.name, F.lit(self._job.computed_by)).select(
                *(F.col(field.name).cast(field.dataType).alias(field.name) for field in self._schema)
            )
            self.table.replace(rows, f"{self._sink.period} IN ({named})", mark.metadata())
        return mark

    def costs(self) -> Costs | None:
        """Return the costs for the status; None where the job computes none, or a table is not there."""
        if self._sink.costs is None or self.missing():
            return None
        with self._reading(self._present()) as inputs:
            return self._sink.costs(inputs, self.table.frame(), self._input)

    @contextmanager
    def _reading(self, present: Mapping[str, TableVersion]) -> Iterator[TableInputs]:
        """Open the inputs as of these versions, and drop what was kept of them at the end."""
        tables = {name: one.at(present[name]) for name, one in self._inputs.items() if name in present}
        kept: list[DataFrame] = []

        def keep(frame: DataFrame) -> DataFrame:
            kept.append(frame.persist())
            return kept[-1]

        try:
            yield TableInputs(tables, self._sampled.at(present[_SAMPLES]), keep)
        finally:
            for frame in kept:
                frame.unpersist()

    def tidy(self) -> None:
        """Write small files together. No period is dropped: a bill is kept for as long as its table."""
        self.table.tidy(None)
        self.samples.tidy()

    def _present(self) -> dict[str, TableVersion]:
        found: dict[str, TableVersion | None] = {name: one.present() for name, one in self._inputs.items()}
        found[_SAMPLES] = self._sampled.present()
        return {name: version for name, version in found.items() if version is not None}

    def _changed(self, present: Mapping[str, TableVersion]) -> frozenset[date]:
        """Days that have other rows than what the table was computed from, or count otherwise now."""
        known = self._mark.inputs if self._mark.settings == self._settings else {}
        if known.keys() - present.keys():
            # One that is not read any more was part of everything.
            known = {}
        found: set[date] = set()
        for name, table in self._inputs.items():
            if name in present and present[name] != known.get(name):
                found |= table.changed(known.get(name), present[name])
        if present[_SAMPLES] != known.get(_SAMPLES):
            found |= self._sampled_days(known.get(_SAMPLES), present[_SAMPLES])
        return frozenset(found)

    def _sampled_days(self, since: TableVersion | None, until: TableVersion) -> set[date]:
        """Days of which samples that were added say something: from the sample before the first of them on."""
        added = self._sampled.changed(since, until)
        if not added:
            return set()
        first, last = min(added), max(added)
        earlier = self._sampled.at(until).where(F.col("day") < F.lit(first)).agg(F.max("day")).collect()[0][0]
        start = earlier or first
        return {start + days * _DAY for days in range((last - start) // _DAY + 1)}
