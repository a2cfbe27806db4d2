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


def told(api: ApiServer, namespace: str) -> Any:
    """What the collector reads, and what its status says of it."""
    files = get(api, "cm", "kwitness-collector-main", namespace)["data"]
    conditions = get(api, "ktc", "main", namespace).get("status", {}).get("conditions", [])
    said = {one["type"]: (one["status"], one["reason"]) for one in conditions}
    return json.loads(files["owners.json"])["owners"], said.get("OwnersKnown")


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


def pods_of(api: ApiServer, namespace: str) -> Any:
    return get(api, "sts", "kwitness-collector-main", namespace)["spec"]["template"]


def message(api: ApiServer, namespace: str) -> str:
    conditions = get(api, "ktc", "main", namespace)["status"]["conditions"]
    return next(one["message"] for one in conditions if one["type"] == "OwnersKnown")
