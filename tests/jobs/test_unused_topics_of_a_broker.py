from __future__ import annotations

import time
import uuid
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient
from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.jobs.analyses.unused_topics.findings import findings
from kwitness.jobs.analyses.unused_topics.job import JOB
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.show import render

from tests.jobs.broker_topics import commit, compact, create, tell, write
from tests.jobs.conftest import job_config, run_once
from tests.jobs.tables import read
from tests.jobs.topic_uses import observed, snapshot_of
from tests.jobs.traffic import counted

pytestmark = pytest.mark.broker


def test_two_runs_tell_used_topics_from_unused_ones(spark: SparkSession, kafka: LocalBroker, tmp_path: Path) -> None:
    prefix = f"unused-{uuid.uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    names = {name: f"{prefix}.{name}" for name in ("still", "written", "read", "seen", "ignored", "state")}
    platform = {name: f"{prefix}.platform.{name}" for name in ("traffic", "connections")}
    create(admin, *names.values(), *platform.values())
    config = _config(kafka, platform, names["ignored"], tmp_path)
    now = time.time_ns() // 1_000_000
    for topic in names.values():
        # Of the past, so that timestamps say no more than what moves.
        write(kafka, topic, 3, at_ms=now - 86_400_000)
    compact(admin, names["state"])
    commit(kafka, f"{prefix}.group", names["read"], 1)
    tell(kafka, platform["connections"], _snapshot(kafka, now - 1_800_000), _snapshot(kafka, now))
    run_once(spark, config, JOB)
    write(kafka, names["written"], 1, at_ms=now - 86_400_000)
    commit(kafka, f"{prefix}.group", names["read"], 2)
    soon = int(time.time() * 1000) + 60_000
    presence = observed(kind="presence", topic=names["seen"], client_id="poller", window_end_ms=soon, cluster_id=None)
    tell(kafka, platform["traffic"], presence, at_ms=soon)
    tell(kafka, platform["connections"], _snapshot(kafka, soon), at_ms=soon)

    board = run_once(spark, config, JOB)

    rows = read(config.table_path)
    surveyed = [row for row in rows if row["cluster_id"] == kafka.cluster_id]
    found = {row["subject"].removeprefix(f"{prefix}."): row for row in surveyed if row["subject"].startswith(prefix)}
    verdicts = {name: (row["verdict"], row["written"], row["fetched"]) for name, row in found.items() if name in names}
    assert verdicts == {
        "still": ("Unused", "Unused", "Unused"),
        "written": ("Used", "Used", "Unused"),
        "read": ("Used", "Unused", "Used"),
        "seen": ("Used", "Unused", "Used"),
        "ignored": ("Unused", "Unused", "Unused"),
        "state": ("NotSeen", "Unused", "NotSeen"),
    }, found["still"]["missing"]
    assert found["state"]["missing"] == ["Compacted"]
    assert found["seen"]["last_fetched_client_id"] == "poller"
    assert found["still"]["log_bytes"] > 0
    assert board.read().ledger.dropped.get("MalformedPayload", 0) == 0
    _check_findings(spark, config, names)
    shown = next(line for line in render(JOB.display_columns, rows).splitlines() if names["still"] in line)
    assert shown.split()[:5] == ["topic", "Unused", names["still"], "-", "Unused"]
    for future in admin.delete_topics([*names.values(), *platform.values()]).values():
        future.result()


def _check_findings(spark: SparkSession, config: JobConfig, names: dict[str, str]) -> None:
    table = spark.read.format("delta").load(config.table_path)
    job_input = JobInput(JOB.parameters.model_validate(config.parameters), 300.0)
    told = findings(
        table.where(f"subject in ('{names['still']}', '{names['ignored']}', '{names['read']}')"), job_input, 0
    )
    assert told.counts == {"Unused": 1, "NotSeen": 0}
    assert [(one.kind, one.subject) for one in told.examples] == [("Unused", names["still"])]


def _config(kafka: LocalBroker, platform: dict[str, str], ignored: str, folder: Path) -> JobConfig:
    return job_config(
        folder,
        type="UnusedTopics",
        kafka={"bootstrap_servers": [kafka.bootstrap]},
        topics=platform,
        parameters={"unused_for": "1s", "ignore": [ignored]},
    )


def _snapshot(kafka: LocalBroker, at_ms: int) -> KafkaRecord:
    return snapshot_of(0, at_ms, [counted("kwitness-collector", "1")], kafka.cluster_id)
