"""A broker with a wrongly configured plugin starts and serves; the plugin says once what is wrong and does nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from kwitness.e2e.kafka.broker_requests import GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY, api_keys
from kwitness.e2e.kafka.local_broker import KAFKA_VERSIONS, LocalBroker
from kwitness.e2e.recording_collector import RecordingCollector
from kwitness.sandbox.node_properties import JMX_REPORTER
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.subscription import subscribe

from tests import soak
from tests.broker_plugin.conftest import Plugged
from tests.eventually import eventually

pytestmark = pytest.mark.broker

NEWEST: Final = KAFKA_VERSIONS[-1]
LEGACY: Final = "dev.kwitness.broker.KwitnessLegacyReporter"


@pytest.fixture(scope="module", params=KAFKA_VERSIONS)
def misconfigured(request, plugin_broker) -> Iterator[Plugged]:
    """A broker of each version whose plugin cannot read two of its settings, and the collector that the others name."""
    wrong = {"kwitness.queue.max.bytes": "32MiB", "kwitness.collector.token.file": "/nowhere/token"}
    with RecordingCollector() as collector, plugin_broker(collector, request.param, overrides=wrong) as broker:
        yield broker, collector


def test_a_wrong_setting_leaves_the_broker_working_and_is_named_once(misconfigured):
    broker, collector = misconfigured
    offered = api_keys(broker.bootstrap)
    logs = broker.logs()
    # From 4.2 on a broker offers the telemetry APIs whatever the plugin says.
    assert ({GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY} <= offered) is broker.version.startswith("4.3.")
    assert not collector.requests()
    errors = [line for line in logs.splitlines() if "dev.kwitness" in line and " ERROR " in line]
    assert len(errors) == 1
    for part in ("kwitness.queue.max.bytes", "32MiB", "kwitness.collector.token.file", "/nowhere/token", "Remedy"):
        assert part in errors[0]


@pytest.mark.parametrize("misconfigured", KAFKA_VERSIONS[-1:], indirect=True)
def test_clients_push_into_the_void_without_errors_where_the_plugin_is_passive(misconfigured, java_client, tmp_path):
    broker, collector = misconfigured
    check_that_pushes_vanish(broker, java_client, tmp_path)
    assert not collector.requests()


def test_clients_push_into_the_void_without_errors_where_the_class_of_older_brokers_is_passive(
    plugin_broker, java_client, tmp_path
):
    with plugin_broker(None, overrides={"metric.reporters": f"{JMX_REPORTER},{LEGACY}"}) as broker:
        check_that_pushes_vanish(broker, java_client, tmp_path)
        assert 'Missing required configuration "kwitness.collector.url"' in broker.logs()


def check_that_pushes_vanish(broker: LocalBroker, java_client, folder: Path) -> None:
    """A client whose pushes no plugin takes sends its records, and neither side reports an error of telemetry."""
    subscribe(broker.bootstrap, "kwitness.test", interval_ms=200)
    with java_client("producer", broker.bootstrap, "void"):
        eventually((folder / "void.log").read_text, lambda log: "connected" in log)
        time.sleep(2)
    client = (folder / "void.log").read_text()
    assert "closed; records acknowledged" in client
    assert "INVALID_RECORD" not in client
    assert "telemetry" not in "".join(line for line in broker.logs().splitlines() if " ERROR " in line).lower()


def test_a_working_plugin_makes_the_broker_offer_telemetry(plugged):
    broker, _ = plugged
    assert {GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY} <= api_keys(broker.bootstrap)


@pytest.mark.parametrize("plugged", ["3.9.2"], indirect=True)
def test_nothing_is_warned_of_where_kafka_adds_jmx_reporter_to_the_list_itself(plugged):
    broker, collector = plugged
    beat = collector.wait_for(collector.heartbeats, what="a heartbeat")[-1]
    assert JMX_REPORTER not in (broker.properties["metric.reporters"] or "")
    assert "JmxReporterMissing" not in beat["warnings"]
    assert "so this broker shows no metrics in JMX" not in broker.logs()


@pytest.mark.parametrize(
    "version",
    [
        KAFKA_VERSIONS[0],
        *(pytest.param(one, marks=(pytest.mark.soak, soak.alone)) for one in KAFKA_VERSIONS[1:-1]),
        NEWEST,
    ],
)
def test_a_node_that_is_only_a_controller_starts_with_the_plugin_and_sends_nothing(jar, quick, collector, version):
    port = free_port()
    overrides = {
        **quick,
        "kwitness.collector.url": collector.url,
        "process.roles": "controller",
        "controller.quorum.voters": f"1@127.0.0.1:{port}",
        "listeners": f"CONTROLLER://127.0.0.1:{port}",
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        "advertised.listeners": None,
        "inter.broker.listener.name": None,
    }
    with LocalBroker(version, plugin=jar, overrides=overrides) as controller:
        assert "only a [controller]" in controller.logs()
        assert not collector.requests()


class Upgraded(NamedTuple):
    """A broker whose configuration was written for older ones, and the collector that its plugin sends to."""

    broker: LocalBroker
    collector: RecordingCollector
    clients: str
    """`host:port` of the listener for clients."""
    between: str
    """`host:port` of the listener between brokers."""


@pytest.fixture(scope="module")
def upgraded(plugin_broker) -> Iterator[Upgraded]:
    """Its list of reporters is the class of older brokers alone, a key is misspelled, brokers have a listener."""
    client, internal, controller = (f"127.0.0.1:{free_port()}" for _ in range(3))
    listeners = f"CLIENT://{client},INTERNAL://{internal}"
    overrides = {
        "listeners": f"{listeners},CONTROLLER://{controller}",
        "advertised.listeners": listeners,
        "controller.quorum.voters": f"1@{controller}",
        "listener.security.protocol.map": "CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "INTERNAL",
        "metric.reporters": LEGACY,
        "kwitness.batch.linger": "5",
    }
    with RecordingCollector() as collector, plugin_broker(collector, overrides=overrides) as broker:
        yield Upgraded(broker, collector, client, internal)


def test_a_misspelled_key_and_a_list_without_jmx_reporter_are_warned_of_and_the_plugin_works(upgraded):
    beat = upgraded.collector.wait_for(upgraded.collector.heartbeats, what="a heartbeat")[-1]
    assert sorted(beat["warnings"]) == ["JmxReporterMissing", "UnknownConfiguration"]
    logs = upgraded.broker.logs()
    assert "so this broker shows no metrics in JMX" in logs
    assert "perhaps misspelled: [kwitness.batch.linger]" in logs


def test_connections_of_a_separate_listener_between_brokers_are_left_out(upgraded, librdkafka_producer):
    collector = upgraded.collector
    with librdkafka_producer(upgraded.clients, "counted"):
        beat = collector.wait_for(
            lambda: (seen := collector.heartbeats()) and seen[-1]["connections"] and seen[-1], what="a connection"
        )
        assert {gauge["listener"] for gauge in beat["connections"]} == {"CLIENT"}
        assert beat["inter_broker_listener"] == "INTERNAL"
        assert not beat["push_sharing_inter_broker_listener"]
        with librdkafka_producer(upgraded.between, "intruder"):
            shared = collector.wait_for(
                lambda: (seen := collector.heartbeats()[-1])["push_sharing_inter_broker_listener"] and seen,
                what="the flag",
            )
            assert "INTERNAL" in {gauge["listener"] for gauge in shared["connections"]}


def test_the_entry_class_of_older_brokers_still_works_after_an_upgrade(upgraded, librdkafka_producer):
    subscribe(upgraded.clients, "kwitness.test", interval_ms=200)
    with librdkafka_producer(upgraded.clients, "upgraded"):
        [push, *_] = upgraded.collector.wait_for(upgraded.collector.pushes, what="a push")
    assert push["client_id"] == "upgraded"
    assert "push_interval_ms" not in push
