"""Observers beside a second broker of the development Kafka: its listener on loopback, or redirected where it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from kwitness.contracts.injections import OBSERVER, OBSERVER_CONTAINER, REDIRECT_CONTAINER
from kwitness.demo import up
from kwitness.demo.platform import NAMESPACE, Platform
from kwitness.demo.toolbox import Toolbox

from tests.e2e import kafka_users, pod_security, second_broker, topic_records
from tests.e2e.eventually import eventually
from tests.e2e.second_broker import BROKER, HOST, NODE_ID, PORT, RECORDS, condition

LOOPBACK_PORT = 19098
# A broker that leaves is noticed by whoever knew of it.
pytestmark = [
    pytest.mark.needs(up.collector),
    pytest.mark.expects_log("(?i)broker|kafka|connect|telemetry|unreachable|disconnect|node"),
]


@pytest.fixture
def on_loopback(platform: Platform) -> Iterator[None]:
    """The certificate is in the volume that the broker's own listeners with TLS read."""
    tls = {"fromPodVolume": {"volume": "tls"}}
    listener = second_broker.Listener(
        "SaslTls", f"127.0.0.1:{LOOPBACK_PORT}", {"loopbackPort": LOOPBACK_PORT, "tls": tls}
    )
    with second_broker.observed(platform, listener):
        yield


@pytest.fixture
def redirected(platform: Platform) -> Iterator[None]:
    """A broker whose properties say nothing of an observer."""
    listener = second_broker.Listener("SaslPlaintext", f"0.0.0.0:{PORT}", {"redirect": {}})
    with pod_security.enforcing(platform, NAMESPACE, "privileged"), second_broker.observed(platform, listener):
        yield


@pytest.mark.usefixtures("on_loopback")
def test_clients_reach_a_broker_on_loopback_through_its_observer_and_are_seen_by_name(
    platform: Platform, toolbox: Toolbox
) -> None:
    assert [one["name"] for one in pod(platform)["spec"]["initContainers"]] == [OBSERVER_CONTAINER]

    authority = kafka_users.authority(platform)
    security = {"security.protocol": "SASL_SSL", "ssl.ca.pem": authority}
    known = second_broker.produce(platform, toolbox, "e2e-beside", security)

    # The broker's own answer: nothing in it was changed.
    assert known == [f"{HOST}:{PORT}"]
    counted_by_name(platform, toolbox, "e2e-beside")
    loopback = eventually(lambda: condition(platform, "Loopback"), lambda now: now.get("status") == "True")
    assert f"127.0.0.1:{LOOPBACK_PORT} on broker {NODE_ID}" in loopback["message"]
    covered_with(platform, addresses="SeenAsLoopback")


@pytest.mark.usefixtures("redirected")
def test_clients_of_a_broker_that_nobody_changed_are_redirected_and_seen_by_name(
    platform: Platform, toolbox: Toolbox
) -> None:
    assert [one["name"] for one in pod(platform)["spec"]["initContainers"]] == [OBSERVER_CONTAINER, REDIRECT_CONTAINER]

    known = second_broker.produce(platform, toolbox, "e2e-redirected", {"security.protocol": "SASL_PLAINTEXT"})

    assert known == [f"{HOST}:{PORT}"]
    counted_by_name(platform, toolbox, "e2e-redirected")
    covered_with(platform, addresses="SeenAsPod")
    assert condition(platform, "Loopback") == {}


def pod(platform: Platform) -> dict[str, Any]:
    found = platform.cluster.find("pod", BROKER, NAMESPACE)
    assert found["metadata"]["annotations"][OBSERVER] == f"{NAMESPACE}/{second_broker.NAME}"
    return found


def counted_by_name(platform: Platform, toolbox: Toolbox, client: str) -> None:
    topic = second_broker.topic_of(client)
    series = f'client_id="{client}",principal="User:{kafka_users.ADMIN}",api="Produce",topic="{topic}"'
    eventually(lambda: platform.latest(f"kafka_client_records_total{{{series}}}"), lambda now: now == RECORDS)
    assert platform.latest(f"kafka_client_record_bytes_total{{{series}}}") > RECORDS * 100
    rows = [json.loads(one.value) for one in topic_records.of_clients(toolbox, "kwitness.traffic", client)]
    assert {(row["observer_mode"], row["reported_by"]) for row in rows} == {("broker", "pod")}


def covered_with(platform: Platform, *, addresses: str) -> None:
    told = eventually(lambda: condition(platform, "ClientAddresses"), bool)
    assert (told["status"], told["reason"]) == ("False", addresses)
    eventually(lambda: condition(platform, "Covered"), lambda now: now.get("status") == "True")
    assert condition(platform, "Ready")["reason"] == "Injecting"
