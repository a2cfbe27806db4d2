"""The whole way of an observer's rows through a real process and a real broker."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from confluent_kafka import Message
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.collector.collector_process import GATEWAY_SOURCE, SIDECAR, TOPICS, CollectorProcess
from tests.collector.collector_samples import CLUSTER
from tests.collector.event_samples import of_sidecar, request, row, totals
from tests.collector.test_collector_pipeline import read_topic
from tests.collector.test_observed_events import ledger
from tests.eventually import eventually

pytestmark = pytest.mark.broker
Start = Callable[..., CollectorProcess]
SCHEMAS = {
    "traffic": "kwitness.traffic/1",
    "connections": "kwitness.connections/1",
    "requests": "kwitness.requests/1",
    "headers": "kwitness.headers/1",
    "seals": "kwitness.seals/1",
}


def headers(message: Message) -> dict[str, str]:
    return {key: value.decode() for key, value in message.headers() or []}


def test_rows_reach_their_topics_as_they_are_marked_with_what_the_token_says(start: Start, broker: LocalBroker) -> None:
    collector = start(bootstrap=broker.bootstrap)
    lines = {topic: row(seq, topic, reported_by="broker") for seq, topic in enumerate(SCHEMAS, 1)}
    body = request(lines.values(), totals=[totals(6)], epoch=7)

    answer = eventually(lambda: collector.observe(body), lambda answer: not answer.body["later"])

    assert {*answer.body["accepted"].split(","), *answer.body["duplicates"].split(",")} - {""} <= {"1-6", "1-5", "6"}
    for seq, topic in enumerate(SCHEMAS, 1):
        [record] = read_topic(broker, TOPICS[topic], lambda one: headers(one).get("event_epoch") == "7", 1)
        assert record.value() == lines[topic][1]
        assert record.key() == f"key-{seq}".encode()
        assert headers(record) == {
            "schema": SCHEMAS[topic],
            "event_source": GATEWAY_SOURCE,
            "event_epoch": "7",
            "event_seq": str(seq),
            "reported_by": "gateway",
            "cluster_id": CLUSTER,
            "k8s_namespace": "shop",
            "k8s_pod": "kwitness-gateway-front-0",
        }
    assert collector.value("kafka_client_records_total") == 10


def test_rows_of_a_sidecar_have_the_place_and_the_workload_that_its_pod_bears_out(
    start: Start, broker: LocalBroker
) -> None:
    collector = start(bootstrap=broker.bootstrap)
    for epoch, workload in ((17, "app"), (18, "ap")):
        body = request([row(1), row(2, k8s_workload="forged")], epoch=epoch, **of_sidecar(workload))
        first = collector.observe(body, token=SIDECAR)
        assert [(refused["seq"], refused["reason"]) for refused in first.body["rejected"]] == [(2, "WrongPlace")]
        eventually(lambda: collector.observe(body, token=SIDECAR), lambda answer: not answer.body["later"])  # noqa: B023

    records = read_topic(broker, TOPICS["traffic"], lambda one: headers(one).get("event_epoch") in {"17", "18"}, 2)
    marks = {headers(one)["event_epoch"]: headers(one) for one in records}
    assert marks["17"]["k8s_workload"] == "app"
    assert "k8s_workload" not in marks["18"]
    assert {(one["k8s_namespace"], one["k8s_pod"]) for one in marks.values()} == {("stranger", "app-1")}
    values = {headers(record)["event_epoch"]: json.loads(record.value() or b"") for record in records}
    own = {"event_seq": 1, "k8s_namespace": "stranger", "k8s_pod": "app-1"}
    assert values == {"17": own | {"k8s_workload": "app"}, "18": own}


def test_rows_that_waited_for_the_broker_are_there_once_it_is_back(start: Start) -> None:
    with LocalBroker() as own:
        admin = AdminClient({"bootstrap.servers": own.bootstrap})
        admin.create_topics([NewTopic(TOPICS["traffic"], 1, 1)])[TOPICS["traffic"]].result()
        collector = start(bootstrap=own.bootstrap)
        first = eventually(lambda: collector.observe(request([row(1)])), lambda answer: not answer.body["later"])
        assert first.status == 200
        own.shutdown()
        body = request([row(2)], totals=[totals(3)])
        assert collector.observe(body).body["later"] == "2"
        own.start()

        again = eventually(lambda: collector.observe(body), lambda answer: not answer.body["later"])

        assert (again.body["accepted"], again.body["duplicates"]) == ("2", "3")
        assert [one.value() for one in read_topic(own, TOPICS["traffic"], lambda _: True, 2)][:2] == [
            row(1)[1],
            row(2)[1],
        ]
        assert collector.value("kafka_client_records_total") == 10
        hops = ledger(collector)
        assert hops["events_topic"]["delivered"] == 2
        assert hops["events_topic"]["dropped"]["returned"] >= 1
