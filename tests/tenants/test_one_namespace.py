"""An actor who may create resources of one namespace changes nothing of another."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.eventually import eventually, remains
from tests.operator.conftest import end_in_good_order, make_namespaces, usual_settings
from tests.operator.granted import granted
from tests.operator.surroundings import (
    OperatorProcess,
    analytics_job,
    apply,
    cluster,
    collector,
    condition,
    gateway,
    subscription,
    until_reason,
)
from tests.operator.test_header_registries import register
from tests.operator.test_sidecars import sidecar

pytestmark = pytest.mark.broker

KINDS = (
    *("kfc", "ktc", "kobs", "kip", "khr", "kcms", "kaj"),
    *("configmap", "secret", "service", "serviceaccount", "statefulset", "deployment", "poddisruptionbudget"),
)
FIRST = 1000
"""The highest priority that a resource may have."""


def profile(name: str, namespace: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "InterceptorProfile",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "clusterRef": {"name": "main"},
            "selector": {"matchLabels": {"app": name}},
            "interceptors": [{"name": "audit", "type": "Audit"}],
            **spec,
        },
    }


def everything_of(api: ApiServer, namespace: str) -> dict[tuple[str, str], Any]:
    """All objects of a namespace with their statuses, without what each write changes.

    A collector lists the senders of all namespaces that its cluster allows, what the injector reads has resources of
    all namespaces, and header keys are remembered by namespace: those of others are left out.
    """
    found = {}
    for kind in KINDS:
        for name in api.objects.names(kind, namespace):
            body = api.objects.get(kind, name, namespace)
            for written in ("resourceVersion", "managedFields"):
                body["metadata"].pop(written, None)
            body["metadata"].get("annotations", {}).pop("kwitness.dev/applied-hash", None)
            if kind == "configmap":
                _leave_out_others(body["data"], namespace)
            found[kind, name] = body
    return found


def _leave_out_others(data: dict[str, Any], namespace: str) -> None:
    if "config.json" in data and "ingest" in (config := json.loads(data["config.json"])):
        config["ingest"]["senders"] = [
            sender for sender in config["ingest"]["senders"] if sender["namespace"] == namespace
        ]
        data["config.json"] = config
    if "header-ids.json" in data:
        homes = json.loads(data["header-ids.json"])["homes"]
        data["header-ids.json"] = {home: ids for home, ids in homes.items() if home == namespace}
    if "injections.json" in data:
        injections = json.loads(data["injections.json"])["injections"]
        data["injections.json"] = [found for found in injections if found["namespace"] == namespace]
    if "hashes.json" in data:
        hashes = json.loads(data["hashes.json"])
        data["hashes.json"] = {owner: hash_ for owner, hash_ in hashes.items() if owner.startswith(f"{namespace}/")}


@pytest.fixture(scope="module")
def platform_and_tenant(
    api: ApiServer, broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, str]]:
    """Two namespaces of one operator: the first has a cluster, a collector, a gateway and a profile that serve it."""
    platform, tenant = make_namespaces(api, 2)
    apply(api, *granted(platform, injector={"enabled": True}))
    for namespace in (platform, tenant):
        api.objects.label("namespace", namespace, None, {"kwitness.dev/injection": "enabled"})
    apply(
        api,
        cluster(
            "main",
            platform,
            broker.bootstrap,
            allowedNamespaces={"from": "All"},
            listeners=[served_by("orders", platform)],
        ),
        collector("main", platform),
        gateway("orders", platform),
        profile("orders", platform),
        register("headers", platform, "order.id"),
    )
    settings = {
        **usual_settings([platform, tenant], 600.0),
        "injector": {"enabled": True},
        "analytics": {"namespaces": [platform], "tableClaim": "tables"},
        "images": {name: f"kwitness/{name}:1" for name in ("collector", "observer", "interceptors")},
    }
    operator = OperatorProcess(tmp_path_factory.mktemp("tenants"), api.kubeconfig_of("operator"), settings)
    eventually(lambda: operator.probe("/readyz")[0] == 200)
    until_reason(api, "kfc", "main", platform, "Connected")
    until_reason(api, "ktc", "main", platform, "Progressing")
    until_reason(api, "kobs", "orders", platform, "Progressing")
    until_reason(api, "kip", "orders", platform, "InjectorMissing")
    until_reason(api, "khr", "headers", platform, "Registered")
    eventually(lambda: api.objects.find("statefulset", "kwitness-collector-main", platform))
    yield platform, tenant
    end_in_good_order([operator])


def served_by(name: str, namespace: str) -> dict[str, Any]:
    """A listener of clients that connect to a gateway."""
    servers = [f"kwitness-gateway-{name}.{namespace}.svc:9092"]
    return {"name": "GATEWAY", "bootstrapServers": servers, "security": "Plaintext"}


def of_the_cluster(platform: str) -> dict[str, Any]:
    return {"clusterRef": {"name": "main", "namespace": platform}}


def beside_brokers(platform: str, namespace: str) -> dict[str, Any]:
    """Observers in the pods of brokers."""
    body = gateway("beside", namespace, priority=FIRST, listenerRef={"name": "GATEWAY"}, **of_the_cluster(platform))
    del body["spec"]["gateway"]
    body["spec"]["broker"] = {"selector": {"matchLabels": {"app": "kafka"}}, "redirect": {}}
    return body


SELECTING_ALL = {"selector": {}, "namespaceSelector": {}, "env": {"bootstrapServers": ["KAFKA"]}}


def full(platform: str) -> dict[str, Any]:
    """Settings of the most characters, each of three bytes: five such profiles are larger than all that is told."""
    custom = {"className": "a.B", "settings": {f"s{number:02}": "€" * 1021 for number in range(64)}}
    return {**of_the_cluster(platform), "interceptors": [{"name": "audit", "type": "Custom", "custom": custom}]}


ATTEMPTS: dict[str, tuple[str, Callable[[str, str], dict[str, Any]]]] = {
    "a collector": (
        "ktc",
        lambda there, here: collector("mine", here, priority=FIRST, **of_the_cluster(there)),
    ),
    "a gateway": (
        "kobs",
        lambda there, here: gateway("mine", here, priority=FIRST, **of_the_cluster(there)),
    ),
    "a gateway in front of the other's": (
        "kobs",
        lambda there, here: gateway(
            "front", here, priority=FIRST, listenerRef={"name": "GATEWAY"}, **of_the_cluster(there)
        ),
    ),
    "a sidecar that selects the other's pods": (
        "kobs",
        lambda there, here: sidecar("mine", here, sidecar=SELECTING_ALL, priority=FIRST, **of_the_cluster(there)),
    ),
    "observers beside brokers": ("kobs", beside_brokers),
    "a profile": ("kip", lambda there, here: profile("mine", here, priority=FIRST, **full(there))),
    "a profile that selects the other's pods": (
        "kip",
        lambda there, here: profile(
            "selecting", here, priority=FIRST, selector={}, namespaceSelector={}, **of_the_cluster(there)
        ),
    ),
    "a subscription that accepts a risk": (
        "kcms",
        lambda there, here: subscription(
            "mine",
            here,
            metrics=["org.apache.kafka.producer.request.latency."],
            riskPolicy="Apply",
            riskWindow="1s",
            **of_the_cluster(there),
        ),
    ),
    "a register": (
        "khr",
        lambda there, here: register("mine", here, "traceparent", "order.id", priority=FIRST, **of_the_cluster(there)),
    ),
    "a job": ("kaj", lambda there, here: analytics_job("inventory", here, priority=FIRST, **of_the_cluster(there))),
    "a cluster": ("kfc", lambda _, here: cluster("main", here, "127.0.0.1:1")),
    "a cluster that names the collector of another": (
        "kfc",
        lambda there, here: cluster("thief", here, "127.0.0.1:1", collectorRef={"name": "main", "namespace": there}),
    ),
}


BESIDE: dict[str, Callable[[str, str], list[dict[str, Any]]]] = {
    "a profile": lambda there, here: [
        profile(f"full-{number}", here, priority=FIRST, **full(there)) for number in range(4)
    ],
}
"""Resources that the same user made before."""


VERBS = {row["attempt"]: row["reason"] for row in yaml.safe_load(Path(__file__).with_name("verbs.yaml").read_text())}
"""The reason that each shows; the page of tenants has the same rows."""


def test_each_row_of_the_page_is_attempted() -> None:
    assert VERBS.keys() == ATTEMPTS.keys()


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_what_one_namespace_makes_changes_nothing_of_another(
    attempt: str, platform_and_tenant: tuple[str, str], api: ApiServer
) -> None:
    platform, tenant = platform_and_tenant
    kind, make = ATTEMPTS[attempt]
    body = make(platform, tenant)
    name, before = body["metadata"]["name"], everything_of(api, platform)
    beside = BESIDE[attempt](platform, tenant) if attempt in BESIDE else []

    apply(api, *beside, body)
    until_reason(api, kind, name, tenant, VERBS[attempt])
    assert everything_of(api, platform) == before

    apply(api, {**body, "spec": {**body["spec"], "suspend": True}})
    eventually(lambda: is_observed(api.objects.get(kind, name, tenant)))
    assert everything_of(api, platform) == before

    for made in (*beside, body):
        api.objects.delete(kind, made["metadata"]["name"], namespace=tenant)
    remains(lambda: everything_of(api, platform), lambda now: now == before, seconds=1)


def is_observed(body: dict[str, Any]) -> bool:
    """Return whether the status is of the latest generation."""
    return body["status"].get("observedGeneration") == body["metadata"]["generation"]


@pytest.mark.parametrize(
    ("body", "file"),
    [
        (
            lambda there, here: sidecar("mine", here, sidecar=SELECTING_ALL, **of_the_cluster(there)),
            "kwitness-injections",
        ),
        (
            lambda there, here: profile("mine", here, selector={}, namespaceSelector={}, **of_the_cluster(there)),
            "kwitness-interceptors",
        ),
    ],
    ids=["sidecar", "profile"],
)
def test_the_injector_reads_that_a_selection_of_all_namespaces_is_for_its_own(
    body: Callable[[str, str], dict[str, Any]], file: str, platform_and_tenant: tuple[str, str], api: ApiServer
) -> None:
    platform, tenant = platform_and_tenant
    made = body(platform, tenant)
    apply(api, made)

    def namespaces() -> Any:
        injections = json.loads(api.objects.get("configmap", file, platform)["data"]["injections.json"])["injections"]
        return [found["namespaces"] for found in injections if found["namespace"] == tenant]

    assert eventually(namespaces) == [[tenant]]
    api.objects.delete(made["kind"], "mine", namespace=tenant)


def test_header_keys_of_a_cluster_of_ones_own_are_free_for_the_registers_of_others(
    platform_and_tenant: tuple[str, str], api: ApiServer
) -> None:
    platform, tenant = platform_and_tenant
    before = everything_of(api, platform)

    apply(
        api,
        cluster("mine", tenant, "127.0.0.1:1"),
        register("squatter", tenant, "traceparent", {"name": "span", "id": 1114112}, "order.id", priority=FIRST),
    )
    until_reason(api, "khr", "squatter", tenant, "Registered")
    assert everything_of(api, platform) == before


def test_a_second_cluster_of_the_same_kafka_is_bound_by_the_first(
    platform_and_tenant: tuple[str, str], api: ApiServer, broker: LocalBroker
) -> None:
    platform, tenant = platform_and_tenant
    deadly = ["org.apache.kafka.producer.request.latency."]

    apply(
        api,
        cluster("own", tenant, broker.bootstrap, riskPolicy="Apply"),
        subscription("deadly", tenant, cluster="own", metrics=deadly, riskPolicy="Apply"),
    )

    assert "riskPolicy Apply of KafkaCluster main" in until_reason(api, "kcms", "deadly", tenant, "RiskUnknown")
    ruling = condition(api, "kfc", "own", tenant, "Rules")
    assert f"KafkaCluster {platform}/main" in ruling["message"]
    assert ruling["reason"] == "AnotherRules"

    apply(api, register("tracing", platform, "traceparent", {"name": "app.name", "id": 1114112}))
    until_reason(api, "khr", "tracing", platform, "Registered")
