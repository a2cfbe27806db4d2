from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from kwitness.contracts.job_config import ExecutorsConfig, JobConfig
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.jobs.driver import lifecycle
from kwitness.jobs.frame import stream as stream_module
from kwitness.jobs.frame.findings import Finding, Findings
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.kafka_log import KafkaLog
from kwitness.jobs.frame.status import DriverStatus, Lag, StatusBoard
from kwitness.jobs.frame.stream import JobStream

from tests.eventually import eventually
from tests.jobs.conftest import job_config
from tests.jobs.counting import JOB
from tests.jobs.kafka_topics import Topics
from tests.jobs.tables import read
from tests.jobs.traffic import push


@pytest.mark.broker
def test_a_driver_that_is_behind_does_not_wait_for_its_trigger(
    spark: SparkSession, kafka: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_module, "MAX_RECORDS", 40)
    monkeypatch.setattr(lifecycle, "_LOOK_SECONDS", 0.5)
    topics = Topics(kafka.bootstrap).create()
    config = _config(topics, tmp_path)
    board = StatusBoard(DriverStatus())
    driver = lifecycle.Driver(config, {}, board)
    topics.write([push(offset) for offset in range(60)])
    job = replace(JOB, findings=_findings)
    # The session is the tests' own; everything else is as in a driver's life.
    life = threading.Thread(target=driver._run_in, args=(spark, job, driver._options()), daemon=True)

    life.start()
    try:
        eventually(lambda: board.read().ledger.delivered, lambda number: number == 60)
        # Also where the query that waits takes 40 of them when it starts, the others are more than a batch.
        topics.write([push(offset) for offset in range(100)])
        eventually(lambda: board.read().ledger.delivered, lambda number: number == 160)
        eventually(lambda: board.read().lag == Lag(0))
    finally:
        driver.stop()

    eventually(lambda: not life.is_alive())
    assert read(config.table_path)[0]["records"] == 160
    assert board.read().last_run.batches >= 4
    assert driver.health.problem() is None
    answer = board.read().answer()
    assert answer.finding_counts == {"Counted": 1, "Missing": 0}
    assert [one.model_dump() for one in answer.findings] == [{"kind": "Counted", "subject": "s" * 512, "message": "m"}]


@pytest.mark.broker
def test_a_driver_whose_executors_never_come_knows_that_records_wait(
    spark: SparkSession, kafka: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics = Topics(kafka.bootstrap).create()
    topics.write([push(offset) for offset in range(3)])
    board = StatusBoard(DriverStatus())
    driver = lifecycle.Driver(_config(topics, tmp_path), {}, board)
    now = time.monotonic()
    monkeypatch.setattr(driver.health, "_clock", lambda: now + 36_060)

    def wait_for_ever(_: JobStream) -> None:
        """Where the first job of Spark would be, and with it the first wait for an executor."""
        problems.append(driver.health.problem())
        driver.stop()

    problems: list[Any] = []
    monkeypatch.setattr(JobStream, "prepare", wait_for_ever)
    driver._run_in(spark, JOB, driver._options())

    assert "3 records wait" in problems[0]
    answer = board.read().answer()
    assert answer.finding_counts is None, "nothing was looked for"
    assert answer.empty_topics == ("connections",), "nobody wrote there, and the job needs it"


@pytest.mark.parametrize(
    ("instances", "cores", "records"), [(0, 1, 50_000), (1, 2, 50_000), (2, 2, 80_000), (10, 4, 800_000)]
)
def test_batches_grow_with_the_executors(
    spark: SparkSession, tmp_path: Path, instances: int, cores: int, records: int
) -> None:
    config = job_config(tmp_path, type="Traffic", executors=ExecutorsConfig(instances=instances, cores=cores))
    log: KafkaLog = None  # type: ignore[assignment] # It asks Kafka nothing.
    board = StatusBoard(DriverStatus())

    stream = JobStream(session=spark, job=JOB, config=config, log=log, options={}, board=board)

    assert stream.records_per_batch == records


def _findings(table: DataFrame, job_input: JobInput, now_ms: int) -> Findings:
    assert job_input.window_seconds == 300
    assert abs(now_ms / 1000 - time.time()) < 60
    return Findings({"Counted": table.count(), "Missing": 0}, (Finding("Counted", "s" * 600, "m"),))


def _config(topics: Topics, folder: Path) -> JobConfig:
    return job_config(
        folder,
        type="Traffic",
        kafka={"bootstrap_servers": [topics.bootstrap]},
        topics=topics.names.model_dump(),
        run={"mode": "streaming", "trigger_seconds": 3600.0},
    )
