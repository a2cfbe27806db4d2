"""A job without topics at work: it looks at the tables that it reads, once or all the time, and computes from them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping

from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.jobs.driver.waiting import wait_for
from kwitness.jobs.frame.cluster_survey import ClusterSurvey, ClusterSurveyError
from kwitness.jobs.frame.findings import MAX_EXAMPLES
from kwitness.jobs.frame.job import Job, TableSink
from kwitness.jobs.frame.moments import now_ms
from kwitness.jobs.frame.sinks import job_input, make_periods
from kwitness.jobs.frame.status import StatusBoard

_LOG = logging.getLogger(__name__)
#: Between two looks at tables that are not there yet, and at Secrets.
_LOOK_SECONDS = 10.0
#: Between two surveys of a job that runs all the time, two judgements, and two times of housekeeping.
_SURVEY_SECONDS = 600.0
_FIND_SECONDS = 600.0
_TIDY_SECONDS = 3600.0
#: For each second of computing, that many at rest: a month is computed as a whole, and changes all the time.
_REST = 20.0

Options = Mapping[str, str]


class TableRun:
    """One run.

    Parameters
    ----------
    options
        Client settings by Kafka's names; without bootstrap servers no cluster is asked.
    may_wait
        Whether it waits for tables that are missing, or fails.
    """

    def __init__(
        self,
        *,
        session: SparkSession,
        job: Job,
        sink: TableSink,
        config: JobConfig,
        options: Options,
        board: StatusBoard,
        may_wait: bool = True,
    ) -> None:
        self._session = session
        self._job = job
        self._config = config
        self._options = options
        self._board = board
        self._may_wait = may_wait
        self._tables = make_periods(session, job, sink, config)
        self._input = job_input(job, config)
        self._survey_at = self._find_at = float("-inf")
        self._tidy_at = time.monotonic() + _TIDY_SECONDS
        self._has_costs = False

    def run(
        self, stopping: threading.Event, renewed: Callable[[], dict[str, str] | None], note: str | None = None
    ) -> dict[str, str] | None:
        """Run until all is computed, for ever where the job streams, or until `stopping`.

        Parameters
        ----------
        renewed
            Asked now and then; what it returns ends the run.
        note
            Part of the status while it runs.
        """
        if not self._wait_for_tables(stopping):
            return None
        self._tables.prepare()
        self._say_running(note)
        while not stopping.is_set():
            if self._tables.missing():
                # Removed under this run, as when its job is set up once more; what was computed stays.
                self._board.change(phase="Starting")
                if not self._wait_for_tables(stopping):
                    return None
                self._say_running(note)
            began = time.monotonic()
            self.look()
            if self._config.run.mode == "once":
                self._tidy()
                self._find()
                break
            next_at = time.monotonic() + max(self._config.run.trigger_seconds, _REST * (time.monotonic() - began))
            while not stopping.wait(min(_LOOK_SECONDS, max(0.0, next_at - time.monotonic()))):
                if found := renewed():
                    return found
                if time.monotonic() >= next_at:
                    break
        return None

    def _wait_for_tables(self, stopping: threading.Event) -> bool:
        return wait_for(
            self._tables.missing,
            lambda names: f"waits for the table of {names}, which that job makes when it runs first",
            board=self._board,
            stopping=stopping,
            seconds=_LOOK_SECONDS,
            may_wait=self._may_wait,
        )

    def _say_running(self, note: str | None) -> None:
        self._board.change(
            phase="Running", message=note and f"the driver runs; it {note}", table_version=self._tables.table.version()
        )

    def look(self) -> None:
        """Take a sample if one is due, compute what changed, and see whether anything is to be found."""
        self._survey_when_due()
        periods = self._tables.update()
        if periods:
            _LOG.info("%s of %s computed", ", ".join(periods), self._job.name)
            self._board.change_run(batches=self._board.read().last_run.batches + 1)
        if time.monotonic() >= self._tidy_at:
            self._tidy()
        if periods or time.monotonic() >= self._find_at:
            self._find()
        if periods or not self._has_costs:
            self._board.change(costs=self._tables.costs())
            self._has_costs = True
        self._board.change(table_version=self._tables.table.version())

    def _survey_when_due(self) -> None:
        """Ask the cluster what its topics store; what does not answer is asked the next time."""
        if not self._job.inputs.survey or time.monotonic() < self._survey_at:
            return
        self._survey_at = time.monotonic() + _SURVEY_SECONDS
        if not self._config.kafka.bootstrap_servers:
            return
        try:
            stored = ClusterSurvey(self._session, self._options).stored()
        except ClusterSurveyError as error:
            _LOG.warning("%s: what topics store is not known now", error)
            return
        if stored.by_topic is None:
            _LOG.warning("what topics store is not known now: %s", stored.lacking)
            return
        self._tables.samples.add(stored.surveyed_ms, stored.by_topic)

    def _tidy(self) -> None:
        self._tidy_at = time.monotonic() + _TIDY_SECONDS
        self._tables.tidy()
        self._board.change(table_version=self._tables.table.version())

    def _find(self) -> None:
        self._find_at = time.monotonic() + _FIND_SECONDS
        if self._job.findings is None:
            return
        found = self._job.findings(self._tables.table.frame(), self._input, now_ms())
        self._board.change(findings=found.examples[:MAX_EXAMPLES], finding_counts=dict(found.counts))
