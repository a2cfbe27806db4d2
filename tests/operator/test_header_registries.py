"""HeaderRegistries on a real API server: numbers are handed out once, whatever becomes of registers and operators."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest

from kwitness.operator.adapters.api_session import WatchHealth, open_session
from kwitness.operator.adapters.kubernetes import Kubernetes
from kwitness.operator.model.errors import KubernetesUnavailableError
from kwitness.operator.model.store import Key
from kwitness.runtime.api_access import find_access

from tests.eventually import eventually
from tests.operator.conftest import at_the_resync
from tests.operator.surroundings import apply, cluster, get, ready, until_reason, writes_in_resyncs

FIRST = 0x130000
IDS = "kwitness-header-ids"


def register(name: str, namespace: str, *keys: str | dict[str, Any], **spec: Any) -> dict[str, Any]:
    meaning = {"description": "A key.", "type": "String"}
    entries = [{**meaning, **(key if isinstance(key, dict) else {"name": key})} for key in keys]
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "HeaderRegistry",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"idRange": "LocalApplication", "keys": entries, **spec},
    }


def ids_of(api, name: str, namespace: str) -> dict[str, int]:
    status = get(api, "khr", name, namespace).get("status", {})
    return {one["name"]: one["id"] for one in status.get("ids", [])}


def until_ids(api, name: str, namespace: str, expected: dict[str, int]) -> None:
    eventually(lambda: ids_of(api, name, namespace), lambda found: found == expected)


def remembered(api, namespace: str) -> dict[str, Any]:
    homes = json.loads(get(api, "configmap", IDS, namespace)["data"]["header-ids.json"])["homes"]
    return homes.get(namespace, {"owners": {}})


@pytest.fixture
def listing(api, namespace) -> None:
    """A KafkaCluster, whose registers are those of its namespace."""
    apply(api, cluster("main", namespace, "127.0.0.1:1"))


def test_a_number_is_handed_out_once_and_comes_back_with_its_key(api, namespace, listing, start_operator):
    start_operator()
    apply(api, register("shop", namespace, "order.id", {"name": "app.name", "id": 1114112}))
    until_reason(api, "khr", "shop", namespace, "Registered")
    assert ids_of(api, "shop", namespace) == {"order.id": FIRST, "app.name": 1114112}
    assert get(api, "khr", "shop", namespace)["status"]["registered"] == 2

    api.objects.delete("khr", "shop", namespace=namespace)
    eventually(lambda: remembered(api, namespace)["owners"] == {})
    apply(api, register("bank", namespace, "account"))
    until_ids(api, "bank", namespace, {"account": FIRST + 1})
    apply(api, register("shop", namespace, "order.id"))
    until_ids(api, "shop", namespace, {"order.id": FIRST})


def test_who_has_a_key_keeps_it_and_the_other_is_told_whose_it_is(api, namespace, listing, start_operator):
    start_operator()
    apply(api, register("shop", namespace, "charge.tag"))
    until_reason(api, "khr", "shop", namespace, "Registered")
    apply(api, register("bank", namespace, "charge.tag", "account", priority=1000))
    assert f"HeaderRegistry {namespace}/shop" in until_reason(api, "khr", "bank", namespace, "KeyTaken")
    status = get(api, "khr", "bank", namespace)["status"]
    assert status["taken"] == [{"key": "charge.tag", "by": f"{namespace}/shop"}]
    assert ids_of(api, "bank", namespace) == {"account": FIRST + 1}

    apply(api, register("shop", namespace, "order.id"))
    until_reason(api, "khr", "bank", namespace, "Registered")
    # The number is the key's, not the register's.
    assert ids_of(api, "bank", namespace) == {"account": FIRST + 1, "charge.tag": FIRST}


def test_a_second_operator_and_a_successor_agree_with_the_first(api, namespace, listing, start_operator):
    first = start_operator()
    start_operator(user="operator-b")
    names = [f"r{number}" for number in range(6)]
    apply(api, *(register(name, namespace, f"{name}.a", f"{name}.b", "shared") for name in names))
    for name in names:
        until_reason(api, "khr", name, namespace, "Registered" if name == "r0" else "KeyTaken")
    given = remembered(api, namespace)["given"]
    assert sorted(given.values()) == list(range(FIRST, FIRST + 13))
    for name in names:
        assert ids_of(api, name, namespace).items() <= given.items()

    first.stop(signal.SIGKILL)
    apply(api, register("late", namespace, "late"))
    until_ids(api, "late", namespace, {"late": FIRST + 13})
    start_operator()
    assert remembered(api, namespace)["given"] == {**given, "late": FIRST + 13}


@at_the_resync
def test_what_somebody_broke_is_said_and_nothing_is_lost(api, namespace, listing, start_operator):
    start_operator()
    apply(api, register("shop", namespace, "order.id"), register("bank", namespace, "account"))
    for name in ("shop", "bank"):
        until_reason(api, "khr", name, namespace, "Registered")
    before = {name: ids_of(api, name, namespace) for name in ("shop", "bank")}
    stood = get(api, "configmap", IDS, namespace)["data"]["header-ids.json"]
    api.objects.patch("configmap", IDS, namespace, {"data": {"header-ids.json": "{}"}})
    apply(api, register("late", namespace, "late"))
    assert IDS in until_reason(api, "khr", "late", namespace, "IdsUnreadable")
    assert get(api, "configmap", IDS, namespace)["data"]["header-ids.json"] == "{}"
    assert {name: ids_of(api, name, namespace) for name in before} == before

    api.objects.patch("configmap", IDS, namespace, {"data": {"header-ids.json": stood}})
    # What others do to the ConfigMap is looked at each minute.
    eventually(lambda: ready(api, "khr", "late", namespace)["reason"], lambda one: one == "Registered", still_s=120)
    assert ids_of(api, "late", namespace) == {"late": FIRST + 2}
    assert {name: ids_of(api, name, namespace) for name in before} == before


def test_a_register_of_another_namespace_claims_what_the_cluster_lists_it_for(
    api, namespace, another_namespace, start_operator
):
    start_operator(watchNamespaces=[namespace, another_namespace])
    reference = {"name": "main", "namespace": namespace}
    labels = {"kubernetes.io/metadata.name": another_namespace}
    apply(
        api,
        cluster("main", namespace, "127.0.0.1:1", allowedNamespaces={"from": "All"}),
        register("shared", namespace, "traceparent"),
        register("team", another_namespace, f"{another_namespace}.tenant", "traceparent", clusterRef=reference),
    )
    until_reason(api, "khr", "shared", namespace, "Registered")
    assert "spec.headerRegistries" in until_reason(api, "khr", "team", another_namespace, "NotListed")
    assert ids_of(api, "team", another_namespace) == {}

    entries = [{"name": "shared"}, {"namespaceSelector": {"matchLabels": labels}, "template": "{namespace}."}]
    apply(api, cluster("main", namespace, "127.0.0.1:1", allowedNamespaces={"from": "All"}, headerRegistries=entries))
    until_reason(api, "khr", "team", another_namespace, "KeysRefused")
    assert get(api, "khr", "team", another_namespace)["status"]["refused"] == ["traceparent"]
    assert ids_of(api, "team", another_namespace) == {f"{another_namespace}.tenant": FIRST + 1}
    assert ids_of(api, "shared", namespace) == {"traceparent": FIRST}

    # Where the KafkaCluster itself is gone nothing is taken from anybody.
    api.objects.delete("kfc", "main", namespace=namespace)
    until_reason(api, "khr", "shared", namespace, "ClusterNotReady")
    assert ids_of(api, "shared", namespace) == {"traceparent": FIRST}


def test_an_id_that_is_given_back_is_handed_out_to_no_other_key(api, namespace, listing, start_operator):
    start_operator()
    apply(api, register("shop", namespace, "order.id"))
    until_ids(api, "shop", namespace, {"order.id": FIRST})
    apply(api, register("shop", namespace, {"name": "order.id", "released": True}))
    eventually(
        lambda: get(api, "khr", "shop", namespace)["status"].get("released"), lambda released: released == ["order.id"]
    )
    assert remembered(api, namespace)["given"] == {}
    apply(api, register("shop", namespace, "number"))
    until_ids(api, "shop", namespace, {"number": FIRST + 1})
    assert remembered(api, namespace)["past"] == [FIRST]


@at_the_resync
def test_nothing_is_written_while_nothing_changes(api, namespace, listing, start_operator):
    start_operator()
    apply(api, register("shop", namespace, "order.id"))
    until_reason(api, "khr", "shop", namespace, "Registered")
    apply(api, register("bank", namespace, "order.id"))
    until_reason(api, "khr", "bank", namespace, "KeyTaken")

    eventually(lambda: writes_in_resyncs(api, namespace), lambda writes: writes == [])


@pytest.fixture
async def kubernetes(api, namespace, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", str(api.kubeconfig_of("operator")))
    access = find_access()
    async with open_session(access, WatchHealth()) as session:
        yield Kubernetes(session, access.server)


async def test_of_two_that_write_at_once_one_looks_again(kubernetes, namespace):
    at = Key(namespace, IDS)
    await kubernetes.exchange("ConfigMap", at, {"data": {"k": "first"}}, version=None)
    with pytest.raises(KubernetesUnavailableError):
        await kubernetes.exchange("ConfigMap", at, {"data": {"k": "second"}}, version=None)
    found = await kubernetes.get("ConfigMap", *at)
    version = found["metadata"]["resourceVersion"]
    assert found["data"] == {"k": "first"}

    await kubernetes.exchange("ConfigMap", at, {"data": {"k": "third"}}, version=version)
    with pytest.raises(KubernetesUnavailableError):
        await kubernetes.exchange("ConfigMap", at, {"data": {"k": "late"}}, version=version)
    assert (await kubernetes.get("ConfigMap", *at))["data"] == {"k": "third"}

    with pytest.raises(KubernetesUnavailableError):
        await kubernetes.exchange("ConfigMap", Key(namespace, "not-there"), {"data": {"k": "v"}}, version=version)
    assert await kubernetes.get("ConfigMap", namespace, "not-there") is None
