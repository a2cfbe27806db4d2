"""The run's API server with our definitions, a namespace a test, an administrator, and somebody without permissions."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kwitness.contracts.resources import KINDS
from kwitness.contracts.resources.meta import API_VERSION
from kwitness.e2e.api_server import ApiServer

from tests.cli.command import Person, kubeconfig_with

ROOT = Path(__file__).resolve().parents[2]
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def api(api_server: ApiServer) -> ApiServer:
    api_server.kubectl("apply", "--server-side", "-f", str(ROOT / "crds"))
    api_server.cluster().await_definitions()
    return api_server


@pytest.fixture
def namespace(api: ApiServer) -> str:
    return _make_namespace(api)


@pytest.fixture
def another_namespace(api: ApiServer) -> str:
    return _make_namespace(api)


def _make_namespace(api: ApiServer) -> str:
    name = f"cli-{os.getpid()}-{next(_numbers)}"
    apply(api, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return name


@pytest.fixture
def person(api: ApiServer, namespace: str, tmp_path: Path) -> Person:
    """The administrator, whose context names the namespace of the test."""
    content = json.loads(api.kubeconfig.read_text())
    content["contexts"][0]["context"]["namespace"] = namespace
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(json.dumps(content))
    return Person(kubeconfig, tmp_path)


@pytest.fixture
def newcomer(api: ApiServer, namespace: str, tmp_path: Path) -> Person:
    """The service account `newcomer`, which may do nothing."""
    apply(api, account("newcomer", namespace))
    return Person(kubeconfig_with(api, tmp_path / "newcomer", token(api, "newcomer", namespace)), tmp_path)


@pytest.fixture
def with_status(api: ApiServer, namespace: str) -> Callable[..., None]:
    """Write a status, as the operator does."""

    def write(kind: str, name: str, **status: Any) -> None:
        patch = json.dumps({"status": status})
        if kind not in PATHS:
            where = ("--namespace", namespace, "--subresource", "status", "--type", "merge")
            api.kubectl("patch", kind, name, *where, "--patch", patch)
            return
        path = f"{path_of(kind, namespace, name)}/status"
        sent = {"Content-Type": "application/merge-patch+json"}
        answer = api.request("PATCH", path, data=patch, headers=sent)
        assert answer.ok, answer.text

    return write


PATHS = {
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": "/api/v1/namespaces/{}/serviceaccounts",
    "ConfigMap": "/api/v1/namespaces/{}/configmaps",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/rolebindings",
    **{
        name: f"/apis/{API_VERSION}/namespaces/{{}}/{one.plural}"
        for one in KINDS
        for name in (one.kind, one.short_name)
    },
}
"""By kind, of ours by short name, too."""


def path_of(kind: str, namespace: str | None, name: str) -> str:
    return f"{PATHS[kind].format(namespace)}/{name}"


def apply(api: ApiServer, *objects: dict[str, Any]) -> None:
    """As `kubectl apply --server-side`; of kinds that are frequent here without a process."""
    for one in objects:
        if one["kind"] not in PATHS:
            api.kubectl("apply", "--server-side", "-f", "-", input=json.dumps(one))
            continue
        metadata = one["metadata"]
        answer = api.request(
            "PATCH",
            path_of(one["kind"], metadata.get("namespace"), metadata["name"]),
            data=json.dumps(one),
            params={"fieldManager": "test", "force": "true"},
            headers={"Content-Type": "application/apply-patch+yaml"},
        )
        assert answer.ok, answer.text


def found(api: ApiServer, kind: str, name: str, namespace: str) -> dict[str, Any] | None:
    """What the API server has, or None."""
    answer = api.request("GET", path_of(kind, namespace, name))
    return None if answer.status_code == 404 else answer.json()


def remove(api: ApiServer, kind: str, name: str, namespace: str) -> None:
    answer = api.request("DELETE", path_of(kind, namespace, name))
    assert answer.ok or answer.status_code == 404, answer.text


def token(api: ApiServer, name: str, namespace: str) -> str:
    """A token of a service account, as `kubectl create token` gives it."""
    answer = api.request("POST", f"{path_of('ServiceAccount', namespace, name)}/token", json={"spec": {}})
    assert answer.ok, answer.text
    return str(answer.json()["status"]["token"])


def account(name: str, namespace: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": namespace}}


def cluster(name: str, namespace: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1alpha1",
        "kind": "KafkaCluster",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"bootstrapServers": ["kafka:9092"], **spec},
    }


def ready(status: str, reason: str, message: str = "said by the test") -> list[dict[str, Any]]:
    moment = "2026-01-01T00:00:00Z"
    condition = {"type": "Ready", "status": status, "reason": reason, "message": message, "lastTransitionTime": moment}
    return [condition]
