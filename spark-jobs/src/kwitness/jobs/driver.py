"""A driver's life: session, topics, tables, stream; what it says about itself meanwhile; and how it ends."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Mapping

from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.jobs.hadoop_files import HadoopFiles
from kwitness.jobs.job import Job
from kwitness.jobs.kafka_log import KafkaLog
from kwitness.jobs.kafka_options import kafka_options
from kwitness.jobs.offsets import behind
from kwitness.jobs.registry import find_job
from kwitness.jobs.spark_settings import spark_settings
from kwitness.jobs.status import Lag, StatusBoard
from kwitness.jobs.stream import JobStream

_LOG = logging.getLogger(__name__)
_LAG_SECONDS = 10.0
_TOPIC_SECONDS = 5.0


class Driver:
    """One run of one job.

    Parameters
    ----------
    environment
        As `kwitness.jobs.spark_settings.spark_settings` reads it.

    Attributes
    ----------
    stopping
        Set once the driver was asked to end.
    """

    def __init__(self, config: JobConfig, environment: Mapping[str, str], board: StatusBoard) -> None:
        self._config = config
        self._environment = environment
        self._board = board
        self.stopping = threading.Event()

    def stop(self) -> None:
        """Ask the run to end after the present micro-batch; may be called by a signal handler."""
        self.stopping.set()

    def run(self) -> None:
        """Run until the job has ended or is stopped.

        Raises
        ------
        Exception
            Whatever the run failed with; `kwitness.jobs.failures.explain` says what it means.
        """
        config = self._config
        job = find_job(config.type)
        options = kafka_options(config.kafka, f"kwitness-job-{config.name or config.type}")
        session = open_session(spark_settings(config, self._environment))
        try:
            self._board.change(application_id=session.sparkContext.applicationId)
            files = HadoopFiles(session)
            for folder in (config.table_path, config.checkpoint_path, config.quarantine_path):
                files.require_writable(folder)
            log = KafkaLog(session, options)
            watch = KafkaLog(session, options)
            stream = JobStream(session=session, job=job, config=config, log=log, options=options, board=self._board)
            if self._wait_for_topics(log, stream):
                self._stream(stream, watch, job)
        finally:
            session.stop()

    def _wait_for_topics(self, log: KafkaLog, stream: JobStream) -> bool:
        while missing := log.missing(stream.topics):
            self._board.change(
                reason="Starting",
                message=f"waits for the topics {', '.join(missing)}, which the operator makes for a KafkaCluster; "
                "a topic that this job may not describe looks the same",
            )
            if self.stopping.wait(_TOPIC_SECONDS):
                return False
        self._board.change(reason=None, message=None)
        return True

    def _stream(self, stream: JobStream, watch: KafkaLog, job: Job) -> None:
        stream.prepare()
        query = stream.start()
        self._board.change(phase="Running")
        self._board.change_run(start_ms=_now_ms())
        _LOG.info("the stream of %s runs", job.name)
        lag_at = 0.0
        while not query.awaitTermination(1):
            if self.stopping.is_set():
                query.stop()
                break
            if time.monotonic() >= lag_at:
                lag_at = time.monotonic() + _LAG_SECONDS
                self._measure_lag(stream, watch)
        self._measure_lag(stream, watch)
        self._board.change_run(end_ms=_now_ms())
        if not self.stopping.is_set():
            self._board.change(phase="Succeeded")

    def _measure_lag(self, stream: JobStream, watch: KafkaLog) -> None:
        positions = stream.positions
        if positions is None:
            return
        starts = watch.starts(stream.topics)
        unread = behind(positions, watch.ends(stream.topics), starts)
        oldest = {where: max(positions.get(where, 0), starts.get(where, 0)) for where in unread}
        timestamp = watch.oldest_timestamp_ms(oldest) if oldest else None
        self._board.change(lag=Lag(sum(unread.values()), timestamp))


def open_session(settings: Mapping[str, str]) -> SparkSession:
    """Start Spark with these settings; one session per process."""
    # Python workers are started by this name, here and in the executors, which have the same image.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("WARN")
    return session


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
