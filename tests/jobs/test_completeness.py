"""Completeness in Spark: the table after any cut, by way of the sink; a run from Kafka, with a survey of the broker."""

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

from kwitness.contracts.owners import OwnerList
from kwitness.contracts.resources.analytics_parameters import CompletenessParameters
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.jobs.analyses.completeness.job import JOB, SINK
from kwitness.jobs.analyses.completeness.schema import KEYS
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.lattice_sink import LatticeTable
from kwitness.jobs.frame.moments import now_ms
from kwitness.jobs.show import render

from tests.jobs import completeness_oracle
from tests.jobs.broker_topics import commit, create, tell, write
from tests.jobs.completeness_oracle import Said
from tests.jobs.conftest import job_config, run_once
from tests.jobs.numbered import START_MS
from tests.jobs.tables import frame_of, read
from tests.jobs.test_intervals import intervals
from tests.jobs.test_ledger_accounts import cut

GRACE_MS = 60_000
JOB_INPUT = JobInput(CompletenessParameters(grace="1m"), 300.0, frozenset({"kwitness.traffic"}), cluster_id="c")
VOICES = (("", "interceptors"), ("", "wire"), ("g", "interceptors"), ("g", "wire"), ("h", "wire"))


def saids(seed: int) -> list[Said]:
    """Reports of some windows in the order of their records: some twice, some at another place, none too late."""
    dice = random.Random(seed)  # noqa: S311
    found = []
    for seq, start in enumerate(sorted(dice.sample(range(0, 600_000, 7), 40))):
        voice, first = dice.choice(VOICES), start // 7_000
        offsets = frozenset(first + dice.randrange(12) for _ in range(dice.randrange(1, 8)))
        end = START_MS + start + 10_000
        said = Said(
            voice,
            end,
            START_MS + start,
            end,
            dice.randrange(2),
            seq,
            offsets,
            len(offsets) + dice.choice([0, 0, 1]),
            exact=dice.random() > 0.1,
            plain=voice == VOICES[1] and dice.random() < 0.8,
            markers=0,
            unconfirmed=dice.randrange(3) if voice == VOICES[1] else 0,
            aborted=dice.randrange(2) if voice[0] and voice[1] == "wire" and offsets else 0,
        )
        said = Said(**{**said.__dict__, "markers": int(voice == VOICES[1] and not said.plain)})
        times = dice.choice([1, 1, 1, 2])
        found += [Said(**{**said.__dict__, "at_ms": end + dice.randrange(GRACE_MS)}) for _ in range(times)]
    return sorted(found, key=lambda one: one.at_ms)


def record_of(said: Said, topic: str, /, **changes: Any) -> KafkaRecord:
    """The record of an interceptor or an observer that says so."""
    group_id, evidence = said.voice
    ranges = {
        "offset_ranges": [{"first": first, "last": last} for first, last in intervals(set(said.offsets))],
        "offset_ranges_merged": 0 if said.exact else 1,
    }
    kind = "interceptions" if evidence == "interceptors" else "traffic"
    value: dict[str, Any] = {
        "schema": f"kwitness.{kind}/1",
        "event_source": f"shop/{evidence}-{said.teller}",
        "event_epoch": START_MS - 5 + said.teller,
        "event_seq": said.seq,
        "window_start_ms": said.start_ms,
        "window_end_ms": said.end_ms,
        "topic": topic,
        "cluster_id": "c",
        "client_id": "app",
    }
    value |= {"group_id": group_id} if group_id else {}
    if kind == "interceptions":
        count = "consumed" if group_id else "acknowledged"
        value |= {"kind": "topic", "side": "consumer" if group_id else "producer", "instance": f"r/{said.teller}"}
        value |= {"partitions": [{"partition": 3, count: said.count, **ranges}]}
    else:
        value |= {"kind": "partition", "api": "Fetch" if group_id else "Produce", "partition": 3, **ranges}
        value |= {"records": said.count, "unconfirmed": said.unconfirmed, "aborted_records": said.aborted}
        value |= {"transactional_batches": said.markers}
    text = json.dumps(value | changes).encode()
    return KafkaRecord(f"kwitness.{kind}", 0, said.seq, said.at_ms, None, text, ())


def of_no_use(said: Said) -> list[KafkaRecord]:
    """Records that say nothing of any partition: of other clusters, topics, kinds and clients."""
    other: list[dict[str, Any]] = [
        {"cluster_id": "another"},
        {"topic": None},
        {"topic": "kwitness.traffic"},
        {"kind": "presence", "partitions": 2},
        {"api": "ShareFetch", "group_id": "s"},
        {"api": "Fetch", "client_id": None},
        {"offset_ranges": [], "unconfirmed": 0, "transactional_batches": 0},
    ]
    return [record_of(said, "orders", **one) for one in other]


def broken(said: Said) -> list[KafkaRecord]:
    many = {"offset_ranges": [{"first": 2 * one, "last": 2 * one} for one in range(9)]}
    wrong: list[dict[str, Any]] = [{"window_end_ms": None}, {"partition": 2**40}, {"partition": -1}, many]
    found = [record_of(said, "orders", **one) for one in wrong]
    return [*found, found[0]._replace(value=b'{"schema": "kwitness.traffic/1"')]


