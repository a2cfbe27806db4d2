"""Versions of Kafka where an interface begins: the plugin is loaded, and what it says hangs on the version."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from confluent_kafka import Producer

from kwitness.e2e.kafka.broker_requests import GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY, api_keys
from kwitness.e2e.kafka.jars import VERSIONS_BETWEEN
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.e2e.recording_collector import RecordingCollector
from kwitness.sandbox.subscription import subscribe

pytestmark = pytest.mark.broker

_INTERVAL_MS = 200
_BOTH = (
    "org.apache.kafka.common.metrics.JmxReporter,dev.kwitness.broker.KwitnessLegacyReporter,"
    "dev.kwitness.broker.KwitnessReporter"
)


@pytest.mark.parametrize("version", VERSIONS_BETWEEN)
def test_the_plugin_works_in_the_versions_between(
    plugin_broker: Callable[..., AbstractContextManager[LocalBroker]],
    collector: RecordingCollector,
    librdkafka_producer: Callable[..., AbstractContextManager[Producer]],
    version: str,
) -> None:
    has_exporters = version == "4.2.1"
    # The one with exporters has both entry classes, as somebody has who upgrades: each push is sent once.
    overrides = {"metric.reporters": _BOTH} if has_exporters else {}
    with plugin_broker(collector, version, overrides=overrides) as broker:
        assert {GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY} <= api_keys(broker.bootstrap)
        subscribe(broker.bootstrap, "kwitness.test", interval_ms=_INTERVAL_MS)
        with librdkafka_producer(broker.bootstrap, "between"):
            collector.wait_for(lambda: len(collector.pushes()) > 2, what="three pushes")
            instance = collector.pushes()[0]["client_instance_id"]
            collector.wait_for(lambda: instance in collector.heartbeats()[-1]["asking"], what="the instance")
        logs = broker.logs()

    pushes = collector.pushes()
    assert {one.get("push_interval_ms") for one in pushes} == ({_INTERVAL_MS} if has_exporters else {None})
    assert [one["seq"] for one in pushes] == list(range(1, len(pushes) + 1))
    beat = collector.heartbeats()[-1]
    assert beat["kafka_version"] == version
    assert beat["warnings"] == (["BothEntryClasses"] if has_exporters else [])
    assert len({(one["source"], one["epoch"]) for one in collector.heartbeats()}) == 1
    assert ("stays aside" in logs) is has_exporters
