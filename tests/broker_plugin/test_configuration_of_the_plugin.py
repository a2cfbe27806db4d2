"""A broker with a wrongly configured plugin starts and serves; the plugin says once what is wrong and does nothing."""

from __future__ import annotations

import time

import pytest

from kwitness.e2e.kafka.broker_requests import GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY, api_keys
from kwitness.e2e.kafka.local_broker import KAFKA_VERSIONS, LocalBroker, reporter_class
from kwitness.e2e.kafka.telemetry_requests import subscribe
from kwitness.e2e.ports import free_port

from tests.eventually import eventually

pytestmark = pytest.mark.broker


@pytest.mark.parametrize("version", KAFKA_VERSIONS)
def test_a_wrong_setting_leaves_the_broker_working_and_is_named_once(plugin_broker, collector, version):
    wrong = {"kwitness.queue.max.bytes": "32MiB", "kwitness.collector.token.file": "/nowhere/token"}
    with plugin_broker(collector, version, overrides=wrong) as broker:
        offered = api_keys(broker.bootstrap)
        logs = broker.logs()
    # From 4.2 on a broker offers the telemetry APIs whatever the plugin says.
    assert ({GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY} <= offered) is version.startswith("4.3.")
    assert not collector.requests()
    errors = [line for line in logs.splitlines() if "dev.kwitness" in line and " ERROR " in line]
    assert len(errors) == 1
    for part in ("kwitness.queue.max.bytes", "32MiB", "kwitness.collector.token.file", "/nowhere/token", "Remedy"):
        assert part in errors[0]


@pytest.mark.parametrize("entry", ["KwitnessReporter", "KwitnessLegacyReporter"])
def test_clients_of_a_broker_with_a_passive_plugin_push_into_the_void_without_errors(
    plugin_broker, java_client, tmp_path, entry
):
    reporters = f"org.apache.kafka.common.metrics.JmxReporter,dev.kwitness.broker.{entry}"
    with plugin_broker(None, overrides={"metric.reporters": reporters}) as broker:
        subscribe(broker.bootstrap, "kwitness.test", interval_ms=200)
        with java_client("producer", broker.bootstrap, "void"):
            eventually((tmp_path / "void.log").read_text, lambda log: "connected" in log)
            time.sleep(2)
        client = (tmp_path / "void.log").read_text()
        logs = broker.logs()
    assert "closed; records acknowledged" in client
    assert "INVALID_RECORD" not in client
    assert "telemetry" not in "".join(line for line in logs.splitlines() if " ERROR " in line).lower()
    assert 'Missing required configuration "kwitness.collector.url"' in logs


def test_a_working_plugin_makes_the_broker_offer_telemetry(plugged):
    broker, _ = plugged
    assert {GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY} <= api_keys(broker.bootstrap)


def test_the_entry_class_of_older_brokers_still_works_after_an_upgrade(plugin_broker, collector, librdkafka_producer):
    reporters = "org.apache.kafka.common.metrics.JmxReporter,dev.kwitness.broker.KwitnessLegacyReporter"
    with plugin_broker(collector, "4.3.1", overrides={"metric.reporters": reporters}) as broker:
        subscribe(broker.bootstrap, "kwitness.test", interval_ms=200)
        with librdkafka_producer(broker.bootstrap, "upgraded"):
            [push, *_] = collector.wait_for(collector.pushes, what="a push")
    assert push["client_id"] == "upgraded"
    assert "push_interval_ms" not in push


@pytest.mark.parametrize(("version", "warned"), [("3.9.2", False), ("4.3.1", True)])
def test_a_list_without_jmx_reporter_is_warned_of_where_kafka_does_not_add_it(
    plugin_broker, collector, version, warned
):
    with plugin_broker(collector, version, overrides={"metric.reporters": reporter_class(version)}) as broker:
        beat = collector.wait_for(collector.heartbeats, what="a heartbeat")[-1]
        logs = broker.logs()
    assert ("JmxReporterMissing" in beat["warnings"]) is warned
    assert ("so this broker shows no metrics in JMX" in logs) is warned


def test_a_misspelled_key_is_warned_of_and_the_plugin_works(plugin_broker, collector):
    with plugin_broker(collector, overrides={"kwitness.batch.linger": "5"}) as broker:
        beat = collector.wait_for(collector.heartbeats, what="a heartbeat")[-1]
        assert beat["warnings"] == ["UnknownConfiguration"]
        assert "perhaps misspelled: [kwitness.batch.linger]" in broker.logs()


@pytest.mark.parametrize("version", KAFKA_VERSIONS)
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


def test_connections_of_a_separate_listener_between_brokers_are_left_out(plugin_broker, collector, librdkafka_producer):
    client, internal, controller = free_port(), free_port(), free_port()
    listeners = f"CLIENT://127.0.0.1:{client},INTERNAL://127.0.0.1:{internal}"
    overrides = {
        "listeners": f"{listeners},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": listeners,
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "listener.security.protocol.map": "CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "INTERNAL",
    }
    with plugin_broker(collector, overrides=overrides), librdkafka_producer(f"127.0.0.1:{client}", "counted"):
        beat = collector.wait_for(
            lambda: (seen := collector.heartbeats()) and seen[-1]["connections"] and seen[-1], what="a connection"
        )
        assert {gauge["listener"] for gauge in beat["connections"]} == {"CLIENT"}
        assert beat["inter_broker_listener"] == "INTERNAL"
        assert not beat["push_sharing_inter_broker_listener"]
        with librdkafka_producer(f"127.0.0.1:{internal}", "intruder"):
            shared = collector.wait_for(
                lambda: (seen := collector.heartbeats()[-1])["push_sharing_inter_broker_listener"] and seen,
                what="the flag",
            )
            assert "INTERNAL" in {gauge["listener"] for gauge in shared["connections"]}
