"""A subscription goes in; broker configuration, pushes, metrics and table rows come out."""

from __future__ import annotations

import time

import pytest

from kwitness.demo import up
from kwitness.demo.platform import APPS, NAMESPACE, SUBSCRIPTION, Platform
from kwitness.demo.toolbox import Toolbox
from kwitness.e2e.api_objects import ApiRefusedError

from tests.e2e import subscriptions
from tests.e2e.eventually import eventually
from tests.e2e.workloads import restart, wait_until_ready
from tests.eventually import remains

pytestmark = [pytest.mark.needs(up.numbers), pytest.mark.usefixtures("soon_forgotten")]

PRODUCER = "org.apache.kafka.producer.connection.creation."
CONSUMER = "org.apache.kafka.consumer.connection.creation."
SAFE = [PRODUCER, CONSUMER]
"""Prefixes that producers and consumers of the demo know."""
REINITIALIZING = r"storage is \(re\)initializing"
"""How the API server ends watches of a kind whose definition was changed; kopf tells it and watches again."""


def test_every_pod_runs_where_pod_security_restricted_is_enforced(platform: Platform) -> None:
    for namespace in (NAMESPACE, APPS):
        labels = platform.cluster.find("namespace", namespace)["metadata"]["labels"]
        assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
        # Pods that an earlier test removed may still be ending, and those it restarted beginning.
        phases = eventually(
            lambda place=namespace: {
                pod["status"]["phase"]
                for pod in platform.cluster.pods(place)
                if "deletionTimestamp" not in pod["metadata"]
            },
            lambda now: now <= {"Running", "Succeeded"},
        )
        assert "Running" in phases


def test_a_subscription_becomes_the_broker_config_byte_for_byte(platform: Platform, toolbox: Toolbox) -> None:
    document = subscriptions.manifest(
        "exact", SAFE, match=[{"selector": "clientSoftwareName", "pattern": "a=b|c\\d,d"}]
    )

    with subscriptions.applied(platform, document) as name:
        resource = subscriptions.broker_resource(platform, name)
        configs = toolbox.subscriptions()[resource]

    assert configs == {
        "metrics": ",".join(SAFE),
        "interval.ms": "10000",
        "match": "client_software_name=a\\x3Db|c\\d\\x2Cd",
    }
    eventually(toolbox.subscriptions, lambda now: resource not in now)


def test_pushes_of_librdkafka_and_java_reach_prometheus_as_one_family_with_identity(platform: Platform) -> None:
    def clients() -> dict[str, dict[str, str]]:
        samples = platform.query("kafka_client_producer_node_request_latency_avg_seconds")
        return {sample["metric"]["client_id"]: sample["metric"] for sample in samples}

    # A client that was told of no subscription, while another test had them so, asks again after five minutes only.
    restart(platform, "java-producer", "python-producer")
    seen = eventually(clients, lambda now: {"demo-python-producer", "demo-java-producer"} <= set(now))

    cluster_id = subscriptions.found(platform, "demo", "kafkacluster")["status"]["clusterId"]
    for client, software in (
        ("demo-python-producer", "confluent-kafka-python"),
        ("demo-java-producer", "apache-kafka-java"),
    ):
        assert seen[client]["client_software_name"] == software
        assert seen[client]["client_software_version"]
        assert seen[client]["cluster_id"] == cluster_id


def test_clients_without_telemetry_are_seen_by_connections_alone_and_called_too_old(platform: Platform) -> None:
    def connected() -> set[str | None]:
        return {sample["metric"].get("client_software_name") for sample in platform.query("kafka_client_connections")}

    eventually(connected, lambda now: "kafka-python" in now)
    silent = eventually(
        lambda: subscriptions.found(platform, SUBSCRIPTION)["status"].get("silentSoftware", []),
        lambda now: any(one["clientSoftwareName"] == "kafka-python" for one in now),
    )

    assert {one["reason"] for one in silent if one["clientSoftwareName"] == "kafka-python"} == {"TooOld"}


