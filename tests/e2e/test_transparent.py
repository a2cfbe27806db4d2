"""Redirected connections: where everything is allowed applications are seen unchanged, elsewhere they are let be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from kwitness.contracts.injections import LEFT_OUT, OBSERVER, OBSERVER_CONTAINER, REDIRECT_CONTAINER
from kwitness.demo import secrets, up
from kwitness.demo.platform import APPS, CLUSTER, NAMESPACE, Platform

from tests.e2e import another_client, client_listeners, dry_runs, kafka_users, pod_security, subscriptions
from tests.e2e.eventually import eventually
from tests.e2e.workloads import running

pytestmark = pytest.mark.needs(up.collector)

KIND = "observerdeployment"
NAME = "redirected"
RESTRICTED, ALLOWED = "restricted-producer", "allowed-producer"
"""Deployments that start while the namespace enforces `restricted`, and while it enforces `privileged`."""
LOGIN = "redirected-login"
"""A Secret of theirs."""


def resource() -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "ObserverDeployment",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "spec": {
            "clusterRef": {"name": CLUSTER},
            "listenerRef": {"name": client_listeners.SIGNED_IN["name"]},
            "sidecar": {
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": APPS}},
                "selector": {"matchLabels": {"redirected": "true"}},
                "transparent": {},
            },
            "observers": [{"type": "Connections"}, {"type": "Traffic"}],
            "window": "1s",
        },
    }


def producer(platform: Platform, name: str) -> dict[str, Any]:
    """A client of the demo, under another name and with the brokers' own address."""
    deployment = another_client.deployment(platform, name)
    template = deployment["spec"]["template"]
    del template["metadata"]["labels"]["observed"]
    template["metadata"]["labels"]["redirected"] = "true"
    told = {
        "BOOTSTRAP_SERVERS": client_listeners.SIGNED_IN["bootstrapServers"][0],
        "KAFKA_SECURITY_PROTOCOL": "SASL_PLAINTEXT",
        "KAFKA_SASL_MECHANISMS": "PLAIN",
        "KAFKA_SASL_USERNAME": kafka_users.ADMIN,
        "TOPIC": "demo.orders",
        "CLIENT_ID": name,
        "CLIENT_VARIANT": "confluent-2.16.1",
        "RATE_PER_SECOND": "10",
    }
    template["spec"]["containers"][0]["env"] = [
        *({"name": key, "value": value} for key, value in told.items()),
        {"name": "KAFKA_SASL_PASSWORD", "valueFrom": {"secretKeyRef": {"name": LOGIN, "key": "password"}}},
    ]
    return deployment


def tried(platform: Platform) -> dict[str, Any]:
    """A pod as the Deployment makes them."""
    template = producer(platform, ALLOWED)["spec"]["template"]
    metadata = {**template["metadata"], "name": "tried", "namespace": APPS}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


@pytest.fixture(scope="module")
def producers(platform: Platform) -> Iterator[None]:
    """One that started where `restricted` is enforced, and one that started once `privileged` was."""
    login = secrets.secret(LOGIN, {"password": kafka_users.password_of(platform)})
    with ExitStack() as until:
        platform.cluster.apply_objects(login, namespace=APPS)
        until.callback(platform.cluster.delete, "secret", LOGIN, namespace=APPS)
        until.enter_context(client_listeners.named(platform, client_listeners.SIGNED_IN))
        until.enter_context(subscriptions.applied(platform, resource()))
        subscriptions.reason_becomes(platform, NAME, "Injecting", KIND)
        pod = tried(platform)
        eventually(lambda: dry_runs.annotations_of(platform, pod), lambda now: LEFT_OUT in now)
        until.enter_context(running(platform, producer(platform, RESTRICTED)))
        until.enter_context(pod_security.enforcing(platform, APPS, "privileged"))
        eventually(lambda: dry_runs.annotations_of(platform, pod), lambda now: OBSERVER in now)
        until.enter_context(running(platform, producer(platform, ALLOWED)))
        yield


def pod_of(platform: Platform, name: str) -> dict[str, Any]:
    [pod] = platform.cluster.pods(APPS, f"app.kubernetes.io/name={name}")
    return pod


def log_of(platform: Platform, name: str) -> str:
    pod = pod_of(platform, name)["metadata"]["name"]
    return platform.cluster.log(pod, APPS, container="client")


@pytest.mark.usefixtures("producers")
def test_where_privileged_is_enforced_an_application_is_seen_that_nobody_has_changed(platform: Platform) -> None:
    pod = pod_of(platform, ALLOWED)
    assert pod["metadata"]["annotations"][OBSERVER] == f"{NAMESPACE}/{NAME}"
    assert [one["name"] for one in pod["spec"]["initContainers"]] == [OBSERVER_CONTAINER, REDIRECT_CONTAINER]
    [client] = pod["spec"]["containers"]
    [wanted] = producer(platform, ALLOWED)["spec"]["template"]["spec"]["containers"]
    assert client["env"] == wanted["env"]
    place = f'k8s_namespace="{APPS}",k8s_workload="{ALLOWED}",k8s_pod="{pod["metadata"]["name"]}"'
    what = f'client_id="{ALLOWED}",principal="User:{kafka_users.ADMIN}",api="Produce",topic="demo.orders"'

    records = eventually(lambda: platform.latest(f"kafka_client_records_total{{{place},{what}}}"), lambda now: now > 0)

    assert platform.latest(f"kafka_client_record_bytes_total{{{place},{what}}}") > records
    log = log_of(platform, ALLOWED)
    assert "connected" in log
    assert "not delivered" not in log


@pytest.mark.usefixtures("producers")
def test_where_restricted_is_enforced_pods_start_and_work_without_and_the_status_says_why(platform: Platform) -> None:
    pod = pod_of(platform, RESTRICTED)
    assert pod["metadata"]["annotations"][LEFT_OUT] == f"{NAMESPACE}/{NAME}=NotPrivileged"
    assert not pod["spec"].get("initContainers")
    eventually(lambda: log_of(platform, RESTRICTED), lambda log: "connected" in log)

    def pods() -> dict[str, Any]:
        return dict(subscriptions.found(platform, NAME, KIND)["status"].get("pods") or {})

    example = f"{APPS}/{pod['metadata']['name']}"
    told = eventually(pods, lambda now: now.get("observed") == 1 and now.get("leftOut"))
    assert told["leftOut"] == [{"reason": "NotPrivileged", "pods": 1, "example": example}]
    assert told["selected"] == 2
