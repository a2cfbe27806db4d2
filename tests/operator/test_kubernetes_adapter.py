"""The adapter against a real API server: a write only where something differs, and rights told apart."""

from __future__ import annotations

import copy
from types import SimpleNamespace

import pytest

from kwitness.operator.adapters import kubernetes as adapter
from kwitness.operator.adapters.api_session import WatchHealth, open_session
from kwitness.operator.adapters.kubernetes import Kubernetes
from kwitness.operator.adapters.resource_types import TYPES, ResourceType
from kwitness.operator.handlers.children import Children
from kwitness.operator.model.errors import KubernetesUnavailableError, TerminalError, TransientError
from kwitness.operator.model.ownership import covers, merge_patch
from kwitness.operator.model.store import Key, Store
from kwitness.runtime.api_access import find_access

from tests.operator.surroundings import apply, cluster, get, writes_of


@pytest.fixture
async def kubernetes(api, namespace, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", str(api.kubeconfig_of("operator")))
    access = find_access()
    async with open_session(access, WatchHealth()) as session:
        yield Kubernetes(session, access.server)


def _service(namespace: str) -> dict:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "child", "namespace": namespace, "labels": {"a": "b"}},
        "spec": {"selector": {"app": "x"}, "ports": [{"name": "api", "port": 8443, "protocol": "TCP"}]},
    }


async def test_what_is_already_so_is_not_written(kubernetes, api, namespace):
    assert await kubernetes.apply(_service(namespace)) == "written"
    since = api.audit_end()
    assert await kubernetes.apply(_service(namespace)) == "unchanged"
    assert writes_of(api, "operator", since) == []


async def test_a_foreign_change_of_an_owned_field_is_repaired_and_other_fields_are_left(kubernetes, api, namespace):
    await kubernetes.apply(_service(namespace))
    api.objects.label("svc", "child", namespace, {"a": "c", "theirs": "kept"})
    assert await kubernetes.apply(_service(namespace)) == "repaired"
    found = await kubernetes.get("Service", namespace, "child")
    assert found["metadata"]["labels"] == {"a": "b", "theirs": "kept"}


async def test_a_field_that_is_no_longer_wanted_goes(kubernetes, namespace):
    await kubernetes.apply(_service(namespace))
    without = copy.deepcopy(_service(namespace))
    del without["metadata"]["labels"]
    assert await kubernetes.apply(without) == "written"
    assert "labels" not in (await kubernetes.get("Service", namespace, "child"))["metadata"]


async def test_a_status_for_an_object_that_was_replaced_goes_to_nobody(kubernetes, api, namespace):
    key = Key(namespace, "main")
    apply(api, cluster("main", namespace, "127.0.0.1:1"))
    earlier = await kubernetes.get("KafkaCluster", namespace, "main")
    api.objects.delete("kfc", "main", namespace=namespace)
    apply(api, cluster("main", namespace, "127.0.0.1:1"))
    with pytest.raises(KubernetesUnavailableError, match="was changed by someone else"):
        await kubernetes.patch_status(
            "KafkaCluster", key, {"observedGeneration": 1}, version=earlier["metadata"]["resourceVersion"]
        )
    assert "status" not in await kubernetes.get("KafkaCluster", namespace, "main")


def _owned(namespace: str, owner: str, uid: str) -> dict:
    service = _service(namespace)
    reference = {"apiVersion": "kwitness.dev/v1beta1", "kind": "TelemetryCollector", "name": owner, "uid": uid}
    service["metadata"]["ownerReferences"] = [{**reference, "controller": True, "blockOwnerDeletion": False}]
    return service


async def test_an_object_of_somebody_else_is_not_taken_over(kubernetes, api, namespace):
    apply(api, _service(namespace))
    since = api.audit_end()
    with pytest.raises(TransientError, match="Service child is there already") as caught:
        await kubernetes.apply(_owned(namespace, "main", "1"))
    assert caught.value.reason == "Conflict"
    assert writes_of(api, "operator", since) == []
    api.objects.delete("svc", "child", namespace=namespace)
    assert await kubernetes.apply(_owned(namespace, "main", "1")) == "written"


