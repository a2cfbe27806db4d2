"""What brokers themselves count of client telemetry goes with heartbeats: it says why a client is silent."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from kwitness.contracts.envelopes import GaugeSnapshot
from kwitness.e2e.kafka.jars import kafka_jars
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.e2e.kafka.telemetry_requests import THROTTLING_QUOTA_EXCEEDED, UNKNOWN_SUBSCRIPTION_ID, TelemetryClient
from kwitness.e2e.recording_collector import RecordingCollector
from kwitness.sandbox.subscription import subscribe

from tests.broker_plugin.conftest import Plugged

pytestmark = pytest.mark.broker
PAYLOAD = b"\x0a\x00"


def heartbeat(collector: RecordingCollector) -> dict[str, Any]:
    newest = collector.heartbeats()[-1]
    GaugeSnapshot.model_validate(newest)
    return newest


def listed(collector: RecordingCollector, instance: str) -> dict[str, Any] | None:
    worst = heartbeat(collector).get("sensors", {}).get("worst", [])
    return next((one for one in worst if one["client_instance_id"] == instance), None)


def test_a_client_that_pushes_too_early_is_named_with_how_often(plugged: Plugged) -> None:
    broker, collector = plugged
    with TelemetryClient(broker.bootstrap, "too-early") as client:
        assert client.push(PAYLOAD) == 0
        # On a slow machine the interval can end before the next push.
        answers = [client.push(PAYLOAD) for _ in range(50)]
        assert set(answers) <= {0, THROTTLING_QUOTA_EXCEEDED}
        refused = answers.count(THROTTLING_QUOTA_EXCEEDED)
        assert refused > 0
        if broker.version.startswith("3.7."):
            assert "sensors" not in heartbeat(collector)
            return
        found = collector.wait_for(
            lambda: (one := listed(collector, client.instance)) and one["throttled"] == refused and one,
            what="the instance",
        )
    assert found == {
        "client_instance_id": client.instance,
        "throttled": refused,
        "plugin_errors": 0,
        "exported": 1 + len(answers) - refused,
    }
    sensors = heartbeat(collector)["sensors"]
    assert sensors["throttled"] >= refused
    assert sensors["exported"] >= 1
    assert sensors["instances"] >= 1
    assert client.instance in heartbeat(collector)["asking"]


def test_pushes_that_name_another_subscription_are_counted_for_the_broker(plugged: Plugged) -> None:
    broker, collector = plugged
    if broker.version.startswith("3.7."):
        assert "sensors" not in heartbeat(collector)  # that version has none
        return
    before = heartbeat(collector).get("sensors", {}).get("unknown_subscription", 0)
    with TelemetryClient(broker.bootstrap, "stale") as client:
        assert client.push(PAYLOAD, stale=True) == UNKNOWN_SUBSCRIPTION_ID
        collector.wait_for(
            lambda: heartbeat(collector)["sensors"]["unknown_subscription"] == before + 1, what="the refused push"
        )
    assert listed(collector, client.instance) is None  # the broker does not say whose they were


THROWING = """
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.server.telemetry.ClientTelemetry;
import org.apache.kafka.server.telemetry.ClientTelemetryReceiver;

public class Throwing implements MetricsReporter, ClientTelemetry {
    public ClientTelemetryReceiver clientReceiver() {
        return (context, payload) -> {
            throw new IllegalStateException("on purpose");
        };
    }
    public void init(List<KafkaMetric> metrics) { }
    public void metricChange(KafkaMetric metric) { }
    public void metricRemoval(KafkaMetric metric) { }
    public void close() { }
    public void configure(Map<String, ?> configs) { }
}
"""


@pytest.fixture
def jar_with_another_receiver(jar: Path, tmp_path: Path) -> Path:
    """Our plugin's jar, and in it somebody else's receiver that always throws."""
    source = tmp_path / "Throwing.java"
    source.write_text(THROWING)
    subprocess.run(
        ["javac", "--release", "11", "-cp", f"{kafka_jars('4.3.1')}/*", "-d", tmp_path, source],
        check=True,
        capture_output=True,
    )
    both = tmp_path / "both.jar"
    shutil.copy(jar, both)
    with zipfile.ZipFile(both, "a") as archive:
        for one in tmp_path.glob("*.class"):
            archive.write(one, one.name)
    return both


def test_an_error_of_another_receiver_in_the_broker_is_counted(
    collector: RecordingCollector, quick: dict[str, str], jar_with_another_receiver: Path
) -> None:
    reporters = "org.apache.kafka.common.metrics.JmxReporter,dev.kwitness.broker.KwitnessReporter,Throwing"
    overrides = {**quick, "kwitness.collector.url": collector.url, "metric.reporters": reporters}
    with LocalBroker("4.3.1", plugin=jar_with_another_receiver, overrides=overrides) as broker:
        subscribe(broker.bootstrap, "kwitness.test")
        with TelemetryClient(broker.bootstrap, "victim") as client:
            client.push(PAYLOAD)
            found = collector.wait_for(lambda: listed(collector, client.instance), what="the instance")
            assert found["plugin_errors"] == 1
            assert heartbeat(collector)["sensors"]["plugin_errors"] == 1
