"""Whether a driver gets on with its work, as Kubernetes asks: one that does not is restarted."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from kwitness.contracts.job_config import RunConfig
from kwitness.jobs.frame.status import StatusBoard

_TRIGGERS = 10
_LEAST_SECONDS = 600.0


def patience_seconds(run: RunConfig) -> float:
    """How long there may be no sign of progress while records wait: ten triggers, or ten minutes if that is longer."""
    return max(_TRIGGERS * run.trigger_seconds, _LEAST_SECONDS)


def spark_work(session: SparkSession) -> Callable[[], object]:
    """Counts the work of a session so far: Spark jobs that began, and tasks that ended in the stages that run now."""
    context: Any = session.sparkContext
    tracker = context.statusTracker()
    # Spark has no public count of jobs, and a context that was stopped has no way to its scheduler.
    scheduler = context._jsc.sc().dagScheduler()  # noqa: SLF001

    def work() -> object:
        # It ends in a thread of its own.
        with suppress(Py4JError, OSError):
            stages = {stage: tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()}
            ended = {stage: info.numCompletedTasks for stage, info in stages.items() if info is not None}
            return scheduler.numTotalJobs(), ended
        return None

    return work


class Health:
    """Knows when there was a sign of progress last.

    Such a sign is an event of the query's progress; Spark has them of batches, and of times without records. Within a
    batch, before the first one and in housekeeping, it is a Spark job that began or a task that ended. A driver whose
    executors never come, or that hangs in a commit, has none.

    Parameters
    ----------
    patience_seconds
        How long there may be none while records wait.
    """

    def __init__(
        self, board: StatusBoard, patience_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._board = board
        self._patience = patience_seconds
        self._clock = clock
        self._event: object = None
        self._work: Callable[[], object] = lambda: None
        self._done: object = None
        self._since = clock()

    def heard(self, event: object) -> None:
        """Take what tells the query's latest event of progress from others; the same one again is none."""
        if event != self._event:
            self._event, self._since = event, self._clock()

    def watch(self, work: Callable[[], object]) -> None:
        """Look at work as well: what it returns is another value whenever some was done."""
        self._work = work

    def problem(self) -> str | None:
        """What is wrong; None while nothing is, or while no record waits."""
        if (done := self._work()) != self._done:
            self._done, self._since = done, self._clock()
        silent, waiting = self._clock() - self._since, self._board.read().lag.records
        if not waiting or silent <= self._patience:
            return None
        return (
            f"no progress for {silent:.0f} s while {waiting} records wait: executors that do not come, or a commit "
            "that does not end"
        )