async def test_a_child_of_another_operators_resource_of_the_same_kind_and_name_is_left_alone(
    kubernetes, api, namespace
):
    theirs = _owned(namespace, "main", "1")
    theirs["metadata"]["ownerReferences"][0]["apiVersion"] = "kafka.example.org/v1"
    apply(api, theirs)
    with pytest.raises(TransientError, match="Service child is there already"):
        await kubernetes.apply(_owned(namespace, "main", "1"))


async def test_two_resources_whose_children_have_one_name_do_not_fight(kubernetes, namespace):
    await kubernetes.apply(_owned(namespace, "a", "1"))
    with pytest.raises(TransientError, match="Conflict"):
        await kubernetes.apply(_owned(namespace, "a-replicas", "2"))
    assert await kubernetes.apply(_owned(namespace, "a", "1")) == "unchanged"


async def test_what_a_predecessor_left_is_taken_up(kubernetes, namespace):
    await kubernetes.apply(_owned(namespace, "main", "1"))
    assert await kubernetes.apply(_owned(namespace, "main", "2")) == "written"
    found = await kubernetes.get("Service", namespace, "child")
    assert [one["uid"] for one in found["metadata"]["ownerReferences"]] == ["2"]


async def test_a_child_that_lost_its_owner_is_taken_up_again(kubernetes, api, namespace):
    await kubernetes.apply(_owned(namespace, "main", "1"))
    orphan = [{"op": "remove", "path": "/metadata/ownerReferences"}]
    api.objects.patch("svc", "child", namespace, orphan, how="json")
    assert await kubernetes.apply(_owned(namespace, "main", "2")) == "written"


async def test_nothing_is_created_by_post(kubernetes, api, namespace):
    since = api.audit_end()
    await kubernetes.apply(_service(namespace))
    assert {write.split()[0] for write in writes_of(api, "operator", since)} == {"patch"}


async def test_a_list_that_may_not_be_made_is_called_a_list(kubernetes):
    with pytest.raises(TransientError, match=r"may not list kafkaclusters \(KafkaCluster in kube-system\)"):
        await kubernetes.list("KafkaCluster", "kube-system")


async def test_a_missing_right_names_verb_and_resource(kubernetes):
    with pytest.raises(TransientError) as caught:
        await kubernetes.get("Secret", "default", "any")
    assert caught.value.reason == "KubernetesForbidden"
    assert "secrets" in caught.value.message


async def test_a_refused_object_is_the_users_to_correct(kubernetes, namespace):
    wrong = _service(namespace)
    wrong["spec"]["ports"][0]["port"] = 99999
    with pytest.raises(TerminalError) as caught:
        await kubernetes.apply(wrong)
    assert caught.value.reason == "InvalidSpec"
    assert "(spec.ports[0].port, " in caught.value.message


async def test_a_stateful_set_that_cannot_be_changed_says_how_to_go_on(kubernetes, namespace):
    await kubernetes.apply(_stateful_set(namespace, "before"))
    with pytest.raises(TerminalError) as caught:
        await kubernetes.apply(_stateful_set(namespace, "after"))
    assert "--cascade=orphan" in caught.value.message


async def test_an_amount_may_be_written_in_any_way(kubernetes, api, namespace):
    made = _stateful_set(namespace, "amounts")
    amounts = {"cpu": "0.009", "memory": "0.009Gi", "ephemeral-storage": "1024Ti", "example.org/parts": "12e3"}
    made["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": amounts, "limits": amounts}
    await kubernetes.apply(made)
    since = api.audit_end()
    assert await kubernetes.apply(made) == "unchanged"
    assert writes_of(api, "operator", since) == []


def _stateful_set(namespace, service):
    chosen = {"app": "cached"}
    template = {"metadata": {"labels": chosen}, "spec": {"containers": [{"name": "one", "image": "one"}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "fixed", "namespace": namespace},
        "spec": {"serviceName": service, "selector": {"matchLabels": chosen}, "template": template},
    }


def _event(namespace: str) -> dict:
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "main.1", "namespace": namespace},
        "eventTime": "2026-01-01T00:00:00.000000Z",
        "type": "Normal",
        "reason": "Connected",
        "action": "Connect",
        "note": "connected",
        "reportingController": "kwitness.dev/operator",
        "reportingInstance": "kwitness-operator",
        "regarding": {"kind": "KafkaCluster", "name": "main", "namespace": namespace},
    }


