"""Completeness wherever a driver is killed: around the commits of a batch, of the survey and of housekeeping."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from confluent_kafka.admin import AdminClient
from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.jobs.analyses.completeness.job import JOB
from kwitness.jobs.frame import stream as stream_module
from kwitness.jobs.frame.delta_table import JobTable
from kwitness.jobs.frame.kafka_log import KafkaLog
from kwitness.jobs.frame.kafka_options import kafka_options
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.status import DriverStatus, StatusBoard
from kwitness.jobs.frame.stream import JobStream

from tests import soak
from tests.eventually import deliver
from tests.jobs import completeness_oracle
from tests.jobs.broker_topics import create, write
from tests.jobs.completeness_oracle import Said
from tests.jobs.conftest import job_config
from tests.jobs.numbered import START_MS
from tests.jobs.ordered_producer import ordered_producer
from tests.jobs.tables import read
from tests.jobs.test_completeness import GRACE_MS, broken, in_first, record_of, saids

END = 120
"""Where the log ends that is spoken of, after all offsets that `saids` names."""


class Death(NamedTuple):
    """Where a driver ends: at which of its calls of a step, before it was done or right after."""

    step: str
    call: int
    is_done: bool


# Each driver goes on where the one before it died. The first batch has records for the quarantine, the last has none.
ALL_DEATHS = (
    Death("merge", 0, is_done=False),
    # The quarantine is written; the table is, too, and the checkpoint is not.
    Death("merge", 0, is_done=True),
    Death("merge", 1, is_done=True),
    # The last batch is done; what the survey said is not in the table, then it is.
    Death("merge", 1, is_done=False),
    Death("merge", 0, is_done=True),
    # One table was tidied, the other was not.
    Death("tidy", 0, is_done=True),
)
#: Each life costs seconds: without soak there is one death, where the table is written and the checkpoint is not.
DEATHS = ALL_DEATHS if soak.SOAKS else ALL_DEATHS[2:3]


class KilledError(Exception):
    """Stands for a driver that ends at this moment."""


@pytest.mark.broker
@pytest.mark.soak
@pytest.mark.parametrize("seed", soak.seeds(3))
def test_drivers_killed_between_any_two_steps_leave_the_same_table(
    spark: SparkSession, kafka: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    unique = f"killed-{uuid.uuid4().hex[:8]}"
    names = {name: f"{unique}.platform.{name}" for name in ("traffic", "interceptions")}
    orders = f"{unique}.orders"
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    create(admin, *names.values(), orders)
    write(kafka, orders, END)
    now_ms = time.time_ns() // 1_000_000
    # One topic alone, of which any cut is one in the order of time: what was judged for good must not be told again.
    said = [_moved(one, now_ms - 7_200_000 - START_MS) for one in saids(seed) if one.voice[1] == "wire"]
    records = [in_first(record_of(one, orders)) for one in said]
    bad = [one._replace(timestamp_ms=said[0].at_ms) for one in broken(said[0])[-1:]]
    _tell(kafka, names["traffic"], [*bad, *records])
    monkeypatch.setattr(stream_module, "MAX_RECORDS", len(records) // 2 + 2)
    config = _config(kafka, tmp_path, names)

    for death in DEATHS:
        with monkeypatch.context() as patched:
            died = _dies_at(patched, death)
            with pytest.raises(Exception, match="killed at"):
                _live(spark, config)
        assert died == [death]
    last = _live(spark, config)

    rows = {(row["group_id"], row["evidence"]): row for row in read(config.table_path)}
    wanted = completeness_oracle.judge(said, GRACE_MS, now_ms=now_ms, end=END, compacted=False)
    assert {voice: {name: rows[voice][name] for name in told} for voice, told in wanted.items()} == wanted
    assert {row["late"] for row in rows.values()} <= {0, None}, "what is in the table is not told to it again"
    assert [row["offset"] for row in read(f"{config.quarantine_path}/records")] == [0]
    assert last.read().data_loss == ()
    for future in admin.delete_topics([orders, *names.values()]).values():
        future.result()


def _moved(said: Said, by_ms: int) -> Said:
    times = {name: getattr(said, name) + by_ms for name in ("at_ms", "start_ms", "end_ms")}
    return Said(**{**said.__dict__, **times})


def _tell(kafka: LocalBroker, topic: str, records: list[KafkaRecord]) -> None:
    producer = ordered_producer(kafka.bootstrap)
    for record in records:
        producer.produce(topic, record.value, timestamp=record.timestamp_ms)
    deliver(producer)


def _config(kafka: LocalBroker, folder: Path, names: dict[str, str]) -> JobConfig:
    return job_config(
        folder,
        type="Completeness",
        cluster_id="c",
        kafka={"bootstrap_servers": [kafka.bootstrap]},
        topics=names,
        parameters={"grace": "1m"},
    )


def _live(spark: SparkSession, config: JobConfig) -> StatusBoard:
    """A driver's life, in the order of `kwitness.jobs.driver.lifecycle`, in the tests' own session."""
    board = StatusBoard(DriverStatus())
    options = kafka_options(config.kafka, "kwitness-job-test")
    log = KafkaLog(spark, options)
    try:
        stream = JobStream(session=spark, job=JOB, config=config, log=log, options=options, board=board)
        stream.prepare()
        assert stream.start(waiting=False).awaitTermination(200), "the run did not end"
        stream.survey()
        if soak.SOAKS:
            stream.tidy()
    finally:
        log.close()
    return board


def _dies_at(patched: pytest.MonkeyPatch, death: Death) -> list[Death]:
    """Have the next driver die there; the list is no longer empty once it did."""
    died: list[Death] = []
    do: Callable[..., None] = getattr(JobTable, death.step)
    calls = 0

    def step(*given: Any, **named: Any) -> None:
        nonlocal calls
        is_here, calls = calls == death.call, calls + 1
        if not is_here or death.is_done:
            do(*given, **named)
        if is_here:
            died.append(death)
            raise KilledError(f"killed at {death}")

    patched.setattr(JobTable, death.step, step)
    return died
