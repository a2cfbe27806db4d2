"""The run's API server with our definitions, a namespace a test, an administrator, and somebody without permissions."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

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
    token = api.kubectl("create", "token", "newcomer", "--namespace", namespace).strip()
    return Person(kubeconfig_with(api, tmp_path / "newcomer", token), tmp_path)


@pytest.fixture
def with_status(api: ApiServer, namespace: str) -> Callable[..., None]:
    """Write a status, as the operator does."""

    def write(kind: str, name: str, **status: Any) -> None:
        patch = json.dumps({"status": status})
        where = ("--namespace", namespace, "--subresource", "status", "--type", "merge")
        api.kubectl("patch", kind, name, *where, "--patch", patch)

    return write


def apply(api: ApiServer, *objects: dict[str, Any]) -> None:
    api.kubectl("apply", "-f", "-", input=yaml.safe_dump_all(objects))


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
