"""The ledger audit in Spark: the table after any cut, by way of the sink; what people are told; a run from Kafka."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Message
from confluent_kafka.admin import AdminClient, NewTopic
from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobTopics
from kwitness.contracts.resources.analytics_parameters import LedgerAuditParameters
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.jobs.analyses.ledger_audit.job import JOB, SINK
from kwitness.jobs.analyses.ledger_audit.schema import KEYS, TABLE_SCHEMA
from kwitness.jobs.frame import stream as stream_module
from kwitness.jobs.frame.findings import Findings
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.lattice_sink import LatticeTable
from kwitness.jobs.show import render

from tests import soak
from tests.eventually import deliver
from tests.jobs import ledger_oracle
from tests.jobs.conftest import job_config, run_once
from tests.jobs.kafka_topics import unique_names
from tests.jobs.numbered import EPOCH, KINDS, OBSERVER, PLUGIN, REPORTER, START_MS, Source, bad_records, fleet
from tests.jobs.ordered_producer import ordered_producer
from tests.jobs.tables import frame_of, read
from tests.jobs.test_ledger_accounts import GRACE_MS, as_oracle, audited, cut

JOB_INPUT = JobInput(LedgerAuditParameters(), 300.0)
SEEDS = soak.seeds(60)
"""A fleet for each, cut in a way of its own."""


def add(spark: SparkSession, table: LatticeTable, records: list[KafkaRecord]) -> list[Any]:
    """Do a batch as a stream does it; gives the rejected records."""
    reading = table.read(frame_of(spark, records))
    decoded = reading.decoded.persist()
    lines = decoded.select("rejected.*", "used").collect()
    reading.write({})
    decoded.unpersist()
    assert len(lines) == len(records)
    assert all((one.used is None) == (one.reason is not None) for one in lines)
    return [one for one in lines if one.reason is not None]


def rows_of(path: str) -> dict[ledger_oracle.Key, dict[str, Any]]:
    return {tuple(row[key] for key in KEYS): row for row in read(path)}


def findings(spark: SparkSession, records: list[KafkaRecord], now_ms: int) -> Findings:
    rows = list(audited(records).values())
    assert JOB.findings is not None
    return JOB.findings(spark.createDataFrame(rows, TABLE_SCHEMA), JOB_INPUT, now_ms)


@pytest.mark.soak
def test_the_table_after_any_cut_is_the_oracles(spark: SparkSession, tmp_path: Path) -> None:
    table = LatticeTable(spark, JOB, SINK, JOB_INPUT, str(tmp_path / "table"))
    table.prepare()
    # Each seed has sources of its own, so that one merge serves all of them.
    records = {seed: fleet(seed, mark=f"s{seed}-") for seed in SEEDS}
    parts = [cut(found, [31 * seed % len(found)]) for seed, found in records.items()]

    rejected = [
        one
        for number in range(2)
        for one in add(spark, table, [record for part in parts for record in part[number]] + bad_records()[number::2])
    ]

    wanted = ledger_oracle.audit([record for found in records.values() for record in found])
    rows = rows_of(table.table.path)
    found = {key: as_oracle(row) for key, row in rows.items()}
    wrong = {key: (found.get(key), row) for key, row in wanted.items() if found.get(key) != row}
    assert not wrong, f"{len(wrong)} of {len(wanted)}: {next(iter(wrong.items()))}"
    assert found.keys() == wanted.keys()
    assert {row["computed_by"] for row in rows.values()} == {"LedgerAudit/1"}
    assert {row["cluster_id"] for row in rows.values()} == {"cluster-1"}
    assert {(row.topic, row.offset) for row in rejected} == {(one.topic, one.offset) for one in bad_records()}
    assert {row.reason for row in rejected} == {
        "MissingHeader",
        "InvalidHeader",
        "InvalidField",
        "MissingField",
        "MalformedPayload",
        "UnknownSchema",
    }


def test_findings_name_ranges_and_the_ledger_to_look_at(spark: SparkSession) -> None:
    observer, killed, pushes = Source(OBSERVER), Source(REPORTER), Source(PLUGIN)
    lost = observer.window()[1]
    twice = observer.window()[0]
    killed.window("interceptions")
    tail = killed.row("interceptions")
    lost_push = [pushes.push() for _ in range(4)][2]
    whole = Source("shop/quiet-0")
    whole.window()
    everything = [one for source in (observer, killed, pushes, whole) for one in source.records]
    records = [one for one in everything if one not in (lost, lost_push)] + [twice]

    young, old = (findings(spark, records, START_MS + one) for one in (GRACE_MS // 2, 2 * GRACE_MS))

    assert young.counts == {"Gap": 0, "Unsealed": 0, "Duplicate": 1}, "what is missing may still come"
    assert old.counts == {"Gap": 2, "Unsealed": 1, "Duplicate": 1}
    told = {(one.kind, one.subject): one.message for one in old.examples}
    assert len(told) == 4
    gap = told["Gap", f"{OBSERVER}/{EPOCH}"]
    assert gap.startswith("1 numbers that were sealed are in no topic, among 2 (found of sealed: traffic 5 of 6)")
    assert "events_topic" in gap
    pushed = told["Gap", f"{PLUGIN}/{EPOCH}"]
    assert ": 3. Compare with kwitness_plugin_events_total" in pushed
    unsealed = told["Unsealed", f"{REPORTER}/{EPOCH}"]
    number = json.loads(tail.value or b"")["event_seq"]
    assert unsealed.startswith(f"1 numbers have no seal: {number}; its last seal is number 4")
    assert "kwitness_interceptor_dropped_events_total" in unsealed
    assert told["Duplicate", f"{OBSERVER}/{EPOCH}"].startswith("1 of 8 records came again")
    lines = render(JOB.display_columns, list(audited(records).values())).splitlines()
    assert lines[0].split()[:5] == ["STATE", "KIND", "SOURCE", "EPOCH", "NUMBERS"]
    assert [line.split()[0] for line in lines[1:]] == ["Closed", "Duplicate", "Open", "Open"]


def test_findings_are_few_and_short_and_counts_are_all(spark: SparkSession) -> None:
    sources = [Source(f"{'x' * 380}/gateway-{number}") for number in range(30)]
    for source in sources:
        for _ in range(60):
            source.row("traffic")
            source.totals(10**12)

    found = findings(spark, [record for source in sources for record in source.records], START_MS + 2 * GRACE_MS)

    assert found.counts == {"Gap": 0, "Unsealed": 30, "Duplicate": 0}
    assert len(found.examples) == 20
    assert all(len(one.message) <= 1024 and len(one.subject) <= 512 for one in found.examples)


@pytest.mark.soak
@pytest.mark.broker
def test_a_run_reads_all_topics(
    spark: SparkSession, kafka: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = unique_names().telemetry
    names = JobTopics.model_validate({kind: f"{prefix}.{kind}" for kind in KINDS.values()})
    config = job_config(
        tmp_path,
        type="LedgerAudit",
        name="ledger",
        kafka={"bootstrap_servers": [kafka.bootstrap]},
        topics=names.model_dump(),
    )
    records = written(kafka.bootstrap, names, fleet(11))
    if soak.SOAKS:
        monkeypatch.setattr(stream_module, "MAX_RECORDS", len(records) * 2 // 3)

    status = run_once(spark, config, JOB).read()

    assert {key: as_oracle(row) for key, row in rows_of(config.table_path).items()} == ledger_oracle.audit(records)
    assert status.ledger.accepted == status.ledger.delivered == len(records)
    assert status.last_run.batches >= 1 + soak.SOAKS


def written(bootstrap: str, names: JobTopics, records: list[KafkaRecord]) -> list[KafkaRecord]:
    """The records, with the times that Kafka gave them."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    topics = {topic: getattr(names, kind) for topic, kind in KINDS.items()}
    for future in admin.create_topics([NewTopic(name, 1, 1) for name in topics.values()]).values():
        future.result()
    producer = ordered_producer(bootstrap)
    found: list[KafkaRecord] = []
    for record in records:

        def take(error: object, message: Message, record: KafkaRecord = record) -> None:
            assert error is None
            found.append(record._replace(timestamp_ms=message.timestamp()[1]))

        producer.produce(topics[record.topic], record.value, record.key, headers=list(record.headers), on_delivery=take)
    deliver(producer)
    return found
