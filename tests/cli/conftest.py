"""The run's API server with our definitions, a namespace a test, an administrator, and somebody without permissions."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kwitness.e2e.api_server import ApiServer

from tests.cli.command import Person, kubeconfig_with

ROOT = Path(__file__).resolve().parents[2]
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def api(api_server: ApiServer) -> ApiServer:
    api_server.define(ROOT / "crds")
    return api_server


@pytest.fixture
def namespace(api: ApiServer) -> str:
    return _make_namespace(api)


@pytest.fixture
def another_namespace(api: ApiServer) -> str:
    return _make_namespace(api)


def _make_namespace(api: ApiServer) -> str:
    name = f"cli-{os.getpid()}-{next(_numbers)}"
    api.objects.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
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
    api.objects.apply(account("newcomer", namespace))
    return Person(kubeconfig_with(api, tmp_path / "newcomer", token(api, "newcomer", namespace)), tmp_path)


@pytest.fixture
def with_status(api: ApiServer, namespace: str) -> Callable[..., None]:
    """Write a status, as the operator does."""

    def write(kind: str, name: str, **status: Any) -> None:
        api.objects.patch(kind, name, namespace, {"status": status}, subresource="status")

    return write


def token(api: ApiServer, name: str, namespace: str) -> str:
    """A token of a service account, as `kubectl create token` gives it."""
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
    answer = api.request("POST", path, json={"spec": {}})
    assert answer.ok, answer.text
    return str(answer.json()["status"]["token"])


def account(name: str, namespace: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": namespace}}


def role(name: str, namespace: str, rule: dict[str, Any], subject: str) -> list[dict[str, Any]]:
    """A Role with one rule, and what binds it to a service account, `NAMESPACE:NAME`."""
    kind = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": name, "namespace": namespace}}
    place, _, account = subject.partition(":")
    return [
        {**kind, "kind": "Role", "rules": [rule]},
        {
            **kind,
            "kind": "RoleBinding",
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": place}],
        },
    ]


def cluster(name: str, namespace: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "KafkaCluster",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"bootstrapServers": ["kafka:9092"], **spec},
    }


def ready(status: str, reason: str, message: str = "said by the test") -> list[dict[str, Any]]:
    moment = "2026-01-01T00:00:00Z"
    condition = {"type": "Ready", "status": status, "reason": reason, "message": message, "lastTransitionTime": moment}
    return [condition]
