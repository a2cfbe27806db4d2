"""A collector is given whose clients are, on a real API server; a list that cannot be used stops nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from kwitness.e2e.api_server import ApiServer

from tests.eventually import eventually
from tests.operator.conftest import at_the_resync
from tests.operator.surroundings import apply, cluster, collector, get, until_reason

pytestmark = pytest.mark.broker
OWNED = {"owners": {"configMapRef": {"name": "kwitness-owners"}}}
SENDERS = {"tls": {"mode": "Disabled"}, "senders": [{"serviceAccount": "kafka", "source": "Plugin"}]}
ORDERS = {"team": "orders", "match": {"clientId": "orders*"}}


def owners(namespace: str, *entries: Any) -> dict[str, Any]:
    data = {"owners.yaml": yaml.safe_dump({"owners": list(entries)})}
    metadata = {"name": "kwitness-owners", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def told(api: ApiServer, namespace: str, name: str = "main") -> Any:
    """Return what the collector reads, and the condition that its status has."""
    files = get(api, "cm", f"kwitness-collector-{name}", namespace)["data"]
    conditions = get(api, "ktc", name, namespace).get("status", {}).get("conditions", [])
    said = {one["type"]: (one["status"], one["reason"]) for one in conditions}
    entries = json.loads(files["owners.json"])["owners"]
    assert {entry.pop("source") for entry in entries} <= {"ConfigMap"}
    return entries, said.get("OwnersKnown")


@at_the_resync
def test_a_collector_follows_the_owners_of_its_cluster_and_says_when_they_cannot_be_used(
    api, namespace, broker, start_operator
):
    apply(api, cluster("main", namespace, broker.bootstrap, **OWNED), collector("main", namespace, ingest=SENDERS))
    start_operator()
    until_reason(api, "ktc", "main", namespace, "Progressing")
    revision = pods_of(api, namespace)

    def becomes(entries: list[Any], known: tuple[str, str]) -> None:
        assert eventually(lambda: told(api, namespace), lambda found: found == (entries, known))

    becomes([], ("False", "OwnersUnusable"))
    apply(api, owners(namespace, ORDERS))
    becomes([ORDERS], ("True", "OwnersKnown"))
    apply(api, owners(namespace, {"team": "orders"}))
    becomes([], ("False", "OwnersUnusable"))
    assert "line 2" in message(api, namespace)
    apply(api, owners(namespace, ORDERS, {"team": "shop", "match": {"namespace": "shop"}}))
    becomes([ORDERS, {"team": "shop", "match": {"namespace": "shop"}}], ("True", "OwnersKnown"))
    # It is read again: no pod is replaced for it.
    assert pods_of(api, namespace) == revision


def test_a_namespaces_collector_gets_the_entries_of_its_namespace_until_it_acts_for_the_cluster(
    api, namespace, another_namespace, broker, start_operator
):
    own = {"team": "theirs", "match": {"namespace": another_namespace}}
    shared = {**OWNED, "allowedNamespaces": {"from": "All"}}
    apply(
        api,
        owners(namespace, ORDERS, own),
        cluster("main", namespace, broker.bootstrap, **shared),
        collector("main", namespace, ingest=SENDERS),
        collector("mine", another_namespace, clusterRef={"name": "main", "namespace": namespace}, ingest=SENDERS),
    )
    start_operator(watchNamespaces=[namespace, another_namespace])

    def becomes(at: str, name: str, entries: list[Any]) -> None:
        found = (entries, ("True", "OwnersKnown"))
        assert eventually(lambda: told(api, at, name), lambda now: now == found)

    until_reason(api, "ktc", "mine", another_namespace, "Progressing")
    becomes(another_namespace, "mine", [own])
    becomes(namespace, "main", [ORDERS, own])

    named = {"collectorRef": {"name": "mine", "namespace": another_namespace}}
    apply(api, cluster("main", namespace, broker.bootstrap, **shared, **named))

    becomes(another_namespace, "mine", [ORDERS, own])
    becomes(namespace, "main", [ORDERS, own])


def pods_of(api: ApiServer, namespace: str) -> Any:
    return get(api, "sts", "kwitness-collector-main", namespace)["spec"]["template"]


def message(api: ApiServer, namespace: str) -> str:
    conditions = get(api, "ktc", "main", namespace)["status"]["conditions"]
    return next(one["message"] for one in conditions if one["type"] == "OwnersKnown")
