"""Record headers through a real collector: rows to their topic, totals to counters, what is wrong to the inventory."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import Message

from kwitness.collector.sharding import owner_of
from kwitness.contracts.records import HeaderRow
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.collector.collector_process import (
    GATEWAY,
    INTERCEPTED_POD,
    INTERCEPTOR,
    SIDECAR,
    TOPICS,
    CollectorProcess,
)
from tests.collector.collector_samples import CLUSTER
from tests.collector.event_samples import of_sidecar, request, row
from tests.collector.interceptor_samples import EPOCH, REPORTER, header, interceptors_request
from tests.collector.replica_pair import port_pair
from tests.collector.test_collector_pipeline import read_topic
from tests.collector.test_interceptor_events import EXAMPLE
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
HEADERS = "kafka_client_headers_total"
PROBLEMS = "kafka_client_header_problems_total"
OBSERVED = {"seen_by": "observer", "side": "producer", "topic": "orders", "key": "tenant", "headers": 3}


def header_row(seq: int, **value: Any) -> tuple[dict[str, Any], bytes]:
    """One row of kwitness.headers as the contract has it."""
    line = {
        "event_source": "s",
        "event_epoch": EPOCH,
        "event_seq": seq,
        "window_start_ms": EPOCH,
        "window_end_ms": EPOCH + 10_000,
        **value,
    }
    text = HeaderRow.model_validate(line).model_dump_json(by_alias=True, exclude_none=True).encode()
    return {"seq": seq, "topic": "headers", "key": REPORTER, "bytes": len(text)}, text


def findings(collector: CollectorProcess, **params: str) -> list[dict[str, Any]]:
    answer = collector.get(f"/v1/clusters/{CLUSTER}", params=params)
    assert answer.status == 200, answer.body
    return list(answer.body["headers"])


@pytest.mark.broker
def test_headers_go_the_whole_way(start: Start, broker: LocalBroker) -> None:
    collector = start(bootstrap=broker.bootstrap)
    epoch = EPOCH + 77
    intercepted = header_row(1, **{**OBSERVED, "seen_by": "java", "instance": f"{REPORTER}/1", "testing_id": 3})
    body = interceptors_request(
        [intercepted],
        epoch=epoch,
        totals=[{"seq": 2, "headers": [header(3, key="tenant", problems={"testing_id": 3}, removed=0)]}],
    )

    answer = eventually(lambda: collector.observe(body, token=INTERCEPTOR), lambda answer: not answer.body["later"])

    assert answer.body["rejected"] == []

    def marks(one: Message) -> dict[str, str]:
        return {key: value.decode() for key, value in one.headers() or []}

    [record] = read_topic(broker, TOPICS["headers"], lambda one: marks(one).get("event_epoch") == str(epoch), 1)
    place = {"k8s_namespace": "shop", "k8s_workload": "orders", "k8s_pod": INTERCEPTED_POD.partition("/")[2]}
    assert json.loads(record.value() or b"") == json.loads(intercepted[1]) | place
    assert record.key() == REPORTER.encode()
    assert marks(record) == {
        "schema": "kwitness.headers/1",
        "event_source": f"{INTERCEPTED_POD}/{REPORTER}",
        "event_epoch": str(epoch),
        "event_seq": "1",
        "reported_by": "pod",
        "cluster_id": CLUSTER,
        **place,
    }
    where = {"k8s_namespace": "shop", "k8s_workload": "orders", "seen_by": "java", "topic": "orders", "key": "tenant"}
    assert collector.value(HEADERS, cluster_id=CLUSTER, side="producer", **where) == 3
    assert collector.value(PROBLEMS, problem="testing_id", **where) == 3
    [found] = findings(collector)
    assert found.pop("first_seen_ms") <= found.pop("last_seen_ms")
    assert found == {
        "side": "producer",
        "topic": "orders",
        "key": "tenant",
        "problem": "testing_id",
        "k8s_namespace": "shop",
        "k8s_workload": "orders",
        "k8s_pod": INTERCEPTED_POD.partition("/")[2],
        "seen_by": "java",
        "headers": 3,
        "removed": 0,
    }


def test_observers_and_interceptors_may_both_send_them_and_are_told_apart(start: Start) -> None:
    collector = start()
    entry = header(5, key="tenant")

    gateway = collector.observe(request([header_row(1, **OBSERVED)], totals=[{"seq": 2, "headers": [entry]}]))
    sidecar = collector.observe(request(totals=[{"seq": 1, "headers": [entry]}], **of_sidecar()), token=SIDECAR)
    pod = collector.observe(interceptors_request(totals=[{"seq": 1, "headers": [entry]}]), token=INTERCEPTOR)

    assert [one.body["accepted"] for one in (gateway, sidecar, pod)] == ["1-2", "1", "1"]
    assert collector.value(HEADERS, key="tenant") == 15
    assert collector.value(HEADERS, key="tenant", seen_by="observer") == 10
    assert collector.value(HEADERS, key="tenant", seen_by="observer", k8s_workload="app") == 5
    assert [(one["seen_by"], one.get("k8s_pod"), one.get("client_id")) for one in findings(collector)] == [
        ("java", INTERCEPTED_POD.partition("/")[2], None),
        ("observer", None, "orders"),
        ("observer", "app-1", None),
    ]


def test_what_comes_again_counts_once(start: Start) -> None:
    collector = start()
    body = interceptors_request(totals=[{"seq": 1, "headers": [header(5)]}])

    answers = [collector.observe(body, token=INTERCEPTOR).body for _ in range(2)]

    assert [one["duplicates"] for one in answers] == ["", "1"]
    assert collector.value(HEADERS) == 5
    assert [one["headers"] for one in findings(collector)] == [1]


def test_rows_for_unknown_topics_are_rejected_alone(start: Start) -> None:
    collector = start()

    answer = collector.observe(
        interceptors_request([header_row(1, **OBSERVED), row(2, "header"), row(3, "kwitness.headers")]),
        token=INTERCEPTOR,
    )

    assert answer.body["accepted"] == "1"
    assert [(one["seq"], one["reason"]) for one in answer.body["rejected"]] == [
        (2, "UnknownTopic"),
        (3, "UnknownTopic"),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": "k" * 129},
        {"topic": ""},
        {"topic": "t" * 250},
        {"headers": -1},
        {"side": "broker"},
        {"problems": {str(number): 1 for number in range(17)}},
        {"problems": {"p" * 33: 1}},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_totals_with_impossible_values_are_refused_and_nothing_of_them_is_taken(
    shared: CollectorProcess, wrong: dict[str, Any]
) -> None:
    entries = [header(), header(**wrong)]

    for body, token in (
        (request(totals=[{"seq": 1, "headers": entries}]), GATEWAY),
        (interceptors_request(totals=[{"seq": 1, "headers": entries}]), INTERCEPTOR),
    ):
        answer = shared.observe(body, token=token)
        assert (answer.status, answer.body["error"]["reason"]) == (422, "MalformedHead"), answer.body

    assert shared.value(HEADERS) is None
    assert shared.get(f"/v1/clusters/{CLUSTER}").body["headers"] == []


def test_a_hundred_thousand_keys_cost_no_more_than_the_budget_and_blind_nobody(start: Start) -> None:
    collector = start(config={"prometheus": {"max_series": 400}})
    collector.observe(request(totals=[{"seq": 1, "headers": [header(1, key="known", problems={"missing": 2})]}]))
    before = collector.resident_bytes()

    for seq in range(25):
        entries = [{**header(1, problems={"unregistered": 1}), "key": f"{seq}-{number}"} for number in range(4_000)]
        body = interceptors_request(totals=[{"seq": seq, "headers": entries}])
        answer = collector.observe(body, token=INTERCEPTOR, compress=True)
        assert answer.status == 200, answer.body

    samples = collector.scrape()
    assert sum(samples[HEADERS].values()) == 100_001
    assert sum(len(found) for name, found in samples.items() if name.startswith("kafka_client_header")) <= 100 + 8
    assert collector.value("kwitness_series_overflow_total", reason="headers") is not None
    state = collector.get(f"/v1/clusters/{CLUSTER}").body
    assert {(one["key"], one["headers"]) for one in state["headers"] if one["seen_by"] == "observer"} == {("known", 2)}
    assert sum(one["seen_by"] == "java" for one in state["headers"]) == 100
    assert state["headers_left_out"] == 100_000 - 100
    assert collector.resident_bytes() - before < 64 * 1024 * 1024


def test_any_replica_answers_with_what_all_heard(start: Start) -> None:
    tens = port_pair()
    peers = f"http://127.0.0.1:{tens}{{ordinal}}"
    pair = [start(ordinal=number, port=tens * 10 + number, config={"replicas": 2}, peers=peers) for number in range(2)]
    owner = owner_of(INTERCEPTED_POD, 2)
    other = pair[1 - owner]

    answer = other.observe(interceptors_request(totals=[{"seq": 1, "headers": [header()]}]), token=INTERCEPTOR)

    assert answer.body["replica"] == owner
    assert [[one["key"] for one in findings(replica)] for replica in pair] == [["trace-id"]] * 2
    assert findings(other, local="true") == []


def test_the_examples_of_the_contract_have_findings(start: Start) -> None:
    collector = start()
    first, _, rows = EXAMPLE.read_bytes().partition(b"\n")
    body = json.dumps({**json.loads(first), "cluster_id": CLUSTER}).encode() + b"\n" + rows

    collector.observe(body, token=INTERCEPTOR)

    assert [(one["key"], one["problem"], one["headers"], one["removed"]) for one in findings(collector)] == [
        ("debug-info", "unregistered", 4, 4),
        ("tenant", "missing", 1, 0),
        ("tenant", "testing_id", 31, 0),
    ]
