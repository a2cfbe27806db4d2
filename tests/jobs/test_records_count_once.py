from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.jobs.driver.failures import Failure, explain
from kwitness.jobs.frame import stream as stream_module
from kwitness.jobs.frame.offsets import DataLoss
from kwitness.jobs.frame.status import DriverStatus

from tests.jobs.conftest import job_config, run_once
from tests.jobs.counting import JOB
from tests.jobs.kafka_topics import Topics
from tests.jobs.tables import read
from tests.jobs.traffic import push, snapshot

pytestmark = pytest.mark.broker


@pytest.fixture
def topics(kafka: LocalBroker) -> Topics:
    return Topics(kafka.bootstrap).create()


@pytest.fixture
def config(topics: Topics, tmp_path: Path) -> JobConfig:
    kafka = {"bootstrap_servers": [topics.bootstrap]}
    return job_config(tmp_path, type="Traffic", kafka=kafka, topics=topics.names.model_dump())


def test_a_batch_done_again_and_a_lost_checkpoint_count_nothing_twice(
    spark: SparkSession, topics: Topics, config: JobConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_module, "MAX_RECORDS", 20)
    telemetry, connections = topics.names.telemetry, topics.names.connections
    topics.write([push(offset) for offset in range(12)])
    _run(spark, config)
    # The driver died between the table's commit and the checkpoint's, and retention went on meanwhile.
    _forget_last_commit(config)
    topics.expire(telemetry, 10)

    again = _run(spark, config)

    assert _counts(config) == {telemetry: 12}
    assert again.data_loss == ()
    # Without its checkpoint it reads in several batches what the table has, and more of another topic between.
    topics.write([snapshot(offset) for offset in range(16)])
    topics.write([push(offset) for offset in range(12)])
    _run(spark, config)
    shutil.rmtree(_folder(config))

    afresh = _run(spark, config)

    assert _counts(config) == {telemetry: 24, connections: 16}
    assert afresh.data_loss == ()
    assert afresh.last_run.batches > 1


def test_a_recreated_topic_counts_from_its_first_record(spark: SparkSession, topics: Topics, config: JobConfig) -> None:
    telemetry = topics.names.telemetry
    topics.write([push(offset) for offset in range(9)])
    _run(spark, config)
    topics.make_anew(telemetry)
    topics.write([push(offset) for offset in range(4)])

    passed_over = _run(spark, config)
    # By now the new topic is longer than the former one was.
    topics.write([push(offset) for offset in range(8)])
    _run(spark, config)

    assert passed_over.data_loss == (DataLoss(telemetry, 0, 0, 3, "TopicRecreated"),)
    assert _counts(config) == {telemetry: 9 + 8}
    topics.make_anew(telemetry)
    topics.write([push(offset) for offset in range(3)])
    shutil.rmtree(_folder(config))

    afresh = _run(spark, config)

    assert _counts(config) == {telemetry: 9 + 8 + 3}
    assert afresh.data_loss == passed_over.data_loss


def test_a_damaged_checkpoint_says_what_to_do_and_that_loses_nothing(
    spark: SparkSession, topics: Topics, config: JobConfig
) -> None:
    nothing = _run(spark, config)
    topics.write([push(offset) for offset in range(5)])
    topics.write([push(5, b"x" * 10_000_000)])
    _run(spark, config)
    folder = _folder(config)
    offsets = max((folder / "offsets").glob("[0-9]*"), key=lambda path: int(path.name))

    said = [_explained(spark, config, file) for file in (offsets, folder / "metadata")]
    shutil.rmtree(folder)
    afresh = _run(spark, config)

    assert nothing.last_run.rows == 0
    assert [failure.reason for failure in said] == ["Failed", "Failed"]
    assert all("remove its folder; nothing is lost" in failure.message for failure in said), said
    assert _counts(config) == {topics.names.telemetry: 6}
    assert afresh.data_loss == ()


def _explained(spark: SparkSession, config: JobConfig, file: Path) -> Failure:
    """How a driver ends that finds this file of the checkpoint damaged; the file is whole again afterwards."""
    whole = file.read_bytes()
    file.write_bytes(b"{")
    checksum = file.with_name(f".{file.name}.crc")
    checksum.unlink(missing_ok=True)
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever it is, it has to be explained
        _run(spark, config)
    file.write_bytes(whole)
    return explain(caught.value, config.table_path)


def _run(spark: SparkSession, config: JobConfig) -> DriverStatus:
    return run_once(spark, config, JOB).read()


def _counts(config: JobConfig) -> dict[str, int]:
    return {row["topic"]: row["records"] for row in read(config.table_path)}


def _folder(config: JobConfig) -> Path:
    return Path(config.checkpoint_path.removeprefix("file://"))


def _forget_last_commit(config: JobConfig) -> None:
    commits = _folder(config) / "commits"
    last = max(int(path.name) for path in commits.iterdir() if path.name.isdigit())
    for name in (f"{last}", f".{last}.crc"):
        (commits / name).unlink(missing_ok=True)
