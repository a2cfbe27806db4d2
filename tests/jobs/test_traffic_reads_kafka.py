from __future__ import annotations

import shutil
import time
import uuid
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, NewTopic
from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobTopics
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.jobs.analyses.traffic.job import JOB
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.ledger import Ledger

from tests.eventually import deliver
from tests.jobs import observed, traffic_oracle
from tests.jobs.conftest import job_config, run_once
from tests.jobs.ordered_producer import ordered_producer
from tests.jobs.tables import read
from tests.jobs.window_tables import rows_of

pytestmark = pytest.mark.broker


def test_a_lost_checkpoint_leaves_no_record_out_and_none_twice(
    spark: SparkSession, kafka: LocalBroker, tmp_path: Path
) -> None:
    names = JobTopics(
        telemetry="unused",
        connections="unused",
        **{kind: f"{uuid.uuid4().hex}.{kind}" for kind in ("traffic", "seals")},
    )
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    for future in admin.create_topics([NewTopic(name, 1, 1) for name in (names.traffic, names.seals)]).values():
        future.result()
    config = job_config(
        tmp_path, type="Traffic", kafka={"bootstrap_servers": [kafka.bootstrap]}, topics=names.model_dump()
    )
    now = time.time_ns() // 1_000_000
    topics = {observed.TRAFFIC: names.traffic, observed.SEALS: names.seals}
    records = observed.mixed(5, minutes=9, start=now - now % 300_000 - 3_600_000)
    records = [record._replace(topic=topics[record.topic], partition=0, offset=0) for record in records]
    ends = dict.fromkeys(topics.values(), 0)
    written: list[KafkaRecord] = []
    for record in records:
        written.append(record._replace(offset=ends[record.topic]))
        ends[record.topic] += 1
    half = len(written) // 2

    _write(kafka, written[:half])
    run_once(spark, config, JOB)
    shutil.rmtree(config.checkpoint_path.removeprefix("file://"))
    _write(kafka, written[half:])
    status = run_once(spark, config, JOB).read()

    rows, bad = traffic_oracle.traffic(written)
    assert rows_of(config.table_path) == rows
    kept = read(f"{config.quarantine_path}/records")
    assert {(row["topic"], row["partition"], row["offset"]) for row in kept} == bad
    assert status.data_loss == ()
    bad_ones = sum(status.ledger.dropped.values())
    assert status.ledger == Ledger(
        accepted=len(written) - half, delivered=len(written) - half - bad_ones, dropped=status.ledger.dropped
    )


def _write(kafka: LocalBroker, records: list[KafkaRecord]) -> None:
    producer = ordered_producer(kafka.bootstrap)
    for record in records:
        producer.produce(
            record.topic,
            record.value,
            record.key,
            partition=0,
            timestamp=record.timestamp_ms,
            headers=list(record.headers),
        )
    deliver(producer)
