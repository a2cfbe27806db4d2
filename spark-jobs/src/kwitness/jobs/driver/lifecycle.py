"""A driver's life: session, topics, tables, stream; its status while it runs; and how it ends."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Mapping
from enum import Enum, auto
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from kwitness.contracts.job_config import JobConfig
from kwitness.jobs.analyses.registry import find_job
from kwitness.jobs.driver.failures import explain
from kwitness.jobs.driver.health import Health, patience_seconds, spark_work
from kwitness.jobs.driver.spark_settings import spark_settings
from kwitness.jobs.driver.table_run import TableRun
from kwitness.jobs.driver.waiting import wait_for
from kwitness.jobs.frame.hadoop_files import HadoopFiles
from kwitness.jobs.frame.identity import IdentityFile, RunRecord
from kwitness.jobs.frame.job import Job, TableSink
from kwitness.jobs.frame.kafka_log import KafkaLog
from kwitness.jobs.frame.kafka_options import KafkaSettingsError, kafka_options
from kwitness.jobs.frame.ledger import Ledger
from kwitness.jobs.frame.moments import now_ms
from kwitness.jobs.frame.object_store import StorageKeys, StorageKeysError, give_keys, read_keys
from kwitness.jobs.frame.offsets import behind
from kwitness.jobs.frame.status import Lag, StatusBoard
from kwitness.jobs.frame.stream import JobStream

_LOG = logging.getLogger(__name__)
#: Between two looks at lag and Secrets, and between two lines of progress in the log.
_LOOK_SECONDS = 10.0
_PROGRESS_LOG_SECONDS = 60.0
_TOPIC_SECONDS = 5.0


#: Loggers that warn of what is as it should be, at each start or each batch.
_CHATTY = (
    "org.apache.hadoop.util.NativeCodeLoader",
    "org.apache.spark.util.SparkStringUtils",
    "org.apache.spark.sql.execution.streaming.runtime.ResolveWriteToStream",
)


class _End(Enum):
    """Why a query is over."""

    ALL_READ = auto()
    STOPPED = auto()
    BEHIND = auto()


class Driver:
    """One run of one job.

    Parameters
    ----------
    environment
        As `kwitness.jobs.driver.spark_settings.spark_settings` reads it.
    stopping
        Set by the caller to end the run; the driver has its own where none is given.
    is_alone
        False where other jobs of this process come after it: the session is left for them, and what is missing fails
        the job, which else waits for it.

    Attributes
    ----------
    stopping
        Set once the driver was asked to end.
    health
        Whether it gets on.
    """

    def __init__(
        self,
        config: JobConfig,
        environment: Mapping[str, str],
        board: StatusBoard,
        *,
        stopping: threading.Event | None = None,
        is_alone: bool = True,
    ) -> None:
        self._config = config
        self._environment = environment
        self._board = board
        self._is_alone = is_alone
        self.stopping = stopping or threading.Event()
        self.health = Health(board, patience_seconds(config.run))
        self._logged = Ledger()
        self._note: str | None = None
        self._looked_at = self._logged_at = float("-inf")
        self._keys: StorageKeys | None = None

    def stop(self) -> None:
        """Ask the run to end; may be called by a signal handler. A batch that is broken off is done again.

        A run that has not begun to stream ends after the step it is at: a start can take longer than a pod's grace.
        """
        self.stopping.set()

    def run(self) -> None:
        """Run until the job has ended or is stopped.

        Raises
        ------
        Exception
            Whatever the run failed with; `kwitness.jobs.driver.failures.explain` says what it means.
        """
        job = find_job(self._config.type)
        options, self._keys = self._options(), read_keys(self._config.storage)
        session = open_session(spark_settings(self._config, self._environment))
        self.health.watch(spark_work(session))
        try:
            give_keys(session, self._keys)
            if not self.stopping.is_set():
                self._run_in(session, job, options)
        finally:
            if self._is_alone:
                session.stop()
            else:
                clear_session(session)

    def _run_in(self, session: SparkSession, job: Job, options: dict[str, str]) -> None:
        self._board.change(application_id=session.sparkContext.applicationId)
        files = HadoopFiles(session)
        for folder in (self._config.table_path, self._config.checkpoint_path, self._config.quarantine_path):
            files.require_writable(folder)
        topics = (getattr(self._config.topics, kind) for kind in job.inputs.topics)
        identity = IdentityFile(files, self._config, job.version, topics)
        run, held = self._config.run, identity.claim()
        self._note = held.note
        if held.note is not None:
            _LOG.info("the job %s", held.note)
        if held.identity.has_succeeded(run.id) and run.mode == "once":
            _LOG.info("the run %s ended well before: nothing is read", run.id)
            self._board.change(phase="Succeeded", message=f"the run with the id {run.id} ended well before")
            return
        self._board.change_run(start_ms=now_ms())
        try:
            while renewed := self._run_with(session, job, options):
                _LOG.info("the Secrets changed: the stream of %s starts again with what they hold now", job.name)
                options = renewed
        except Exception as error:
            reason = explain(error, self._config.table_path).reason
            identity.remember(RunRecord(outcome="Failed", ended_ms=now_ms(), reason=reason))
            raise
        ended_ms = now_ms()
        if not self.stopping.is_set():
            identity.remember(RunRecord(outcome="Succeeded", ended_ms=ended_ms))
            self._board.change(phase="Succeeded")
        self._board.change_run(end_ms=ended_ms)

    def _options(self) -> dict[str, str]:
        return kafka_options(self._config.kafka, f"kwitness-job-{self._config.name or self._config.type}")

    def _run_with(self, session: SparkSession, job: Job, options: dict[str, str]) -> dict[str, str] | None:
        """Run until the end; or until the Secrets hold other options, which are returned."""
        if isinstance(job.sink, TableSink):
            run = TableRun(
                session=session,
                job=job,
                sink=job.sink,
                config=self._config,
                options=options,
                board=self._board,
                may_wait=self._is_alone,
            )
            waiting = self._config.run.mode == "streaming"
            return run.run(self.stopping, lambda: self._renewed(options, waiting=waiting), self._note)
        log, watch = KafkaLog(session, options), KafkaLog(session, options)
        try:
            stream = JobStream(
                session=session, job=job, config=self._config, log=log, options=options, board=self._board
            )
            return self._stream(stream, watch, options) if self._wait_for_topics(log, stream) else None
        finally:
            log.close()
            watch.close()

    def _wait_for_topics(self, log: KafkaLog, stream: JobStream) -> bool:
        return wait_for(
            lambda: log.missing(stream.topics),
            lambda names: (
                f"waits for the topics {names}, which the operator makes for a KafkaCluster; "
                "a topic that this job may not describe looks the same"
            ),
            board=self._board,
            stopping=self.stopping,
            seconds=_TOPIC_SECONDS,
            may_wait=self._is_alone,
        )

    def _stream(self, stream: JobStream, watch: KafkaLog, options: dict[str, str]) -> dict[str, str] | None:
        # Known before anything needs executors: should they never come, it is known that records wait.
        self._measure_lag(stream, watch)
        stream.prepare()
        if self.stopping.is_set():
            return None
        self._board.change(phase="Running", message=self._note and f"the driver runs; it {self._note}")
        once, waiting = self._config.run.mode == "once", False
        while True:
            _LOG.info(
                "the stream of %s runs, %s", self._config.type, "at its trigger" if waiting else "without waiting"
            )
            end = self._follow(stream.start(waiting=waiting), stream, watch, options, waiting=waiting)
            if isinstance(end, dict):
                return end
            if end is _End.STOPPED or once:
                break
            # Behind by more than a batch, it does not wait for triggers until it has caught up.
            waiting = end is not _End.BEHIND
        if end is _End.ALL_READ:
            stream.survey()
            stream.tidy()
            stream.find()
        self._measure_lag(stream, watch)
        self._log_progress()
        return None

    def _follow(
        self, query: StreamingQuery, stream: JobStream, watch: KafkaLog, options: dict[str, str], *, waiting: bool
    ) -> _End | dict[str, str]:
        """Look after a query until it is over; return why, or the options that the Secrets hold now."""
        behind = False
        while not query.awaitTermination(1):
            if self.stopping.is_set():
                query.stop()
                return _End.STOPPED
            # Between two batches, so that none is broken off.
            if behind and not query.status["isTriggerActive"]:
                query.stop()
                return _End.BEHIND
            if time.monotonic() < self._looked_at + _LOOK_SECONDS:
                continue
            self._looked_at = time.monotonic()
            self._measure_lag(stream, watch)
            if (progress := query.lastProgress) is not None:
                self.health.heard((progress.runId, progress.batchId, progress.timestamp))
            behind = waiting and (self._board.read().lag.records or 0) > stream.records_per_batch
            if waiting and not behind:
                # What is not read yet may say who uses a topic.
                stream.survey_when_due()
            if waiting:
                # Not of a part of what there is to read.
                stream.find_when_due()
            if renewed := self._renewed(options, waiting=waiting):
                query.stop()
                return renewed
            if self._looked_at >= self._logged_at + _PROGRESS_LOG_SECONDS:
                self._logged_at = self._looked_at
                self._log_progress()
        return _End.ALL_READ

    def _renewed(self, options: dict[str, str], *, waiting: bool) -> dict[str, str] | None:
        if waiting and self._has_other_keys():
            _LOG.info("the object store's keys changed: this process ends, and the next one takes those there are")
            self.stopping.set()
        try:
            present = self._options()
        except KafkaSettingsError as error:
            _LOG.warning("the Secrets cannot be used any more, the run goes on with what they held: %s", error)
            return None
        return present if present != options else None

    def _has_other_keys(self) -> bool:
        """Whether a stream should end: file systems, here and in executors, keep the keys they were opened with."""
        try:
            return read_keys(self._config.storage) != self._keys
        except StorageKeysError as error:
            _LOG.warning("%s: the run goes on with the keys it has", error)
            return False

    def _log_progress(self) -> None:
        """Log how far the run is, if that has changed."""
        status = self._board.read()
        if status.ledger != self._logged:
            self._logged = ledger = status.ledger
            _LOG.info(
                "%d of %d records in the table (version %s), %d in quarantine, %d in this batch",
                ledger.delivered,
                ledger.accepted,
                status.table_version,
                status.last_run.quarantined,
                ledger.queued,
            )

    def _measure_lag(self, stream: JobStream, watch: KafkaLog) -> None:
        positions = stream.positions or {}
        starts, ends = watch.starts(stream.topics), watch.ends(stream.topics)
        unread = behind(positions, ends, starts)
        oldest = {where: max(positions.get(where, 0), starts.get(where, 0)) for where in unread}
        timestamp = watch.oldest_timestamp_ms(oldest) if oldest else None
        self._board.change(lag=Lag(sum(unread.values()), timestamp), empty_topics=stream.lacking(ends))


def open_session(settings: Mapping[str, str]) -> SparkSession:
    """Start Spark with these settings, or return the process's session where there is one."""
    # Python workers are started by this name, here and in the executors, which have the same image.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    jvm: Any = session.sparkContext._jvm  # noqa: SLF001 - PySpark sets one level for all loggers
    log4j = jvm.org.apache.logging.log4j
    for name in _CHATTY:
        log4j.core.config.Configurator.setLevel(name, log4j.Level.ERROR)
    return session


def clear_session(session: SparkSession) -> None:
    """Leave nothing of a job in a session that the next one uses: no query, no kept rows."""
    for query in session.streams.active:
        query.stop()
    session.catalog.clearCache()


def close_session() -> None:
    """Stop the process's session where there is one."""
    session = SparkSession.getActiveSession()
    if session is not None:
        session.stop()