async def test_events_and_children_that_are_gone_use_no_memory(kubernetes, namespace):
    owned = _owned(namespace, "main", "1")["metadata"]
    children = [{**_stateful_set(namespace, "s"), "metadata": {**owned, "name": f"set-{index}"}} for index in range(3)]
    for desired in (_event(namespace), _service(namespace), *children):
        await kubernetes.apply(desired)
    assert len(kubernetes.applied) == 3

    found = await kubernetes.get("StatefulSet", namespace, "set-0")
    await kubernetes.delete("StatefulSet", namespace, "set-0", uid=found["metadata"]["uid"])
    assert len(kubernetes.applied) == 2

    context = SimpleNamespace(kubernetes=kubernetes, store=Store(), touched=lambda _kind, _key: None)
    Children(context).changed("StatefulSet", {"namespace": namespace, "name": "set-1"}, gone=True)
    assert len(kubernetes.applied) == 1

    kubernetes.applied.forget_children(("TelemetryCollector", Key(namespace, "main")))
    assert len(kubernetes.applied) == 0


async def test_a_kind_that_is_not_served_is_no_empty_list(kubernetes, api, namespace, monkeypatch):
    # As right after an API server's start, when it does not know our kinds yet.
    unknown = ResourceType("kwitness.dev/v1beta1", "unknowns")
    monkeypatch.setattr(adapter, "TYPES", {**TYPES, "Unknown": unknown})
    role = get(api, "role", "kwitness-operator", namespace)
    role["rules"].append({"apiGroups": ["kwitness.dev"], "resources": ["unknowns"], "verbs": ["list"]})
    api.objects.replace(role)
    with pytest.raises(TransientError):
        await kubernetes.list("Unknown", namespace)


async def test_only_the_object_that_was_meant_is_deleted(kubernetes, namespace):
    kind = "PodDisruptionBudget"
    spec = {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "child"}}}
    metadata = {"name": "child", "namespace": namespace}
    await kubernetes.apply({"apiVersion": "policy/v1", "kind": kind, "metadata": metadata, "spec": spec})
    await kubernetes.delete(kind, namespace, "child", uid="another")
    found = await kubernetes.get(kind, namespace, "child")
    assert found is not None
    await kubernetes.delete(kind, namespace, "child", uid=found["metadata"]["uid"])
    assert await kubernetes.get(kind, namespace, "child") is None


async def test_a_status_patch_returns_the_new_object(kubernetes, api, namespace):
    apply(api, cluster("main", namespace, "kafka:9092"))
    version = (await kubernetes.get("KafkaCluster", namespace, "main"))["metadata"]["resourceVersion"]
    updated = await kubernetes.patch_status("KafkaCluster", Key(namespace, "main"), {"clusterId": "x"}, version=version)
    assert updated["status"] == {"clusterId": "x"}
    assert (
        await kubernetes.patch_status("KafkaCluster", Key(namespace, "missing"), {"clusterId": "x"}, version="1")
        is None
    )


PAIR = [{"key": "k", "effect": "NoSchedule"}, {"key": "k", "effect": "NoExecute"}]
TWICE = [{"name": "v", "mountPath": "/a"}, {"name": "v", "mountPath": "/b"}]
DNS = [
    {"containerPort": 53, "port": 53, "protocol": "TCP", "name": "t"},
    {"containerPort": 53, "port": 53, "protocol": "UDP", "name": "u"},
]


def _pod(**spec: object) -> dict:
    return {"spec": {"template": {"spec": spec}}}


def _container(**fields: object) -> dict:
    return _pod(containers=[{"name": "x", **fields}])


