"""The ledger audit in Spark: what the transform makes of records, the table after any cut, and what people are told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from kwitness.contracts.resources.analytics_parameters import LedgerAuditParameters
from kwitness.jobs.analyses.ledger_audit.job import JOB, SINK
from kwitness.jobs.analyses.ledger_audit.schema import KEYS
from kwitness.jobs.analyses.ledger_audit.transform import transform
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.lattice_sink import LatticeTable
from kwitness.jobs.show import render

from tests import soak
from tests.jobs import ledger_oracle
from tests.jobs.numbered import EPOCH, OBSERVER, PLUGIN, REPORTER, START_MS, Source, bad_records, fleet, snapshot
from tests.jobs.tables import frame_of, read
from tests.jobs.test_ledger_accounts import as_oracle, cut

JOB_INPUT = JobInput(LedgerAuditParameters(), 300.0)
GRACE_MS = 600_000
SEEDS = soak.seeds(60)
"""A fleet for each, cut in a way of its own."""


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> LatticeTable:
    table = LatticeTable(spark, JOB, SINK, JOB_INPUT, str(tmp_path / "table"))
    table.prepare()
    return table


def add(spark: SparkSession, table: LatticeTable, records: list[KafkaRecord]) -> list[Any]:
    """Do a batch as a stream does it; gives the rejected records."""
    reading = table.read(frame_of(spark, records))
    decoded = reading.decoded.persist()
    rejected = decoded.where("rejected is not null").select("rejected.*").collect()
    assert decoded.where("(used is null) = (rejected is null)").isEmpty()
    reading.write({})
    decoded.unpersist()
    return rejected


def rows_of(table: LatticeTable) -> dict[ledger_oracle.Key, dict[str, Any]]:
    return {tuple(row[key] for key in KEYS): row for row in read(table.table.path)}


@pytest.mark.soak
def test_the_table_after_any_cut_is_the_oracles(spark: SparkSession, table: LatticeTable) -> None:
    # Each seed has sources of its own, so that one merge serves all of them.
    records = {seed: fleet(seed, mark=f"s{seed}-") for seed in SEEDS}
    parts = [cut(found, [seed % len(found), 31 * seed % len(found)]) for seed, found in records.items()]

    rejected = [
        one
        for number in range(3)
        for one in add(spark, table, [record for part in parts for record in part[number]] + bad_records()[number::3])
    ]

    wanted = ledger_oracle.audit([record for found in records.values() for record in found])
    found = {key: as_oracle(row) for key, row in rows_of(table).items()}
    wrong = {key: (found.get(key), row) for key, row in wanted.items() if found.get(key) != row}
    assert not wrong, f"{len(wrong)} of {len(wanted)}: {next(iter(wrong.items()))}"
    assert found.keys() == wanted.keys()
    assert {(row.topic, row.offset) for row in rejected} == {(one.topic, one.offset) for one in bad_records()}
    assert {row.reason for row in rejected} == {
        "MissingHeader",
        "InvalidHeader",
        "InvalidField",
        "MissingField",
        "MalformedPayload",
        "UnknownSchema",
    }


def test_who_numbered_is_what_the_collector_knows_and_not_what_the_value_says(spark: SparkSession) -> None:
    row = Source(OBSERVER).row("traffic")
    said = json.loads(row.value or b"") | {"event_source": "bank/other-0", "event_seq": 7}

    found = transform(frame_of(spark, [row._replace(value=json.dumps(said).encode())]), JOB_INPUT)

    [epoch] = found.rows.collect()
    assert (epoch.kind, epoch.event_source, epoch.reported_by) == ("Observer", OBSERVER, "gateway")
    assert [(one.first, one.last) for one in epoch.islands] == [(1, 1)]


def test_records_without_headers_are_numbered_by_their_values_and_snapshots_by_nobody(spark: SparkSession) -> None:
    plain = [record._replace(headers=()) for record in Source(REPORTER).window("headers")]

    found = transform(frame_of(spark, [*plain, snapshot(1), snapshot(9)]), JOB_INPUT)

    assert found.decoded.where("used = 1").count() == 6
    [epoch] = found.rows.collect()
    assert (epoch.kind, epoch.event_source, epoch.event_epoch) == ("Interceptors", REPORTER, EPOCH)
    assert sorted((one.topic, one.first, one.last) for one in epoch.islands) == [("headers", 1, 3), ("seals", 4, 4)]


def test_findings_name_ranges_and_the_ledger_to_look_at(spark: SparkSession, table: LatticeTable) -> None:
    observer, killed, pushes = Source(OBSERVER), Source(REPORTER), Source(PLUGIN)
    lost = observer.window()[1]
    twice = observer.window()[0]
    killed.window("interceptions")
    tail = killed.row("interceptions")
    lost_push = [pushes.push() for _ in range(4)][2]
    whole = Source("shop/quiet-0")
    whole.window()
    everything = [one for source in (observer, killed, pushes, whole) for one in source.records]
    add(spark, table, [one for one in everything if one not in (lost, lost_push)] + [twice])

    def found(now_ms: int):
        assert JOB.findings is not None
        return JOB.findings(table.table.frame(), JOB_INPUT, now_ms)

    young = found(START_MS + GRACE_MS // 2)
    assert young.counts == {"Gap": 0, "Unsealed": 0, "Duplicate": 1}, "what is missing may still come"
    later = found(START_MS + 2 * GRACE_MS)
    assert later.counts == {"Gap": 2, "Unsealed": 1, "Duplicate": 1}
    told = {(one.kind, one.subject): one.message for one in later.examples}
    assert len(told) == 4
    gap = told["Gap", f"{OBSERVER}/{EPOCH}"]
    assert gap.startswith("1 numbers that Observer sealed are in no topic, among 2 (found of sealed: traffic 5 of 6)")
    assert "events_topic" in gap
    pushed = told["Gap", f"{PLUGIN}/{EPOCH}"]
    assert ": 3. Compare with kwitness_plugin_events_total" in pushed
    unsealed = told["Unsealed", f"{REPORTER}/{EPOCH}"]
    assert (
        f"1 numbers have no seal: {json.loads(tail.value or b'')['event_seq']}; its last seal is number 4" in unsealed
    )
    assert "kwitness_interceptor_dropped_events_total" in unsealed
    assert told["Duplicate", f"{OBSERVER}/{EPOCH}"].startswith("1 of 8 records came again")
    assert all(len(one.message) <= 1024 and len(one.subject) <= 512 for one in later.examples)
    lines = render(JOB.display_columns, read(table.table.path)).splitlines()
    assert lines[0].split()[:5] == ["STATE", "KIND", "SOURCE", "EPOCH", "NUMBERS"]
    assert [line.split()[0] for line in lines[1:]] == ["Closed", "Duplicate", "Open", "Open"]


def test_findings_are_few_and_counts_are_all(spark: SparkSession, table: LatticeTable) -> None:
    sources = [Source(f"shop/gateway-{number}") for number in range(30)]
    for source in sources:
        source.row("traffic")
    add(spark, table, [record for source in sources for record in source.records])

    assert JOB.findings is not None
    found = JOB.findings(table.table.frame(), JOB_INPUT, START_MS + 2 * GRACE_MS)

    assert found.counts["Unsealed"] == 30
    assert len(found.examples) == 20
