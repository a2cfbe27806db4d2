"""The mirror audit in Spark: spans after any cut, by way of the sink; a run with one broker that is both clusters."""

from __future__ import annotations

import json
import random
import time
import uuid
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient
from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.e2e.kafka.local_broker import Listener, LocalBroker
from kwitness.jobs.analyses.mirror_audit.job import JOB, SINK
from kwitness.jobs.frame.delta_table import second_positions_in
from kwitness.jobs.frame.findings import Findings
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.kafka_log import KafkaLog
from kwitness.jobs.frame.kafka_options import KafkaSettingsError, kafka_options
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.lattice_sink import LatticeTable
from kwitness.jobs.frame.status import DriverStatus, StatusBoard
from kwitness.jobs.frame.stream import JobStream
from kwitness.jobs.show import render

from tests.eventually import deliver
from tests.jobs import mirror_oracle
from tests.jobs.broker_topics import create, tell, write
from tests.jobs.conftest import job_config, run_once
from tests.jobs.numbered import START_MS
from tests.jobs.ordered_producer import ordered_producer
from tests.jobs.tables import frame_of, read
from tests.jobs.test_ledger_accounts import cut
from tests.jobs.test_mirror_verdicts import job_input, parameters, sync

SPAN_MS = 60_000


def sent(seq: int, topic: str, first: int, count: int, at_ms: int, /, **changes: Any) -> dict[str, Any]:
    """What an observer saw sent: a row of traffic."""
    return {
        "schema": "kwitness.traffic/1",
        "event_source": "shop/gateway-0",
        "event_epoch": START_MS,
        "event_seq": seq,
        "window_start_ms": at_ms,
        "window_end_ms": at_ms + 10_000,
        "kind": "partition",
        "api": "Produce",
        "topic": topic,
        "partition": 0,
        "batches": 2,
        "records": count,
        "max_timestamp_ms": at_ms,
        "offset_ranges": [{"first": first, "last": first + count - 1}],
    } | changes


def found(seq: int, topic: str, mismatches: int) -> dict[str, Any]:
    """What an interceptor of a consumer found: a row of interceptions."""
    row = sent(seq, topic, 0, 1, START_MS, kind="topic", side="consumer", schema="kwitness.interceptions/1")
    return row | {"anomalies": {"checksum_mismatch": mismatches, "negative_latency": 7}}


def record_of(value: dict[str, Any]) -> KafkaRecord:
    kind = value["schema"].removesuffix("/1")
    return KafkaRecord(kind, 0, value["event_seq"], START_MS, None, json.dumps(value).encode(), ())


