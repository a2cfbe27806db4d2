"""A namespace that leaves watchNamespaces keeps what docs/operations/uninstall.md says, and comes back as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.eventually import eventually
from tests.operator.conftest import make_namespaces
from tests.operator.surroundings import (
    apply,
    broker_configs,
    cluster,
    collector,
    gateway,
    get,
    subscription,
    until_configs,
    until_reason,
)
from tests.tenants.test_walks import listener, operating

pytestmark = pytest.mark.broker


def test_its_subscriptions_stay_with_a_warning_and_its_observers_are_no_senders(
    api: ApiServer, clean_broker: LocalBroker, tmp_path: Path
) -> None:
    platform, team = make_namespaces(api, 2)
    reference = {"clusterRef": {"name": "main", "namespace": platform}}
    with operating(api, [platform, team], tmp_path):
        apply(
            api,
            cluster(
                "main",
                platform,
                clean_broker.bootstrap,
                allowedNamespaces={"from": "All"},
                listeners=[listener(clean_broker)],
            ),
            collector("main", platform),
            subscription("mine", team, **reference),
            gateway("mine", team, listenerRef={"name": "CLIENTS"}, **reference),
        )
        until_reason(api, "kcms", "mine", team, "Applied")
        until_reason(api, "kobs", "mine", team, "Progressing")
        eventually(lambda: senders(api, platform), lambda found: team in found)
        written = until_configs(clean_broker, len)
        before = {kind: get(api, kind, "mine", team) for kind in ("kcms", "kobs")}
        assert watched(api, platform) is None

    with operating(api, [platform], tmp_path):
        found = eventually(lambda: watched(api, platform))
        assert (found["status"], found["reason"]) == ("False", "SubscriptionsLeft")
        assert f"{team}.mine" in found["message"]
        eventually(lambda: senders(api, platform), lambda found: team not in found)
        assert broker_configs(clean_broker) == written
        assert {kind: get(api, kind, "mine", team) for kind in ("kcms", "kobs")} == before

    with operating(api, [platform, team], tmp_path):
        eventually(lambda: watched(api, platform), lambda found: found is None)
        eventually(lambda: senders(api, platform), lambda found: team in found)
        assert broker_configs(clean_broker) == written


def watched(api: ApiServer, namespace: str) -> dict[str, Any] | None:
    """Return the condition of the KafkaCluster; None where subscriptions of no other namespace are left."""
    conditions = get(api, "kfc", "main", namespace).get("status", {}).get("conditions", ())
    return next((found for found in conditions if found["type"] == "NamespacesWatched"), None)


def senders(api: ApiServer, namespace: str) -> set[Any]:
    """Namespaces of observers whose reports the collector ingests."""
    config = json.loads(get(api, "configmap", "kwitness-collector-main", namespace)["data"]["config.json"])
    return {sender["namespace"] for sender in config["ingest"]["senders"]}
