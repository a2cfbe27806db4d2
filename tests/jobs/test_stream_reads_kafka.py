from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.jobs.frame import stream as stream_module
from kwitness.jobs.frame.kafka_log import KafkaLog
from kwitness.jobs.frame.kafka_options import kafka_options
from kwitness.jobs.frame.ledger import Ledger
from kwitness.jobs.frame.offsets import DataLoss

from tests import soak
from tests.jobs import oracle
from tests.jobs.conftest import begun, job_config, run_once
from tests.jobs.kafka_topics import Topics
from tests.jobs.tables import by_client, read
from tests.jobs.traffic import mixed, push

pytestmark = pytest.mark.broker


@pytest.fixture
def topics(kafka: LocalBroker) -> Topics:
    return Topics(kafka.bootstrap).create()


@pytest.fixture
def config(topics: Topics, tmp_path: Path) -> JobConfig:
    kafka = {"bootstrap_servers": [topics.bootstrap]}
    return job_config(tmp_path, kafka=kafka, topics=topics.names.model_dump())


@pytest.mark.soak
@pytest.mark.parametrize("seed", soak.seeds(10))
def test_micro_batches_of_a_topic_equal_the_oracle(
    spark: SparkSession, topics: Topics, config: JobConfig, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(stream_module, "MAX_RECORDS", 60)
    huge = push(0, b"\x0a" + b"x" * 800_000)
    topics.write([*mixed(seed, count=80), huge])

    board = run_once(spark, config)

    rows, bad = oracle.inventory(topics.kinded())
    assert by_client(read(config.table_path)) == rows
    kept = read(f"{config.quarantine_path}/records")
    assert {(row["topic"], row["partition"], row["offset"]) for row in kept} == bad
    assert max(len(row["value_base64"] or "") for row in kept) < 10_000
    assert max(row["value_bytes"] or 0 for row in kept) == len(huge.value or b"")
    status = board.read()
    assert status.last_run.rows == len(topics.written)
    assert status.last_run.quarantined == len(bad)
    assert status.last_run.batches >= 2
    assert status.data_loss == ()
    assert status.ledger.accepted == len(topics.written)
    assert status.ledger.delivered == len(topics.written) - len(bad)
    assert status.ledger.queued == 0
    assert sum(status.ledger.dropped.values()) == len(bad)


def test_records_that_expired_before_they_were_read_are_reported_exactly(
    spark: SparkSession, topics: Topics, config: JobConfig
) -> None:
    topics.write(mixed(seed=6, count=20))
    run_once(spark, config)
    read_up_to, before = _count(topics), len(topics.written)
    topics.write(mixed(seed=7, count=40, days=1))
    gone_before = read_up_to + 5
    topics.expire(topics.names.telemetry, gone_before)

    board = run_once(spark, config)

    lost = DataLoss(topics.names.telemetry, 0, read_up_to, gone_before - 1, "Expired")
    assert board.read().data_loss == (lost,)
    ledger = board.read().ledger
    assert ledger.dropped["Expired"] == 5
    assert ledger.accepted == ledger.delivered + sum(ledger.dropped.values()) == len(topics.written) - before
    present = [
        (kind, record)
        for kind, record in topics.kinded()
        if record.topic != lost.topic or not lost.first_offset <= record.offset <= lost.last_offset
    ]
    assert by_client(read(config.table_path)) == oracle.inventory(present)[0]
    with begun(spark, config) as (_, restarted):
        assert restarted.read().data_loss == (lost,), "a restarted driver still knows"


def test_a_lost_checkpoint_is_noticed_and_the_table_goes_on(
    spark: SparkSession, topics: Topics, config: JobConfig
) -> None:
    topics.write(mixed(seed=8, count=20))
    run_once(spark, config)
    read_up_to = _count(topics)
    topics.write([push(offset) for offset in range(6)])
    topics.expire(topics.names.telemetry, read_up_to + 4)
    shutil.rmtree(config.checkpoint_path.removeprefix("file://"))

    board = run_once(spark, config)

    lost = DataLoss(topics.names.telemetry, 0, read_up_to, read_up_to + 3, "CheckpointLost")
    assert board.read().data_loss == (lost,)
    present = [
        one
        for one in topics.kinded()
        if not (one[1].topic == lost.topic and one[1].offset in range(lost.first_offset, lost.last_offset + 1))
    ]
    assert by_client(read(config.table_path)) == oracle.inventory(present)[0]


def test_a_topic_made_anew_is_noticed_and_the_ledger_closes(
    spark: SparkSession, topics: Topics, config: JobConfig
) -> None:
    topics.write([push(offset) for offset in range(9)])
    run_once(spark, config)
    topics.make_anew(topics.names.telemetry)
    topics.write([push(offset, client_instance_id="passed over") for offset in range(4)])

    status = run_once(spark, config).read()

    assert status.data_loss == (DataLoss(topics.names.telemetry, 0, 0, 3, "TopicRecreated"),)
    assert status.ledger == Ledger(accepted=4, dropped={"TopicRecreated": 4})


def test_a_topic_that_is_not_there_is_named(spark: SparkSession, topics: Topics) -> None:
    log = KafkaLog(spark, _options(job_config(Path("/nowhere"), kafka={"bootstrap_servers": [topics.bootstrap]})))

    missing = log.missing([topics.names.telemetry, "nobody.made.this"])
    log.close()

    assert missing == ("nobody.made.this",)


def test_the_oldest_unread_record_tells_its_time(spark: SparkSession, topics: Topics, config: JobConfig) -> None:
    topics.write([push(offset) for offset in range(3)])
    log = KafkaLog(spark, _options(config))

    oldest = log.oldest_timestamp_ms(dict.fromkeys(log.ends([topics.names.telemetry]), 1))
    log.close()

    assert oldest is not None
    assert abs(oldest - time.time() * 1000) < 60_000


def _options(config: JobConfig) -> dict[str, str]:
    return kafka_options(config.kafka, "kwitness-job-test")


def _count(topics: Topics) -> int:
    return sum(record.topic == topics.names.telemetry for record in topics.written)
