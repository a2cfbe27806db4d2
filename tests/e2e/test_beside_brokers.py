"""Mode Broker: a second broker of the development Kafka has a listener on loopback, and an observer before it.

The first broker is left alone: what is moved to loopback is a listener that it does not have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Final

import pytest

from kwitness.contracts.injections import INJECTION, OBSERVER, OBSERVER_CONTAINER
from kwitness.demo import waiting
from kwitness.demo.platform import CLUSTER, KAFKA, NAMESPACE, Platform
from kwitness.demo.secrets import config_map
from kwitness.demo.toolbox import Toolbox

from tests.e2e import client_listeners, dry_runs, kafka_users, subscriptions, topic_records
from tests.eventually import eventually

KIND = "observerdeployment"
NAME = "brokers"
BROKER, NODE_ID = "e2e-broker", 7
HOST = f"{BROKER}.{KAFKA}.{NAMESPACE}.svc"
"""Named by the certificate that all brokers of the development Kafka have."""
LISTENER, PORT, LOOPBACK_PORT = "BESIDE", 9098, 19098
TOPIC, CLIENT, RECORDS = "e2e.beside", "e2e-beside", 200
LOOK = "e2e.kwitness.dev/look"
"""An annotation: the operator looks at the cluster when it is set."""

SERVED: Final[dict[str, Any]] = {
    "name": LISTENER,
    "bootstrapServers": [f"{HOST}:{PORT}"],
    "security": "SaslTls",
    "mechanisms": ["PLAIN"],
}
OBSERVERS: Final[dict[str, Any]] = {
    "apiVersion": "kwitness.dev/v1alpha1",
    "kind": "ObserverDeployment",
    "metadata": {"name": NAME, "namespace": NAMESPACE},
    "spec": {
        "clusterRef": {"name": CLUSTER},
        "listenerRef": {"name": LISTENER},
        "mode": "Broker",
        "selector": {"matchLabels": {"e2e": "beside"}},
        "broker": {
            "port": PORT,
            "loopbackPort": LOOPBACK_PORT,
            # The volume that the broker's own listeners with TLS read.
            "tls": {"fromPodVolume": {"volume": "tls"}},
        },
        "observers": [{"type": "Connections"}, {"type": "Traffic"}],
        "window": "1s",
    },
}

PROGRAM = """
import glob, json, sys
versions = {tuple(map(int, path.rpartition("-")[2].split("."))): path for path in glob.glob("/opt/confluent-*")}
sys.path.insert(0, versions[max(versions)])
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

order = json.load(sys.stdin)
topic = order["topic"]
admin = AdminClient({"bootstrap.servers": order["others"]})
admin.create_topics([NewTopic(topic, 1, replica_assignment=[[order["node"]]])])[topic].result(30)


def delivered(error, message):
    if error is not None:
        raise SystemExit(str(error))


try:
    client = {"bootstrap.servers": order["bootstrap"], "client.id": order["client_id"], **order["security"]}
    producer = Producer(client)
    for number in range(order["records"]):
        producer.produce(topic, value="v" * 100, on_delivery=delivered)
        producer.poll(0)
    if producer.flush(60):
        raise SystemExit("not all records were delivered within 60 s")
    print(json.dumps([f"{one.host}:{one.port}" for one in producer.list_topics(topic, 20).brokers.values()]))
finally:
    admin.delete_topics([topic])[topic].result(30)