@pytest.mark.parametrize(
    ("present", "wanted", "verdict"),
    [
        ({"a": 1, "b": 2}, {"a": 1}, True),
        ({"a": 1}, {"a": 2}, False),
        ({}, {"a": {}}, True),
        ({"cpu": "500m"}, {"cpu": "0.5"}, True),
        ({"cpu": "500m"}, {"cpu": "0.6"}, False),
        ({"cpu": "9m"}, {"cpu": "0.009"}, True),
        ({"cpu": "500u"}, {"cpu": "0.5m"}, True),
        ({"storage": "1Pi"}, {"storage": "1024Ti"}, True),
        ({"storage": "1Pi"}, {"storage": "1Ei"}, False),
        # Lists that the API calls maps by their keys, others as a whole.
        (_pod(containers=[{"name": "x", "v": 1}, {"name": "theirs"}]), _pod(containers=[{"name": "x"}]), True),
        (_pod(containers=[{"name": "x", "v": 1}]), _pod(containers=[{"name": "x", "v": 2}]), False),
        (_pod(tolerations=PAIR), _pod(tolerations=PAIR), True),
        (_pod(tolerations=PAIR[::-1]), _pod(tolerations=PAIR), False),
        (_pod(tolerations=[*PAIR, {"key": "theirs"}]), _pod(tolerations=PAIR), False),
        (_container(volumeMounts=TWICE), _container(volumeMounts=TWICE), True),
        (_container(volumeMounts=TWICE[:1]), _container(volumeMounts=TWICE), False),
        (_container(ports=[*DNS, {"containerPort": 1, "protocol": "TCP"}]), _container(ports=DNS[::-1]), True),
        (_container(ports=DNS), _container(ports=[{"containerPort": 53, "name": "t"}]), True),
        (_container(ports=DNS), _container(ports=[{"containerPort": 53, "name": "u"}]), False),
        ({"spec": {"ingress": [{"ports": DNS}]}}, {"spec": {"ingress": [{"ports": DNS[:1]}]}}, False),
        (["a", "b"], ["a"], False),
        (["a"], ["a"], True),
        (True, True, True),
    ],
)
def test_an_object_covers_what_is_wanted_of_it(present, wanted, verdict):
    assert covers(present, wanted) is verdict


@pytest.mark.parametrize(
    ("present", "wanted", "patch"),
    [
        ({"a": 1}, {"a": 1}, {}),
        ({"a": 1}, {"a": 2}, {"a": 2}),
        ({"a": 1, "b": 1}, {"a": 1}, {"b": None}),
        ({"a": {"b": 1, "c": 1}}, {"a": {"b": 2}}, {"a": {"b": 2, "c": None}}),
        ({"a": [1]}, {"a": [1, 2]}, {"a": [1, 2]}),
    ],
)
def test_a_merge_patch_holds_the_difference(present, wanted, patch):
    assert merge_patch(present, wanted) == patch


def test_a_watch_that_stands_still_is_noticed():
    health = WatchHealth()
    assert health.stalled(10) is None
    path = "/apis/kwitness.dev/v1beta1/namespaces/x/kafkaclusters"
    health.note(path, {"watch": "true"})
    health.note("/api/v1/secrets", {"watch": "true"})
    assert health.stalled(10) is None
    health.heard[path] -= 11
    assert "kafkaclusters" in (health.stalled(10) or "")


def test_a_watch_has_begun_when_kopf_has_listed_its_collection():
    health = WatchHealth()
    path = "/apis/kwitness.dev/v1beta1/namespaces/x/kafkaclusters"
    health.note("/apis/kwitness.dev/v1beta1", {}, of_kopf=True)
    health.note(path, {"watch": "true"}, of_kopf=True)
    health.note(path, {"limit": "500"})
    health.note(path, {}, 403, of_kopf=True)
    assert not health.begun
    assert not health.changed.is_set()
    health.note(path, {}, of_kopf=True)
    assert health.begun == {path}
    assert health.changed.is_set()


def test_a_collection_that_is_refused_is_lost_and_does_not_stand_still():
    health = WatchHealth()
    path = "/apis/kwitness.dev/v1beta1/namespaces/x/kafkaclusters"
    health.note(path, {"watch": "true"})
    health.heard[path] -= 11
    health.note(path, {"limit": "500"}, 500)
    assert health.stalled(10) is not None
    health.note(f"/clusters/main{path}", {"limit": "500"}, 403)
    assert health.stalled(10) is None
    assert health.lost == {path}
