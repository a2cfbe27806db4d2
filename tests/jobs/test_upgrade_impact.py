"""UpgradeImpact in Spark: the table after any cut, by way of the sink; who breaks, who may, who is unknown."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from kwitness.contracts.owners import OwnerList
from kwitness.contracts.resources.analytics_parameters import UpgradeImpactParameters
from kwitness.jobs.analyses.upgrade_impact.findings import Clients, judge, versions
from kwitness.jobs.analyses.upgrade_impact.job import JOB, SINK
from kwitness.jobs.analyses.upgrade_impact.transform import expired, transform
from kwitness.jobs.frame.findings import Findings
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.lattice_sink import LatticeTable

from tests import soak
from tests.jobs.api_uses import api_uses, connection, request
from tests.jobs.tables import frame_of, read
from tests.jobs.topic_uses import DAY_MS, snapshot_of
from tests.jobs.traffic import START_MS, counted
from tests.jobs.upgrade_impact_oracle import as_oracle, table_of

OWNERS = OwnerList.model_validate(
    {
        "owners": [
            {"team": "orders", "contact": "orders@example.com", "match": {"clientId": "orders*", "namespace": "shop"}},
            {"team": "c", "validFrom": "2026-09-23T00:00:00Z", "match": {"principal": "User:b"}},
            {"team": "b", "source": "KafkaUser", "match": {"principal": "User:b"}},
        ]
    }
)
JOB_INPUT = JobInput(UpgradeImpactParameters(target="4.4"), 300.0, owners=OWNERS)
SEEDS = soak.seeds(60)
NOW_MS = START_MS + DAY_MS


def table_of_records(spark: SparkSession, records: list[KafkaRecord]) -> DataFrame:
    """The table of one batch, computed once."""
    rows = transform(frame_of(spark, records), JOB_INPUT).rows
    return spark.createDataFrame(rows.collect(), rows.schema)


def findings(table: DataFrame, target: str = "4.4", now_ms: int = NOW_MS) -> Findings:
    assert JOB.findings is not None
    told = JOB_INPUT._replace(parameters=UpgradeImpactParameters.model_validate({"target": target}))
    return JOB.findings(table, told, now_ms)


@pytest.mark.soak
def test_the_table_after_any_cut_is_the_oracles(spark: SparkSession, tmp_path: Path) -> None:
    table = LatticeTable(spark, JOB, SINK, JOB_INPUT, str(tmp_path / "table"))
    table.prepare()
    # Each cut is of clusters of its own, so that one merge serves all of them.
    parts: list[list[KafkaRecord]] = [[], []]
    everything: list[KafkaRecord] = []
    for seed in SEEDS:
        dice = random.Random(seed)  # noqa: S311
        records = api_uses(seed, count=60, cluster=f"cut-{seed}")
        everything += records
        for record in records:
            parts[dice.randrange(2)].append(record)
    rejected: set[tuple[str, int]] = set()
    lines = 0

    for part in parts:
        reading = table.read(frame_of(spark, part))
        decoded = reading.decoded.persist()
        found = decoded.select("rejected", "used").where("rejected is not null or used is not null").collect()
        reading.write({})
        decoded.unpersist()
        lines += len(found)
        rejected |= {(one.rejected.topic, one.rejected.offset) for one in found if one.rejected}

    rows, bad = table_of(everything, OWNERS)
    held = read(table.table.path)
    assert as_oracle(held) == rows
    assert {row["computed_by"] for row in held} == {"UpgradeImpact/1"}
    assert {"orders", "b", "c", None} == {row["owner"] for row in rows.values()}
    assert {"ConfigMap", "KafkaUser", None} == {row["owner_source"] for row in rows.values()}
    assert rejected == bad
    assert lines == len(everything), "each record is used or rejected once"


def test_who_used_what_the_target_drops_breaks_and_whose_it_is(spark: SparkSession) -> None:
    old = {"principal": "User:b", "k8s_namespace": "shop", "k8s_workload": "orders-api"}
    sarama = {"client_software_name": "sarama", "client_software_version": "1.20.0"}
    records = [
        request(1, api="Fetch", api_version=3, requests=10, **old),
        request(2, api="Fetch", api_version=2, requests=5, window_end_ms=START_MS + 60_000, **old),
        request(3, api="Fetch", api_version=13, requests=1000, **old),
        request(4, api="Produce", api_version=0, requests=400, client_id=None, **sarama),
        request(5, api="Fetch", api_version=12, client_id="payments"),
        request(6, api="Fetch", api_version=0, client_id="kwitness-collector-0"),
        request(7, api="Fetch", api_version=18, client_id="newer"),
    ]

    table = table_of_records(spark, records)
    found = findings(table)

    assert found.counts == {"Breaks": 2, "MayBreak": 0, "Unknown": 0, "Unobserved": 0}
    nobody, orders = found.examples
    assert nobody.subject == "sarama/1.20.0"
    assert "Produce 0; 400 requests" in nobody.message
    assert "nobody's by the owners of the KafkaCluster" in nobody.message
    assert orders.subject == "User:b orders apache-kafka-java/4.3.1 in shop/orders-api"
    assert orders.message.startswith(
        "used what brokers of Kafka 4.4 do not answer: Fetch 2, 3; 15 requests, the last 2026-09-21T14:14Z; "
        "tell orders (orders@example.com): "
    ), orders.message
    assert findings(table, target="3.9").counts == dict.fromkeys(found.counts, 0)
    assert findings(table, now_ms=START_MS + 31 * DAY_MS).counts["Breaks"] == 0, "that is long ago"


def test_what_was_not_seen_on_the_wire_is_said_and_judged_by_facts_alone(spark: SparkSession) -> None:
    software = [
        *(counted("librdkafka", "1.6.0", 2), counted("kgo", "1.0", 1), counted("librdkafka", "2.0.0", 1)),
        *(counted("apache-kafka-java", "2.6.0", 9), counted("sarama", "1.30.1", 1), counted("unknown", "unknown", 3)),
        counted("kwitness-collector", "1", 3),
        counted("apache-kafka-java", "3.9.1-kwitness", 106),
    ]
    seen = {"client_software_name": "kgo", "client_software_version": "0.9"}
    records = [
        snapshot_of(1, START_MS, software),
        request(1, **seen),
        *(
            connection(2 + at, client_id=f"c{at}", client_software_name="kgo", client_software_version="1.1")
            for at in (0, 1)
        ),
        connection(4, **seen),
        connection(5, client_software_name="librdkafka", client_software_version="1.0.0"),
        request(
            6, client_id=None, client_software_name=None, client_software_version=None, api="other", api_version=None
        ),
    ]

    found = findings(table_of_records(spark, records))

    assert found.counts == {"Breaks": 0, "MayBreak": 2, "Unknown": 4, "Unobserved": 3}
    assert [(one.kind, one.subject) for one in found.examples] == [
        ("MayBreak", "librdkafka/1.0.0"),
        ("MayBreak", "librdkafka/1.6.0"),
        ("Unknown", "kgo/1.1"),
        ("Unknown", "unknown/unknown"),
        ("Unknown", "kgo/1.0"),
        ("Unobserved", "apache-kafka-java/2.6.0"),
        ("Unobserved", "librdkafka/2.0.0"),
        ("Unobserved", "sarama/1.30.1"),
    ]
    assert found.examples[2].message.startswith("2 clients that connected through an observer")


def test_findings_are_few_and_short_and_counts_are_all(spark: SparkSession) -> None:
    apis = ("Fetch", "Produce", "ListOffsets", "OffsetCommit", "OffsetFetch", "CreateTopics", "DeleteTopics")
    records = [
        request(at, api=apis[at % 7], api_version=0, requests=2**53, client_id="x" * 2000 + str(at % 25))
        for at in range(175)
    ]

    found = findings(table_of_records(spark, records))

    assert found.counts["Breaks"] == 25
    assert len(found.examples) == 20
    assert all(len(one.subject) <= 512 and len(one.message) <= 1024 for one in found.examples)
    assert str(7 * 2**53) in found.examples[0].message


def test_what_was_not_seen_for_twice_the_period_is_dropped(spark: SparkSession) -> None:
    rows = transform(frame_of(spark, [request(1), connection(2)]), JOB_INPUT).rows
    end_ms = START_MS + 10_000
    at = {days: datetime.fromtimestamp(end_ms / 1000 + days * 86_400, UTC) for days in (59, 61)}

    dropped = {days: rows.where(expired(JOB_INPUT, now)).count() for days, now in at.items()}

    assert dropped == {59: 0, 61: 2}


def test_software_that_is_sound_by_name_is_unobserved_and_an_unclear_request_is_unknown() -> None:
    sound = ("apache-kafka-java", "3.7.0")
    unseen = [Clients("connection", *sound, 5), Clients("request", *sound, 2), Clients("software", None, None, 1)]

    judged = judge(unseen, "4.0")

    assert judged == {"MayBreak": [], "Unknown": [unseen[1], unseen[2]], "Unobserved": [unseen[0]]}


def test_versions_are_named_by_their_apis() -> None:
    used: list[dict[str, Any]] = [
        {"api": api, "api_version": version} for api in ("Produce", "Fetch") for version in (11, 2)
    ]

    assert versions(used) == "Fetch 2, 11; Produce 2, 11"
    assert versions([{"api": f"A{at:02}", "api_version": 0} for at in range(14)]).endswith("A11 0 and of 2 more APIs")
