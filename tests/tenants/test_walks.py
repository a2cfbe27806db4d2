"""Three ways to share an installation: one namespace, two Kafka clusters in one, a platform with thirty teams."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.eventually import eventually
from tests.operator.conftest import end_in_good_order, make_namespaces, usual_settings
from tests.operator.surroundings import (
    OperatorProcess,
    apply,
    cluster,
    collector,
    condition,
    gateway,
    get,
    secret,
    subscription,
    until_configs,
    until_reason,
)
from tests.operator.test_header_registries import ids_of, register

pytestmark = pytest.mark.broker
TEAMS = 30


@contextmanager
def operating(api: ApiServer, namespaces: list[str], folder: Path) -> Iterator[None]:
    images = {name: f"kwitness/{name}:1" for name in ("collector", "observer")}
    settings = {**usual_settings(namespaces, 600.0), "images": images}
    operator = OperatorProcess(folder, api.kubeconfig_of("operator"), settings)
    eventually(lambda: operator.probe("/readyz")[0] == 200)
    yield
    end_in_good_order([operator])


def reports_to(api: ApiServer, name: str, namespace: str) -> str:
    """The address that a gateway's observers report to."""
    data = get(api, "configmap", f"kwitness-gateway-{name}", namespace)["data"]
    return str(json.loads(data["observer.json"])["collector"]["url"])


def test_everything_in_one_namespace(api: ApiServer, clean_broker: LocalBroker, tmp_path: Path) -> None:
    [namespace] = make_namespaces(api, 1)
    with operating(api, [namespace], tmp_path):
        apply(
            api,
            cluster("main", namespace, clean_broker.bootstrap, listeners=[listener(clean_broker)]),
            collector("main", namespace),
            gateway("main", namespace, listenerRef={"name": "CLIENTS"}),
            subscription("main", namespace),
            register("main", namespace, "traceparent"),
        )
        reached = {
            "kfc": "Connected",
            "ktc": "Progressing",
            "kobs": "Progressing",
            "kcms": "Applied",
            "khr": "Registered",
        }
        for kind, reason in reached.items():
            until_reason(api, kind, "main", namespace, reason)
        assert condition(api, "ktc", "main", namespace, "ActsForCluster")["reason"] == "ActsForCluster"
        assert condition(api, "kfc", "main", namespace, "Rules")["reason"] is None


def test_two_clusters_with_two_collectors_in_one_namespace(
    api: ApiServer, clean_broker: LocalBroker, tmp_path: Path
) -> None:
    [namespace] = make_namespaces(api, 1)
    with LocalBroker("4.3.1") as other, operating(api, [namespace], tmp_path):
        for name, broker in (("orders", clean_broker), ("payments", other)):
            reference = {"clusterRef": {"name": name}}
            apply(
                api,
                cluster(name, namespace, broker.bootstrap, listeners=[listener(broker)]),
                collector(f"of-{name}", namespace, **reference),
                gateway(name, namespace, listenerRef={"name": "CLIENTS"}, **reference),
                subscription(name, namespace, cluster=name),
            )
        for name, broker in (("orders", clean_broker), ("payments", other)):
            until_reason(api, "kcms", name, namespace, "Applied")
            until_reason(api, "kobs", name, namespace, "Progressing")
            until_reason(api, "ktc", f"of-{name}", namespace, "Progressing")
            assert condition(api, "ktc", f"of-{name}", namespace, "ActsForCluster")["reason"] == "ActsForCluster"
            assert condition(api, "kfc", name, namespace, "Rules")["reason"] is None
            assert f"kwitness-collector-of-{name}" in reports_to(api, name, namespace)
            until_configs(broker, lambda found, of=name: set(found) == {f"kwitness.{namespace}.{namespace}.{of}"})


def listener(broker: LocalBroker) -> dict[str, Any]:
    return {"name": "CLIENTS", "bootstrapServers": [broker.bootstrap], "security": "Plaintext"}


def test_a_platform_with_thirty_teams(api: ApiServer, clean_broker: LocalBroker, tmp_path: Path) -> None:
    platform, *teams = make_namespaces(api, TEAMS + 1)
    for team in teams:
        api.objects.label("namespace", team, None, {"tier": "apps"})
    apps = {"matchLabels": {"tier": "apps"}}
    apply(
        api,
        cluster(
            "main",
            platform,
            clean_broker.bootstrap,
            allowedNamespaces={"from": "Selector", "selector": apps},
            subscriptions={"foreign": [{"namespaceSelector": apps, "template": "{namespace}."}]},
            headerRegistries=[{"name": "platform"}, {"namespaceSelector": apps, "template": "{namespace}."}],
        ),
        # As Strimzi's user operator writes the Secret of a KafkaUser.
        secret("kwitness-collector", platform, password="secret", sasl_jaas_config="x"),
        collector("main", platform, authentication=of_a_kafka_user("kwitness-collector")),
        register("platform", platform, "traceparent"),
    )
    there = {"clusterRef": {"name": "main", "namespace": platform}}
    with operating(api, [platform, *teams], tmp_path):
        for team in teams:
            apply(
                api,
                subscription("own", team, **there),
                register("own", team, f"{team}.order", "traceparent", **there),
            )
        for team in teams:
            until_reason(api, "kcms", "own", team, "Applied")
            until_reason(api, "khr", "own", team, "KeysRefused")
        numbers = [number for team in teams for number in ids_of(api, "own", team).values()]
        assert len(set(numbers)) == TEAMS
        assert ids_of(api, "platform", platform).keys() == {"traceparent"}
        configs = until_configs(clean_broker, lambda found: len(found) == TEAMS)
        matches = {values["match"] for values in configs.values()}
        assert matches == {f"client_id={team.replace('-', chr(92) + '-')}\\..*" for team in teams}


def of_a_kafka_user(name: str) -> dict[str, Any]:
    return {"type": "scram-sha-512", "username": name, "secretRef": {"name": name}}