def test_the_table_after_any_cut_is_the_oracles(spark: SparkSession, tmp_path: Path) -> None:
    """Topics are of seeds of their own, each cut where it likes: one merge serves all of them."""
    table = LatticeTable(spark, JOB, SINK, JOB_INPUT, str(tmp_path / "table"))
    table.prepare()
    topics = {f"{name}-{seed}": saids(seed) for seed in range(6) for name in ("whole", "cut")}
    wire = next(one for said in topics.values() for one in said if one.voice == ("", "wire"))
    extra = [of_no_use(wire), broken(wire)]

    rejected = 0
    for number in range(2):
        records = [
            record_of(one, topic)
            for topic, said in topics.items()
            for one in cut(said, [0 if topic.startswith("whole") else 7 * len(topic) % len(said)])[number]
        ]
        reading = table.read(frame_of(spark, [*records, *extra[number]]))
        decoded = reading.decoded.persist()
        rejected += decoded.where("rejected is not null").count()
        reading.write({})
        decoded.unpersist()

    found: dict[str, dict[Any, dict[str, Any]]] = {}
    for row in read(table.table.path):
        assert (row["partition"] == 3) or row["evidence"] == "interceptors" or row["verdict"] is None
        if row["partition"] == 3:
            found.setdefault(row["topic"], {})[row["group_id"], row["evidence"]] = row
    assert found.keys() == topics.keys()
    for topic, said in topics.items():
        wanted = completeness_oracle.judge(said, GRACE_MS)
        told = {voice: {name: row[name] for name in wanted[voice]} for voice, row in found[topic].items()}
        assert told == wanted, topic
    assert rejected == len(extra[1])


def test_a_record_from_the_future_is_of_the_present(spark: SparkSession) -> None:
    ahead = record_of(saids(0)[0], "orders")._replace(timestamp_ms=2**41)

    [row] = SINK.transform(frame_of(spark, [ahead]), JOB_INPUT).rows.where("partition >= 0").collect()

    assert [report["at_ms"] <= now_ms() for report in row["reports"]] == [True]


@pytest.mark.broker
def test_a_run_asks_the_broker_where_its_logs_end(spark: SparkSession, kafka: LocalBroker, tmp_path: Path) -> None:
    prefix = f"complete-{uuid.uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    platform = {name: f"{prefix}.platform.{name}" for name in ("traffic", "interceptions")}
    orders = f"{prefix}.orders"
    create(admin, *platform.values())
    create(admin, orders, partitions=4)
    write(kafka, orders, 30)
    commit(kafka, f"{prefix}.unseen", orders, 7)
    commit(kafka, f"{prefix}.seeks", orders, 30)
    hour_ago = time.time_ns() // 1_000_000 - 3_600_000
    written = Said(("", "wire"), hour_ago, hour_ago - 20, hour_ago, 0, 1, frozenset(range(30)), 30, plain=True)
    got = [(1, range(10)), (2, range(15, 30))]
    groups = [
        Said((f"{prefix}.{name}", "interceptors"), hour_ago, hour_ago, hour_ago, 0, seq, frozenset(of), len(of))
        for name in ("g", "seeks")
        for seq, of in got
    ]
    tell(kafka, platform["traffic"], in_first(record_of(written, orders)), at_ms=hour_ago)
    tell(kafka, platform["interceptions"], *(in_first(record_of(one, orders)) for one in groups), at_ms=hour_ago)
    config = job_config(
        tmp_path,
        type="Completeness",
        cluster_id="c",
        kafka={"bootstrap_servers": [kafka.bootstrap]},
        topics=platform,
        parameters={"grace": "1m"},
    )

    board = run_once(spark, config, JOB)

    rows = read(config.table_path)
    found = {tuple(row[key] for key in KEYS): row for row in rows}
    group = found[orders, 0, f"{prefix}.g", "interceptors"]
    assert (group["verdict"], group["lost"], group["lost_ranges"]) == ("Lost", 5, [{"first": 10, "last": 14}])
    seeks = found[orders, 0, f"{prefix}.seeks", "interceptors"]
    assert (seeks["verdict"], seeks["lost"], seeks["skipped"]) == ("Skipped", 0, 5)
    log = found[orders, 0, "", "offsets"]
    assert (log["verdict"], log["log_start"], log["log_end"]) == ("Complete", 0, 30)
    assert found[orders, 0, f"{prefix}.unseen", "offsets"]["verdict"] == "NotSeen"
    assert not board.read().ledger.dropped
    _check_findings(spark, config.table_path, orders, prefix)
    assert f"{orders}" in render(JOB.display_columns, rows)
    for future in admin.delete_topics([orders, *platform.values()]).values():
        future.result()


def in_first(record: KafkaRecord) -> KafkaRecord:
    """The same of partition 0, to which tests write."""
    value = json.loads(record.value or b"")
    for one in (value, *value.get("partitions", ())):
        one["partition"] = 0 if "partition" in one else None
    return record._replace(value=json.dumps({name: one for name, one in value.items() if one is not None}).encode())


def _check_findings(spark: SparkSession, path: str, topic: str, prefix: str) -> None:
    assert JOB.findings is not None
    owners = OwnerList.model_validate({"owners": [{"team": "readers", "match": {"group": f"{prefix}.g"}}]})
    told = JOB.findings(spark.read.format("delta").load(path), JOB_INPUT._replace(owners=owners), 0)
    assert told.counts == {
        "Lost": 1, "NotAcknowledged": 0, "Skipped": 1, "Duplicated": 0, "Unexplained": 0, "NotSeen": 1, "Late": 0,
    }  # fmt: skip
    lost, skipped, unseen = told.examples
    assert (lost.kind, lost.subject) == ("Lost", f"{topic}-0 {prefix}.g")
    assert lost.message.startswith("5 of 30 offsets that were written were not handed to the group: 10-14.")
    assert lost.message.endswith("; tell readers")
    assert (skipped.kind, skipped.subject) == ("Skipped", f"{topic}-0 {prefix}.seeks")
    assert unseen.message.startswith("the group has committed offset 7, and nobody saw what it was handed")