def both_sides(seed: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of both sides: some of the mirror's are lost, some come twice, late or at another place."""
    dice = random.Random(seed)  # noqa: S311
    place = {"partition": seed, "event_source": f"shop/gateway-{seed}"}
    source, target, at = [], [], {"here": 0, "there": 0}
    for seq in range(30):
        moment, count = START_MS + 9_000 * seq, dice.randrange(1, 40)
        source.append(sent(seq, "orders", at["here"], count, moment, **place))
        at["here"] += count
        arrived = count - dice.choice([0, 0, 0, 5, count - 1]) + dice.choice([0, 0, 0, 60])
        if arrived > 0:
            target.append(sent(seq, "eu.orders", at["there"], arrived, moment, **place))
            at["there"] += arrived
    source += dice.sample(source, 5)
    target += [*dice.sample(target, 5), sent(99, "other", 0, 9, START_MS)]
    dice.shuffle(source)
    dice.shuffle(target)
    return source, target


def test_spans_after_any_cut_are_the_oracles(spark: SparkSession, tmp_path: Path) -> None:
    table = LatticeTable(spark, JOB, SINK, job_input(names=["orders"]), str(tmp_path / "table"))
    table.prepare()
    sides = [both_sides(seed) for seed in range(4)]
    source, target = ([one for side in sides for one in side[number]] for number in range(2))
    # Of two batches the first and the last have the same record.
    target = [found(100, "eu.orders", 3), *target, found(100, "eu.orders", 3), found(101, "other", 5)]
    bad = sent(900, "orders", 0, 1, START_MS, offset_ranges=[{"first": 2 * one, "last": 2 * one} for one in range(9)])
    of_no_use = [sent(901, "orders", 0, 9, START_MS, api="Fetch"), sent(902, "payments", 0, 9, START_MS)]

    rejected = 0
    for here, there in zip(cut([*source, bad, *of_no_use], [50]), cut([*target, bad], [70]), strict=True):
        for reading in (
            table.read(frame_of(spark, [record_of(one) for one in here])),
            table.read_second(frame_of(spark, [record_of(one) for one in there]), {}),
        ):
            decoded = reading.decoded.persist()
            rejected += decoded.where("rejected is not null").count()
            reading.write({})
            decoded.unpersist()

    rows = read(table.table.path)
    wanted = mirror_oracle.spans(
        source, [one for one in target if one["kind"] == "partition"], span_ms=SPAN_MS, prefix="eu."
    )
    spans = {(row["topic"], row["partition"], row["time_ms"]): row for row in rows if row["kind"] == "span"}
    told = {key: {name: row[name] for name in wanted[key]} for key, row in spans.items()}
    assert told == wanted
    assert any(row["missing"] for row in told.values())
    assert any(row["extra"] for row in told.values())
    assert [(row["topic"], row["changed"]) for row in rows if row["kind"] == "topic"] == [("orders", 3)]
    assert rejected == 1, "that of the source; the mirror's is of a topic that is none of it"


@pytest.mark.broker
def test_a_run_compares_two_prefixes_of_one_broker(spark: SparkSession, kafka: LocalBroker, tmp_path: Path) -> None:
    unique = f"mirror-{uuid.uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    here = {"traffic": f"{unique}.here.traffic"}
    there = {name: f"{unique}.there.{name}" for name in ("traffic", "interceptions")}
    orders, mirrored = f"{unique}.src.orders", f"{unique}.eu.orders"
    syncs = f"mm2-offset-syncs.{unique}.internal"
    create(admin, *here.values(), *there.values(), f"{unique}.src.other", syncs)
    create(admin, orders, mirrored, partitions=2)
    hours_ago = time.time_ns() // 1_000_000 - 7_200_000
    write(kafka, orders, 30, at_ms=hours_ago)
    write(kafka, mirrored, 25, at_ms=hours_ago - 60_000)
    tell(kafka, here["traffic"], record_of(sent(1, orders, 0, 30, hours_ago)))
    producer = ordered_producer(kafka.bootstrap)
    # The mirror of partition 0 stands still while that of partition 1 goes on.
    for topic in (orders, mirrored):
        producer.produce(topic, "new", partition=1)
    for key, value in (sync(orders, 0, 2, 2), sync(orders, 0, 22, 18)):
        producer.produce(syncs, key=key, value=value)
    deliver(producer)
    tell(kafka, there["traffic"], record_of(sent(1, mirrored, 0, 25, hours_ago, batches=9)))
    config = _config(kafka, tmp_path, unique, here, there)
    second = config.second
    assert second is not None
    away = config.model_copy(update={"second": second.model_copy(update={"kafka": _nowhere(config)})})

    unreached = run_once(spark, away, JOB)
    first = _findings(spark, config)
    run_once(spark, config, JOB)

    assert not unreached.read().ledger.dropped, "the source's side goes on"
    assert first.counts["TargetUnreachable"] == 1
    assert first.examples[0].kind == "TargetUnreachable"
    every = read(config.table_path)
    rows = {(row["kind"], row["topic"]): row for row in every if row["partition"] == 0}
    row = rows["partition", orders]
    assert (row["verdict"], row["evidence"], row["missing"], row["extra"]) == ("Missing", "offset-syncs", 4, 0)
    assert (row["source_end"], row["target_end"], row["lag_records"], row["target_topic"]) == (30, 25, 1, mirrored)
    assert row["lag_ms"] >= 7_200_000
    assert (rows["span", orders]["source_records"], rows["span", orders]["target_records"]) == (30, 25)
    last = _findings(spark, config)
    assert {kind for kind, count in last.counts.items() if count} == {"Missing", "Behind", "NotSeen"}
    assert "by MirrorMaker's offsets" in last.examples[0].message
    assert mirrored in last.examples[0].message
    table = LatticeTable(spark, JOB, SINK, _input(config), config.table_path)
    assert {where.topic: offset for where, offset in second_positions_in(table.table.metadata()).items()} == {
        there["traffic"]: 1,
        there["interceptions"]: 0,
    }
    assert orders in render(JOB.display_columns, list(rows.values()))
    same = config.model_copy(
        update={"second": config.second.model_copy(update={"cluster_id": "c", "topics": config.topics})}
    )
    with pytest.raises(KafkaSettingsError, match="the second cluster is the first one"):
        run_once(spark, same, JOB)
    for future in admin.delete_topics([*here.values(), *there.values(), orders, mirrored, syncs]).values():
        future.result()


@pytest.mark.broker
def test_a_rotated_secret_of_the_second_cluster_is_used_the_next_time_it_is_asked(
    spark: SparkSession, kafka: LocalBroker, tmp_path: Path
) -> None:
    unique = f"rotated-{uuid.uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    here, orders, mirrored = {"traffic": f"{unique}.here.traffic"}, f"{unique}.src.orders", f"{unique}.eu.orders"
    create(admin, *here.values(), orders, mirrored)
    config = _config(kafka, tmp_path, unique, here, {"traffic": f"{unique}.there.traffic"})
    assert config.second is not None
    connection = _signed_in(kafka, tmp_path, "canary-of-the-former-password")
    config = config.model_copy(update={"second": config.second.model_copy(update={"kafka": connection})})
    options = kafka_options(config.kafka, "kwitness-job-test")
    log = KafkaLog(spark, options)
    stream = JobStream(
        session=spark, job=JOB, config=config, log=log, options=options, board=StatusBoard(DriverStatus())
    )
    stream.prepare()

    verdicts = []
    for password in (None, kafka.users["admin"]):
        if password is not None:
            # As the kubelet replaces it: all at once, under a driver that runs.
            (tmp_path / "new").write_text(password)
            (tmp_path / "new").rename(tmp_path / "password")
        stream.survey()
        verdicts += [row["verdict"] for row in read(config.table_path) if row["topic"] == orders]
    log.close()

    # The mirror has the topic, and nobody counted on either side.
    assert verdicts == ["TargetUnreachable", "NotSeen"]
    told = [path for path in tmp_path.rglob("*") if path.is_file() and b"canary-of" in path.read_bytes()]
    assert told == [], "in no table and no checkpoint"
    for future in admin.delete_topics([*here.values(), orders, mirrored]).values():
        future.result()


def _signed_in(kafka: LocalBroker, folder: Path, password: str) -> KafkaConnection:
    """A connection with a user and a password in files."""
    address = kafka.bootstrap_of(Listener.SASL_SSL_SCRAM)
    assert kafka.certificates is not None
    for name, content in {"username": "admin", "password": password, "hosts": address}.items():
        (folder / name).write_text(content)
    files = {f"{name}_file": str(folder / name) for name in ("username", "password", "hosts")}
    return KafkaConnection.model_validate(
        {
            "bootstrap_servers": [address],
            "tls": True,
            "ca_file": str(kafka.certificates.ca_file),
            "authentication": {"type": "scram-sha-512", **files},
        }
    )


def _config(kafka: LocalBroker, folder: Path, unique: str, here: dict[str, str], there: dict[str, str]) -> JobConfig:
    chosen = parameters(sourcePrefix=f"{unique}.src.", mirrorPrefix=f"{unique}.eu.")
    connection = {"bootstrap_servers": [kafka.bootstrap]}
    return job_config(
        folder,
        type="MirrorAudit",
        cluster_id="c",
        kafka=connection,
        topics=here,
        parameters=chosen.model_dump(mode="json"),
        window_seconds=60.0,
        second={"cluster_id": "d", "kafka": connection, "topics": there},
    )


def _nowhere(config: JobConfig) -> Any:
    return config.kafka.model_copy(update={"bootstrap_servers": ("nowhere.invalid:9092",)})


def _input(config: JobConfig) -> JobInput:
    return JobInput(JOB.parameters.model_validate(config.parameters), config.window_seconds)


def _findings(spark: SparkSession, config: JobConfig) -> Findings:
    assert JOB.findings is not None
    return JOB.findings(spark.read.format("delta").load(config.table_path), _input(config), 0)
