"""Custom resources that the scenarios apply, and what became of them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from kwitness.demo import waiting
from kwitness.demo.platform import CLUSTER, NAMESPACE, Platform
from kwitness.e2e.api_objects import ApiRefusedError

from tests.e2e.eventually import STILL_S, eventually

KIND = "clientmetricssubscription"


def manifest(name: str, metrics: Sequence[str], *, cluster: str = CLUSTER, **spec: Any) -> dict[str, Any]:
    """A ClientMetricsSubscription in the platform's namespace."""
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "ClientMetricsSubscription",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "clusterRef": {"name": cluster},
            "metrics": list(metrics),
            "interval": "10s",
            **spec,
        },
    }


def like(platform: Platform, existing: str, kind: str, name: str, **spec: Any) -> dict[str, Any]:
    """A resource as the demo has one, with another name and what `spec` changes."""
    document = found(platform, existing, kind)
    metadata = {"name": name, "namespace": NAMESPACE}
    return {
        "apiVersion": document["apiVersion"],
        "kind": document["kind"],
        "metadata": metadata,
        "spec": {**document["spec"], **spec},
    }


@contextmanager
def applied(platform: Platform, document: dict[str, Any]) -> Iterator[str]:
    """Apply a resource for the length of a block; gives its name. Deleted afterwards, whatever happens."""
    name = document["metadata"]["name"]
    platform.cluster.apply_objects(document)
    try:
        yield name
    finally:
        platform.cluster.delete(document["kind"], name, namespace=NAMESPACE)


@contextmanager
def cluster_with(platform: Platform, **spec: Any) -> Iterator[None]:
    """Have the KafkaCluster say this for the length of a block, and then its defaults again."""
    change(platform, "kafkacluster", CLUSTER, **spec)
    try:
        yield
    finally:
        change(platform, "kafkacluster", CLUSTER, **dict.fromkeys(spec))


def change(platform: Platform, kind: str, name: str, **spec: Any) -> None:
    """Write these fields of a resource's spec; those that are None are removed."""
    platform.cluster.objects.patch(kind, name, NAMESPACE, {"spec": spec})


@contextmanager
def without_rules_on_patterns(platform: Platform) -> Iterator[None]:
    """A schema that lets every pattern pass, as an older release's may have, for the length of a block."""
    crd = f"{KIND}s.kwitness.dev"
    versions = platform.cluster.find("crd", crd)["spec"]["versions"]
    lax = copy.deepcopy(versions)
    spec = lax[0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    pattern = spec["properties"]["match"]["items"]["properties"]["pattern"]
    del pattern["pattern"], pattern["x-kubernetes-validations"]
    platform.cluster.objects.patch("crd", crd, None, {"spec": {"versions": lax}})
    try:
        anything = [{"selector": "clientId", "pattern": "a{1,3}"}]
        eventually(lambda: _passes(platform, manifest("lax", ["org.apache.kafka.producer."], match=anything)))
        yield
    finally:
        platform.cluster.objects.patch("crd", crd, None, {"spec": {"versions": versions}})


def _passes(platform: Platform, document: dict[str, Any]) -> bool:
    """Return whether the API server would take a resource: it follows a changed definition a moment later."""
    resources = f"/apis/{document['apiVersion']}/namespaces/{NAMESPACE}/{KIND}s"
    try:
        platform.cluster.objects.ask("POST", resources, params={"dryRun": "All"}, json=document)
    except ApiRefusedError:
        return False
    return True


def found(platform: Platform, name: str, kind: str = KIND) -> dict[str, Any]:
    """The resource as it is now."""
    return platform.cluster.find(kind, name, NAMESPACE)


def ready(platform: Platform, name: str, kind: str = KIND) -> dict[str, Any]:
    """Its condition Ready, if it is about the present generation; else an empty one."""
    resource = found(platform, name, kind)
    condition = waiting.condition(resource, "Ready") or {} if resource else {}
    current = resource and condition.get("observedGeneration") == resource["metadata"]["generation"]
    return condition if current else {}


def reason_becomes(
    platform: Platform, name: str, reason: str, kind: str = KIND, still_s: float = STILL_S
) -> dict[str, Any]:
    """Wait for a reason of the condition Ready."""
    return eventually(
        lambda: ready(platform, name, kind), lambda condition: condition.get("reason") == reason, still_s=still_s
    )


def broker_resource(platform: Platform, name: str) -> str:
    """The broker's name for a subscription, once it is applied."""
    reason_becomes(platform, name, "Applied")
    return str(found(platform, name)["status"]["brokerResource"])
