"""Observers that answer clients in the brokers' place push what they took, and are told the cluster's subscriptions."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest
import requests

from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.collector.collector_process import (
    GATEWAY,
    GATEWAY_SOURCE,
    INTERCEPTOR,
    PLUGIN,
    SIDECAR,
    SIDECAR_SOURCE,
    TOPICS,
    Answer,
    CollectorProcess,
)
from tests.collector.collector_samples import CLUSTER, batch, counter_push, push
from tests.collector.conftest import Start
from tests.collector.event_samples import request
from tests.collector.test_collector_pipeline import read_topic
from tests.eventually import eventually

PATH = "/v1/observers/shop/front/subscriptions"
SUBSCRIPTION = {"id": "one", "metrics": ["org.apache.kafka."], "interval_ms": 1_000, "match": {"client_id": "a-.*"}}


def of_observer(source: str, reported_by: str | None, pushes: list[Any]) -> dict[str, Any]:
    """What an observer sends: it knows no broker."""
    envelope = batch(pushes, broker=source)
    for name in ("broker_id", "plugin_version", "kafka_version"):
        del envelope[name]
    return {**envelope, **({"reported_by": reported_by} if reported_by else {})}


def items(collector: CollectorProcess) -> dict[str, Any]:
    return {one["client_instance_id"]: one for one in collector.get("/v1/clients").body["items"]}


def test_a_gateways_push_is_a_clients_and_counts_once(shared: CollectorProcess) -> None:
    one = of_observer(GATEWAY_SOURCE, "gateway", [push(1, counter_push(3.0), client="by-gateway")])

    assert shared.push(one, token=GATEWAY).body["accepted"] == 1
    assert shared.push(one, token=GATEWAY, compress=True).body == {"accepted": 0, "duplicates": 1, "rejected": []}

    found = items(shared)["by-gateway"]
    assert (found["principal"], found["client_software_version"]) == ("User:alice", "4.3.1")
    assert found.get("k8s_pod") is None


def test_a_sidecars_clients_are_in_its_pod_whatever_it_says(shared: CollectorProcess) -> None:
    one = of_observer(SIDECAR_SOURCE, "pod", [push(1, counter_push(3.0), client="by-sidecar")])

    assert shared.push(one, token=SIDECAR).status == 200

    found = items(shared)["by-sidecar"]
    assert (found["k8s_namespace"], found["k8s_pod"]) == ("stranger", "app-1")


@pytest.mark.parametrize(
    ("token", "source", "reported_by", "reason"),
    [
        (GATEWAY, SIDECAR_SOURCE, "gateway", "WrongSource"),
        (GATEWAY, f"{GATEWAY_SOURCE}/more", "gateway", "WrongSource"),
        (SIDECAR, SIDECAR_SOURCE, "gateway", "WrongReporter"),
        (SIDECAR, SIDECAR_SOURCE, None, "WrongReporter"),
        (INTERCEPTOR, GATEWAY_SOURCE, "gateway", "WrongSource"),
    ],
)
def test_an_observer_pushes_for_its_own_pod_alone(
    shared: CollectorProcess, token: str, source: str, reported_by: str | None, reason: str
) -> None:
    answer = shared.push(of_observer(source, reported_by, [push(1, client="forged")]), token=token)

    assert (answer.status, answer.body["error"]["reason"]) == (403, reason)
    assert "forged" not in items(shared)


def test_an_observer_sends_no_heartbeat_of_a_broker(shared: CollectorProcess) -> None:
    assert shared.post("/v1/gauges", {}, token=GATEWAY).status == 403


def test_subscriptions_are_told_with_a_hash_that_answers_name_until_they_change(start: Start) -> None:
    collector = start()
    collector.subscribe([SUBSCRIPTION])

    def told() -> Answer:
        return collector.get(PATH, token=GATEWAY)

    def named() -> str | None:
        body = request(state={"telemetry": {"instances": 0}})
        found: str | None = collector.observe(body).body.get("subscriptions")
        return found

    first = eventually(told, lambda answer: answer.body["subscriptions"])
    assert first.body["subscriptions"] == [SUBSCRIPTION]
    assert re.fullmatch("[0-9a-f]{16}", first.body["hash"])
    assert named() == first.body["hash"]
    assert collector.observe(request()).body.get("subscriptions") is None, "who answers nobody needs none"

    collector.subscribe([{**SUBSCRIPTION, "interval_ms": 2_000}])
    eventually(named, lambda now: now != first.body["hash"])


def test_the_order_of_subscriptions_is_no_change(start: Start) -> None:
    collector, other = start(), {**SUBSCRIPTION, "id": "two"}
    collector.subscribe([SUBSCRIPTION, other])
    before = eventually(
        lambda: collector.get(PATH, token=GATEWAY), lambda answer: len(answer.body["subscriptions"]) > 1
    )

    collector.subscribe([other, SUBSCRIPTION])

    assert collector.get(PATH, token=GATEWAY).body == before.body


@pytest.mark.parametrize("token", [PLUGIN, INTERCEPTOR, None])
def test_nobody_else_is_told_subscriptions(shared: CollectorProcess, token: str | None) -> None:
    headers = {"Authorization": f"Bearer {token}"} if token else {}

    assert requests.get(f"http://127.0.0.1:{shared.port}{PATH}", headers=headers, timeout=30).status_code in {401, 403}


@pytest.mark.broker
def test_the_record_says_who_answered(start: Start, broker: LocalBroker) -> None:
    collector = start(bootstrap=broker.bootstrap)
    one = of_observer(GATEWAY_SOURCE, "gateway", [push(1, base64.b64decode("AA=="), client="in-topic-of-observers")])

    assert collector.deliver(one, token=GATEWAY).status == 200

    [record] = read_topic(broker, TOPICS["telemetry"], lambda message: message.key() == b"in-topic-of-observers", 1)
    headers = {name: value.decode() for name, value in record.headers() or []}
    assert (headers["reported_by"], headers["event_source"]) == ("gateway", f"{CLUSTER}/{GATEWAY_SOURCE}")