def test_a_change_by_hand_is_repaired_with_an_event(platform: Platform, toolbox: Toolbox) -> None:
    with subscriptions.applied(platform, subscriptions.manifest("drift", SAFE)) as name:
        resource = subscriptions.broker_resource(platform, name)
        right = toolbox.subscriptions()[resource]

        def has_event() -> bool:
            # Again and again: a broker may show what was altered, or what was repaired, only a moment later.
            _resync(platform, name)
            events = platform.cluster.items("events.events.k8s.io", NAMESPACE)
            about = [event for event in events if event.get("regarding", {}).get("name") == name]
            return any(event["reason"] == "DriftRepaired" for event in about)

        toolbox.alter(resource, {"interval.ms": "60000"})

        eventually(has_event)
        eventually(lambda: toolbox.subscriptions()[resource], lambda now: now == right)


def test_a_resource_deleted_while_the_operator_is_away_is_swept_at_its_return(
    platform: Platform, toolbox: Toolbox
) -> None:
    with subscriptions.applied(platform, subscriptions.manifest("orphan", SAFE)) as name:
        resource = subscriptions.broker_resource(platform, name)
        foreign = "somebody-elses"
        toolbox.alter(foreign, {"metrics": PRODUCER, "interval.ms": "60000"})
        _scale_operator(platform, 0)

    assert resource in toolbox.subscriptions()
    _scale_operator(platform, 1)

    eventually(toolbox.subscriptions, lambda now: resource not in now)
    assert foreign in toolbox.subscriptions()
    toolbox.remove(foreign)


@pytest.mark.parametrize("pattern", ["(unclosed", "a{1,3}", "(?=look)"])
def test_a_pattern_that_cannot_be_is_refused_by_the_api_server(platform: Platform, pattern: str) -> None:
    document = subscriptions.manifest("bad", SAFE, match=[{"selector": "clientId", "pattern": pattern}])

    with pytest.raises(ApiRefusedError, match=r"spec\.match"):
        platform.cluster.apply_objects(document)


@pytest.mark.expects_log(REINITIALIZING)
def test_a_pattern_stored_under_an_older_schema_is_refused_in_status(platform: Platform, toolbox: Toolbox) -> None:
    before = set(toolbox.subscriptions())

    with (
        subscriptions.without_rules_on_patterns(platform),
        subscriptions.applied(
            platform, subscriptions.manifest("old", SAFE, match=[{"selector": "clientId", "pattern": "a{1,3}"}])
        ) as name,
    ):
        condition = subscriptions.reason_becomes(platform, name, "InvalidPattern")
        remains(lambda: set(toolbox.subscriptions()), lambda now: now == before, seconds=5)

    assert condition["status"] == "False"
    assert "a{1,3}" in condition["message"]


@pytest.mark.expects_log(REINITIALIZING)
def test_an_interval_below_the_installations_limit_is_refused_in_status(platform: Platform, toolbox: Toolbox) -> None:
    before = set(toolbox.subscriptions())

    with subscriptions.applied(platform, subscriptions.manifest("hasty", SAFE, interval="100ms")) as name:
        condition = subscriptions.reason_becomes(platform, name, "IntervalTooShort")
        remains(lambda: set(toolbox.subscriptions()), lambda now: now == before, seconds=5)

    assert condition["status"] == "False"
    assert condition["message"]


def _scale_operator(platform: Platform, replicas: int) -> None:
    platform.cluster.objects.patch("deployment", "kwitness-operator", NAMESPACE, {"spec": {"replicas": replicas}})
    wait_until_ready(platform, "deployment", "kwitness-operator")
    # A pod that is ending counts no more, and works on until it has ended.
    eventually(
        lambda: platform.cluster.pods(NAMESPACE, "app.kubernetes.io/component=operator"),
        lambda pods: len(pods) == replicas,
    )


def _resync(platform: Platform, name: str) -> None:
    """Make the operator look now instead of at its next resync, by a change that means nothing."""
    platform.cluster.objects.annotate(subscriptions.KIND, name, NAMESPACE, {"looked-at": str(time.time())})
