"""Pods that end at their start with interceptors, from the API server to the injector's answer for the next pod."""

from __future__ import annotations

import time
from typing import Any

import pytest

from kwitness.contracts.interceptor_injections import (
    InterceptorInjection,
    InterceptorInjectionsFile,
    interceptor_injection_hash,
)
from kwitness.injector.decision.interceptors import decide_on_interceptors
from kwitness.injector.decision.place import Place

from tests.eventually import eventually
from tests.operator.granted import USERS, granted
from tests.operator.surroundings import apply, cluster, collector, condition, get, may

pytestmark = pytest.mark.broker
NEXT_POD = {"serviceAccountName": "orders", "containers": [{"name": "app", "image": "app"}]}


def profile(namespace: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "InterceptorProfile",
        "metadata": {"name": "orders", "namespace": namespace},
        "spec": {
            "clusterRef": {"name": "main"},
            "selector": {"matchLabels": {"app": "orders"}},
            "runtimes": ["Java"],
            "interceptors": [{"name": "audit", "type": "Audit"}],
            **spec,
        },
    }


@pytest.fixture
def enabled(api, namespace, clean_broker, start_operator):
    """A profile in a namespace that lets its pods get interceptors, and an operator that may see them."""
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "orders", "namespace": namespace}}
    apply(
        api,
        *granted(namespace, injector={"enabled": True}),
        account,
        cluster("main", namespace, clean_broker.bootstrap),
        collector("main", namespace),
        profile(namespace),
    )
    api.objects.label("namespace", namespace, None, {"kwitness.dev/injection": "enabled"})
    eventually(lambda: all(may(api, user, "list", "pods", namespace) for user in USERS))

    def start() -> Any:
        return start_operator(
            injector={"enabled": True}, images={"collector": "collector", "interceptors": "interceptors"}
        )

    return start


def injections(api, namespace: str) -> tuple[InterceptorInjection, ...]:
    found = api.objects.find("configmap", "kwitness-interceptors", namespace)
    text = found["data"]["injections.json"] if found else '{"injections":[]}'
    return InterceptorInjectionsFile.model_validate_json(text).injections


def metadata(namespace: str, workload: str, digest: str) -> dict[str, Any]:
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": workload, "uid": "u-1", "controller": True}
    marks = {"kwitness.dev/interceptors": f"{namespace}/orders", "kwitness.dev/interceptors-hash": digest}
    own = {"name": f"{workload}-0", "namespace": namespace, "labels": {"app": "orders"}}
    return {**own, "ownerReferences": [owner], "annotations": marks}


def run_pod(api, namespace: str, workload: str, digest: str, *, ends: bool) -> None:
    """Make a pod, and describe it as the kubelet would that is not here."""
    spec = {**NEXT_POD, "automountServiceAccountToken": False}
    apply(api, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata(namespace, workload, digest), "spec": spec})
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    message = "Could not find agent library instrument on the library path"
    ended = {"exitCode": 1, "reason": "Error", "message": message, "startedAt": now, "finishedAt": now}
    container = {"name": "app", "image": "app", "imageID": "app", "ready": not ends, "restartCount": 3 if ends else 0}
    state = {"waiting": {"reason": "CrashLoopBackOff"}} if ends else {"running": {"startedAt": now}}
    last = {"lastState": {"terminated": ended}} if ends else {}
    status = {
        "phase": "Running",
        "startTime": now,
        "conditions": [{"type": "Ready", "status": "False" if ends else "True"}],
        "containerStatuses": [{**container, "state": state, **last}],
    }
    api.objects.patch("pod", f"{workload}-0", namespace, {"status": status}, subresource="status")


def answer(api, namespace: str, workload: str) -> str:
    """Return the injector's answer for the next pod of a workload, by what the operator wrote for it."""
    pod = {"metadata": metadata(namespace, workload, ""), "spec": NEXT_POD}
    pod["metadata"]["annotations"] = {}
    labels = {"kwitness.dev/injection": "enabled"}
    place = Place({"metadata": {"name": namespace, "labels": labels}}, minor=33, security_level="baseline")
    decided = decide_on_interceptors(pod, place, injections(api, namespace))
    return decided.left_out.get(f"{namespace}/orders", decided.outcome)


def test_injection_stops_for_the_workload_alone_until_the_profile_changes(enabled, api, namespace):
    operator = enabled()
    [given] = eventually(lambda: injections(api, namespace), len)
    assert answer(api, namespace, "billing") == "injected"
    digest = interceptor_injection_hash(given)
    operator.stop()
    run_pod(api, namespace, "billing", digest, ends=True)
    run_pod(api, namespace, "payments", digest, ends=False)

    operator = enabled()
    eventually(lambda: answer(api, namespace, "billing"), lambda now: now == "EndedAtStart")
    assert answer(api, namespace, "payments") == "injected"
    eventually(lambda: get(api, "kip", "orders", namespace).get("status", {}).get("endedAtStart"))
    found = condition(api, "kip", "orders", namespace, "PodsStart")
    assert found["reason"] == "EndedAtStart"
    assert "exit code 1, Error: Could not find agent library instrument" in found["message"]

    # The pod goes, the process ends: the status remembers.
    api.kubectl("delete", "pod", "billing-0", "--namespace", namespace, "--grace-period=0", "--force")
    operator.stop()
    enabled()
    eventually(lambda: get(api, "kip", "orders", namespace)["status"]["pods"], lambda now: now["selected"] == 1)
    assert answer(api, namespace, "billing") == "EndedAtStart"

    apply(api, profile(namespace, runtimes=["Python"]))
    eventually(lambda: answer(api, namespace, "billing"), lambda now: now == "injected")