"""
"""Produces to a topic that the second broker alone has; tells the brokers as the client knows them."""


def properties(of_first: str) -> str:
    """Those of the first broker for one that is no controller, with a listener more."""
    lines = dict(line.split("=", 1) for line in of_first.splitlines() if "=" in line and not line.startswith("#"))
    opened = [one for one in lines["listeners"].split(",") if not one.startswith("CONTROLLER:")]
    advertised, protocols = lines["advertised.listeners"], lines["listener.security.protocol.map"]
    users = "plain.sasl.jaas.config"
    changed = {
        "process.roles": "broker",
        "listeners": ",".join([*opened, f"{LISTENER}://127.0.0.1:{LOOPBACK_PORT}"]),
        "advertised.listeners": f"{advertised},{LISTENER}://{HOST}:{PORT}",
        # The observer ends TLS.
        "listener.security.protocol.map": f"{protocols},{LISTENER}:SASL_PLAINTEXT",
        f"listener.name.{LISTENER.lower()}.sasl.enabled.mechanisms": "PLAIN",
        f"listener.name.{LISTENER.lower()}.{users}": lines[f"listener.name.sasl_plaintext_plain.{users}"],
    }
    return "".join(f"{name}={value}\n" for name, value in {**lines, **changed}.items())


def broker(platform: Platform) -> dict[str, Any]:
    """A pod as the StatefulSet makes them, by another name, with its own properties and no claim."""
    template = platform.cluster.find("statefulset", KAFKA, f"--namespace={NAMESPACE}")["spec"]["template"]
    spec = template["spec"]
    [kafka] = spec["containers"]
    kafka["env"] = [
        *(one for one in kafka["env"] if one["name"] != "KAFKA_HEAP"),
        {"name": "KAFKA_HEAP", "value": "256m"},
        {"name": "NODE_ID", "value": str(NODE_ID)},
    ]
    # Open once broker and observer both are.
    kafka["readinessProbe"] = {"tcpSocket": {"port": PORT}, "periodSeconds": 1}
    others = [one for one in spec["volumes"] if one["name"] not in {"properties", "data"}]
    own = [{"name": "properties", "configMap": {"name": BROKER}}, {"name": "data", "emptyDir": {}}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": BROKER,
            "namespace": NAMESPACE,
            # By those of the StatefulSet the Service gives it a name. It is not taken for one of the StatefulSet's own,
            # whose names end in a number.
            "labels": {**template["metadata"]["labels"], "e2e": "beside"},
        },
        "spec": {**spec, "hostname": BROKER, "subdomain": KAFKA, "volumes": [*others, *own]},
    }


def look(platform: Platform, setting: str) -> None:
    """Have the operator ask the brokers now."""
    at = ("kafkacluster", CLUSTER, f"--namespace={NAMESPACE}")
    platform.cluster.kubectl("annotate", *at, setting, "--overwrite")


def without_observers(platform: Platform) -> None:
    platform.cluster.kubectl("label", "namespace", NAMESPACE, f"{INJECTION}-")


def remove_broker(platform: Platform) -> None:
    platform.cluster.kubectl("delete", "pod", BROKER, f"--namespace={NAMESPACE}", "--ignore-not-found")
    platform.cluster.kubectl("delete", "configmap", BROKER, f"--namespace={NAMESPACE}", "--ignore-not-found")


def unregister(platform: Platform) -> None:
    """Have the controller forget the broker, which would stay known as one that is away."""
    tool = ("/opt/kafka/entrypoint.sh", "org.apache.kafka.tools.ClusterTool", "unregister")
    options = ("--bootstrap-server", "localhost:9092", "--id", str(NODE_ID))
    platform.cluster.kubectl("exec", f"{KAFKA}-0", f"--namespace={NAMESPACE}", "--", *tool, *options)


@pytest.fixture
def beside(platform: Platform) -> Iterator[None]:
    """The second broker with its observer; afterwards the first one is alone again."""
    cluster = platform.cluster
    first = cluster.find("configmap", KAFKA, f"--namespace={NAMESPACE}")["data"][f"{KAFKA}-0.properties"]
    with ExitStack() as until:
        until.enter_context(client_listeners.named(platform, SERVED))
        cluster.kubectl("label", "namespace", NAMESPACE, f"{INJECTION}=enabled", "--overwrite")
        until.callback(without_observers, platform)
        until.enter_context(subscriptions.applied(platform, OBSERVERS))
        subscriptions.reason_becomes(platform, NAME, "Injecting", KIND)
        until.callback(remove_broker, platform)
        own = config_map(BROKER, {f"{BROKER}.properties": properties(first)})
        cluster.apply_objects(own, namespace=NAMESPACE)
        pod = broker(platform)
        eventually(lambda: dry_runs.annotations_of(platform, pod), lambda now: OBSERVER in now, every=0.2)
        cluster.apply_objects(pod)
        cluster.kubectl("wait", "--for=condition=Ready", f"pod/{BROKER}", f"--namespace={NAMESPACE}", "--timeout=120s")
        until.callback(look, platform, f"{LOOK}-")
        yield
    unregister(platform)


def condition(platform: Platform, kind: str) -> dict[str, Any]:
    return waiting.condition(subscriptions.found(platform, NAME, KIND), kind) or {}


@pytest.mark.usefixtures("beside")
# A broker that leaves is noticed by whoever knew of it.
@pytest.mark.expects_log("(?i)broker|kafka|connect|telemetry|unreachable|disconnect|node")
def test_clients_reach_a_broker_on_loopback_through_its_observer_and_are_seen_by_name(
    platform: Platform, toolbox: Toolbox
) -> None:
    pod = platform.cluster.find("pod", BROKER, f"--namespace={NAMESPACE}")
    assert pod["spec"]["initContainers"][0]["name"] == OBSERVER_CONTAINER
    assert pod["metadata"]["annotations"][OBSERVER] == f"{NAMESPACE}/{NAME}"

    order = {
        "others": toolbox.bootstrap,
        "bootstrap": f"{HOST}:{PORT}",
        "topic": TOPIC,
        "node": NODE_ID,
        "client_id": CLIENT,
        "records": RECORDS,
        "security": {
            **kafka_users.signing_in(platform),
            "security.protocol": "SASL_SSL",
            "ssl.ca.pem": kafka_users.authority(platform),
        },
    }
    answer = toolbox.cluster.kubectl(
        *("exec", "-i", "toolbox", "--namespace", toolbox.namespace, "--", "python3", "-c", PROGRAM),
        input=json.dumps(order),
    )

    # The broker's own answer: nothing in it was changed.
    assert json.loads(answer) == [f"{HOST}:{PORT}"]
    # It takes part in the cluster by now, so the operator finds it.
    look(platform, f"{LOOK}=now")
    series = f'client_id="{CLIENT}",principal="User:{kafka_users.ADMIN}",api="Produce",topic="{TOPIC}"'
    eventually(
        lambda: platform.latest(f"kafka_client_records_total{{{series}}}"), lambda now: now == RECORDS, seconds=90
    )
    assert platform.latest(f"kafka_client_record_bytes_total{{{series}}}") > RECORDS * 100
    rows = [json.loads(one.value) for one in topic_records.of_client(toolbox, "kwitness.traffic", CLIENT)]
    assert {(row["observer_mode"], row["reported_by"]) for row in rows} == {("broker", "pod")}

    loopback = eventually(lambda: condition(platform, "Loopback"), lambda now: now.get("status") == "True", seconds=90)
    assert f"127.0.0.1:{LOOPBACK_PORT} on broker {NODE_ID}" in loopback["message"]
    addresses = condition(platform, "ClientAddresses")
    assert (addresses["status"], addresses["reason"]) == ("False", "SeenAsLoopback")
    eventually(lambda: condition(platform, "Covered"), lambda now: now.get("status") == "True", seconds=90)
    assert condition(platform, "Ready")["reason"] == "Injecting"
