"""Two brokers and two collector replicas: a broker is stopped, clients go on at the other, sums stay right."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kwitness.demo import acls, manifests, namespaces, releases, secrets, up
from kwitness.demo.platform import COLLECTOR, KAFKA, Platform
from kwitness.demo.toolbox import Toolbox

from tests.e2e import telemetry_topic
from tests.e2e.eventually import eventually
from tests.e2e.workloads import wait_until_ready
from tests.eventually import remains

pytestmark = pytest.mark.needs(up.charts)

PAIR = "kwitness-pair"
COUNTER = "kafka_client_producer_connection_creation_total"
PRODUCERS = {"demo-java-producer", "demo-python-producer"}


@pytest.fixture(scope="module")
def pair(platform: Platform, image_values: Path) -> Iterator[Platform]:
    """A second installation beside the first, in a namespace of its own, with two of each."""
    cluster = platform.cluster
    cluster.apply_objects(namespaces.restricted(PAIR))
    secrets.ensure(cluster, PAIR)
    settings = {
        "crds.enabled": False,
        "analytics.enabled": False,
        "injector.enabled": False,
        "analytics.tableClaim": "",
        "analytics.createClaim.enabled": False,
        "operator.secretNames": {PAIR: ["kwitness-kafka-admin", "kwitness-kafka-ca"]},
    }
    text = {key: json.dumps(value) for key, value in settings.items()}
    two_brokers = {"devKafka.replicas": "2", "devKafka.heap": json.dumps("384m")}
    releases.install(cluster, image_values, settings=text, demo_settings=two_brokers, release="pair", namespace=PAIR)
    here = replace(platform, namespace=PAIR, apps=PAIR)
    try:
        wait_until_ready(here, "statefulset", KAFKA, PAIR)
        _fill(here)
        yield here
    finally:
        releases.uninstall(cluster, release="pair", namespace=PAIR)
        cluster.kubectl("delete", "namespace", PAIR, "--wait", "--timeout=180s")


def _instances(samples: list[dict[str, Any]]) -> set[str]:
    return {sample["metric"]["instance"] for sample in samples}


def test_both_replicas_take_part_and_answer_for_all(pair: Platform) -> None:
    def clients() -> int:
        collector = pair.cluster.find("telemetrycollector", COLLECTOR, PAIR)
        return int(collector["status"].get("reportingClients", 0))

    eventually(clients, lambda now: now >= len(PRODUCERS), every=2)
    # Prometheus may not have scraped both yet when the status has counted.
    received = 'kwitness_ledger_events_total{hop="receive"}'
    instances = eventually(
        lambda: {sample["metric"]["instance"] for sample in pair.query(received)},
        lambda found: len(found) >= 2,
        every=2,
    )
    assert len(instances) == 2


def test_a_client_whose_broker_stops_goes_on_at_the_other_and_is_counted_once(pair: Platform, toolbox: Toolbox) -> None:
    # Given: every producer is exposed by one replica, and both brokers' gauges add up
    before = eventually(lambda: _counters(pair), lambda now: set(now) >= PRODUCERS, every=2)
    assert all(len(_replicas(pair, client)) == 1 for client in PRODUCERS)
    both = _settled_connections(pair)

    # When
    pair.cluster.objects.patch("statefulset", KAFKA, PAIR, {"spec": {"replicas": 1}})
    eventually(
        lambda: pair.cluster.find("statefulset", KAFKA, PAIR)["status"].get("replicas"),
        lambda now: now == 1,
    )

    # Then: pushes go on, no counter falls or doubles, and the stopped broker's connections leave the gauge. A client
    # that is long in finding the other broker is forgotten meanwhile, and continues where it was.
    accepted = _accepted(pair)
    eventually(lambda: _accepted(pair), lambda now: now > accepted + 4, every=2)
    remains(
        lambda: _counters(pair),
        lambda now: all(now.get(client, before[client]) >= before[client] for client in PRODUCERS),
        seconds=20,
        every=2,
    )
    eventually(lambda: [len(_replicas(pair, client)) for client in PRODUCERS], lambda now: now == [1, 1], every=2)
    eventually(lambda: _connections(pair), lambda now: 0 < now <= both, every=2)

    # And the sum over both replicas is what the client pushed, to the record, once it has pushed its last
    there = replace(toolbox, bootstrap=f"{KAFKA}.{PAIR}.svc:9092")
    pair.cluster.objects.patch("deployment", "java-producer", PAIR, {"spec": {"replicas": 0}})
    counted, pushed = eventually(lambda: _counted_and_pushed(pair, there), lambda now: now[0] == now[1])
    assert counted == pushed > 0
    remains(lambda: _counted_and_pushed(pair, there), lambda now: now == (counted, pushed), seconds=15, every=5)


def _fill(pair: Platform) -> None:
    """The demo's resources and producers, in this namespace."""
    with tempfile.TemporaryDirectory() as folder:
        cluster_file = Path(folder) / "kafka-cluster.yaml"
        for file in manifests.files(releases.RESOURCES):
            text = file.read_text().replace(".kwitness.svc", f".{PAIR}.svc")
            text = text.replace(
                "  clusterRef: {name: demo}\n  authentication",
                "  clusterRef: {name: demo}\n  replicas: 2\n  authentication",
            )
            if "kind: KafkaCluster" in text:
                cluster_file.write_text(text)
                acls.grant(pair.cluster, PAIR, cluster_file)
            if "kind: AnalyticsJob" not in text:
                pair.cluster.apply(text, namespace=PAIR)
    wait_until_ready(pair, "statefulset", f"kwitness-collector-{COLLECTOR}", PAIR)
    for name in ("java-producer", "python-producer"):
        text = manifests.client(name, pair.images).replace(".kwitness.svc", f".{PAIR}.svc")
        pair.cluster.apply(text, namespace=PAIR)
        wait_until_ready(pair, "deployment", name, PAIR)


def _counters(pair: Platform) -> dict[str, float]:
    return {
        sample["metric"]["client_id"]: float(sample["value"][1])
        for sample in pair.query(f"sum by (client_id) ({COUNTER})")
    }


def _counted_and_pushed(pair: Platform, toolbox: Toolbox) -> tuple[float, float]:
    client = "demo-java-producer"
    return (
        pair.latest(f'kafka_client_producer_record_send_total{{client_id="{client}"}}'),
        telemetry_topic.summed(toolbox, client, "org.apache.kafka.producer.record.send.total"),
    )


def _replicas(pair: Platform, client: str) -> set[str]:
    return {sample["metric"]["instance"] for sample in pair.query(f'{COUNTER}{{client_id="{client}"}}')}


def _connections(pair: Platform) -> float:
    return pair.total('kafka_client_connections{client_software_name=~"apache-kafka-java|confluent-kafka-python"}')


def _settled_connections(pair: Platform) -> float:
    """Their number once it is the same twice, longer apart than brokers take to tell it."""
    seen = [0.0]

    def looks() -> list[float]:
        seen.append(_connections(pair))
        return seen

    return eventually(looks, lambda now: now[-1] == now[-2] >= 2, every=15)[-1]


def _accepted(pair: Platform) -> float:
    return pair.total('kwitness_ledger_events_total{hop="receive",outcome="accepted"}')
