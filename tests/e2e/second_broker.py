"""A second broker of the development Kafka, with a listener more and an observer beside it.

The first broker is left alone: the listener that is observed is one that it does not have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from kwitness.contracts.injections import INJECTION, OBSERVER
from kwitness.demo import waiting
from kwitness.demo.platform import CLUSTER, KAFKA, NAMESPACE, Platform
from kwitness.demo.secrets import config_map
from kwitness.demo.toolbox import Toolbox

from tests.e2e import client_listeners, dry_runs, kafka_users, subscriptions
from tests.e2e.eventually import eventually

KIND: Final = "observerdeployment"
NAME: Final = "brokers"
BROKER: Final = "e2e-broker"
NODE_ID: Final = 7
HOST: Final = f"{BROKER}.{KAFKA}.{NAMESPACE}.svc"
"""Named by the certificate that all brokers of the development Kafka have."""
LISTENER: Final = "BESIDE"
PORT: Final = 9098
RECORDS: Final = 200
LOOK: Final = "e2e.kwitness.dev/look"
"""An annotation: the operator looks at the cluster when it is set."""


@dataclass(frozen=True, slots=True)
class Listener:
    """How clients reach the broker, and what is between."""

    security: str
    """As the KafkaCluster names it."""
    bound: str
    """Where the broker listens, `host:port`."""
    observed: dict[str, Any]
    """`spec.broker` of the ObserverDeployment, but for selector and port."""

    @property
    def served(self) -> dict[str, Any]:
        """Its entry in the KafkaCluster."""
        servers = [f"{HOST}:{PORT}"]
        return {"name": LISTENER, "bootstrapServers": servers, "security": self.security, "mechanisms": ["PLAIN"]}

    @property
    def observers(self) -> dict[str, Any]:
        """The resource that puts an observer before it."""
        return {
            "apiVersion": "kwitness.dev/v1beta1",
            "kind": "ObserverDeployment",
            "metadata": {"name": NAME, "namespace": NAMESPACE},
            "spec": {
                "clusterRef": {"name": CLUSTER},
                "listenerRef": {"name": LISTENER},
                "broker": {"selector": {"matchLabels": {"e2e": "beside"}}, "port": PORT, **self.observed},
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


def properties(of_first: str, bound: str) -> str:
    """Those of the first broker for one that is no controller, with a listener more."""
    lines = dict(line.split("=", 1) for line in of_first.splitlines() if "=" in line and not line.startswith("#"))
    opened = [one for one in lines["listeners"].split(",") if not one.startswith("CONTROLLER:")]
    advertised, protocols = lines["advertised.listeners"], lines["listener.security.protocol.map"]
    users = "plain.sasl.jaas.config"
    changed = {
        "process.roles": "broker",
        "listeners": ",".join([*opened, f"{LISTENER}://{bound}"]),
        "advertised.listeners": f"{advertised},{LISTENER}://{HOST}:{PORT}",
        # TLS, if clients speak it, is ended by the observer.
        "listener.security.protocol.map": f"{protocols},{LISTENER}:SASL_PLAINTEXT",
        f"listener.name.{LISTENER.lower()}.sasl.enabled.mechanisms": "PLAIN",
        f"listener.name.{LISTENER.lower()}.{users}": lines[f"listener.name.sasl_plaintext_plain.{users}"],
    }
    return "".join(f"{name}={value}\n" for name, value in {**lines, **changed}.items())


def broker(platform: Platform) -> dict[str, Any]:
    """A pod as the StatefulSet makes them, by another name, with its own properties and no claim."""
    template = platform.cluster.find("statefulset", KAFKA, NAMESPACE)["spec"]["template"]
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


def look(platform: Platform, at: str | None) -> None:
    """Have the operator ask the brokers now."""
    platform.cluster.objects.annotate("kafkacluster", CLUSTER, NAMESPACE, {LOOK: at})


def without_observers(platform: Platform) -> None:
    platform.cluster.objects.label("namespace", NAMESPACE, None, {INJECTION: None})


def remove_broker(platform: Platform) -> None:
    platform.cluster.kubectl("delete", "pod", BROKER, f"--namespace={NAMESPACE}", "--ignore-not-found")
    platform.cluster.delete("configmap", BROKER, namespace=NAMESPACE)


def unregister(platform: Platform) -> None:
    """Have the controller forget the broker, which would stay known as one that is away."""
    tool = ("/opt/kafka/entrypoint.sh", "org.apache.kafka.tools.ClusterTool", "unregister")
    options = ("--bootstrap-server", "localhost:9092", "--id", str(NODE_ID))
    platform.cluster.kubectl("exec", f"{KAFKA}-0", f"--namespace={NAMESPACE}", "--", *tool, *options)


@contextmanager
def observed(platform: Platform, listener: Listener) -> Iterator[None]:
    """The second broker with its observer; afterwards the first one is alone again."""
    cluster = platform.cluster
    first = cluster.find("configmap", KAFKA, NAMESPACE)["data"][f"{KAFKA}-0.properties"]
    with ExitStack() as until:
        until.enter_context(client_listeners.named(platform, listener.served))
        cluster.objects.label("namespace", NAMESPACE, None, {INJECTION: "enabled"})
        until.callback(without_observers, platform)
        until.enter_context(subscriptions.applied(platform, listener.observers))
        subscriptions.reason_becomes(platform, NAME, "Injecting", KIND)
        until.callback(remove_broker, platform)
        own = config_map(BROKER, {f"{BROKER}.properties": properties(first, listener.bound)})
        cluster.apply_objects(own, namespace=NAMESPACE)
        pod = broker(platform)
        eventually(lambda: dry_runs.annotations_of(platform, pod), lambda now: OBSERVER in now)
        cluster.apply_objects(pod)
        eventually(
            lambda: waiting.condition(cluster.find("pod", BROKER, NAMESPACE), "Ready") or {},
            lambda now: now.get("status") == "True",
        )
        until.callback(look, platform, None)
        yield
    unregister(platform)


def produce(platform: Platform, toolbox: Toolbox, client_id: str, security: dict[str, str]) -> list[str]:
    """Send `RECORDS` records of 100 bytes through the observer; the brokers as the client was told them."""
    order = {
        "others": toolbox.bootstrap,
        "bootstrap": f"{HOST}:{PORT}",
        "topic": topic_of(client_id),
        "node": NODE_ID,
        "client_id": client_id,
        "records": RECORDS,
        "security": {**kafka_users.signing_in(platform), **security},
    }
    answer = toolbox.cluster.kubectl(
        *("exec", "-i", "toolbox", "--namespace", toolbox.namespace, "--", "python3", "-c", PROGRAM),
        input=json.dumps(order),
    )
    # It takes part in the cluster by now, so the operator finds it.
    look(platform, "now")
    known: list[str] = json.loads(answer)
    return known


def topic_of(client_id: str) -> str:
    """Where `produce` sends what this client has."""
    return f"{client_id}-topic"


def condition(platform: Platform, kind: str) -> dict[str, Any]:
    """A condition of the ObserverDeployment; empty where it is not given."""
    return waiting.condition(subscriptions.found(platform, NAME, KIND), kind) or {}
