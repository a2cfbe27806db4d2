"""Installs the chart on an API server, and runs the operator with the settings and the permissions that it installs."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from kwitness.contracts.resources import KINDS
from kwitness.e2e import chart
from kwitness.e2e.api_server import ApiServer

from tests.eventually import eventually
from tests.operator.surroundings import OperatorProcess, writes_in_resyncs

__all__ = ["NAMESPACE", "RELEASE", "USER", "Installation"]

RELEASE: Final = "kwitness"
NAMESPACE: Final = "kwitness"
USER: Final = f"system:serviceaccount:{NAMESPACE}:kwitness-operator"
"""The operator's name in the log of requests."""
_VALUES: Final = "analytics.singleNode=true,analytics.tableClaim=tables,installation=upgrades"
_CHILDREN: Final = (
    "configmaps",
    "deployments.apps",
    "jobs.batch",
    "networkpolicies.networking.k8s.io",
    "persistentvolumeclaims",
    "poddisruptionbudgets.policy",
    "pods",
    "rolebindings.rbac.authorization.k8s.io",
    "roles.rbac.authorization.k8s.io",
    "secrets",
    "serviceaccounts",
    "services",
    "statefulsets.apps",
)
_GROUP: Final = "kwitness.dev/"


class Installation:
    """The chart's release in the namespace `NAMESPACE` of an API server without controllers."""

    def __init__(self, server: ApiServer, folder: Path) -> None:
        self.server = server
        self._folder = folder

    def install(self, source: Path = chart.CHART) -> None:
        """Install the chart, or upgrade to it, with the values that all releases of these tests have."""
        options = ("--install", "--namespace", NAMESPACE, "--create-namespace", "--set", _VALUES)
        self._helm("upgrade", RELEASE, source, *options)
        self.server.await_definitions()

    def roll_back(self) -> None:
        """Go back to the release before."""
        self._helm("rollback", RELEASE, "--namespace", NAMESPACE)
        self.server.await_definitions()

    def operate(self) -> None:
        """Run the operator until it has nothing more to write."""
        with self.operator():
            eventually(lambda: all("status" in resource for resource in self.resources()))
            eventually(self.writes, lambda writes: writes == [])

    @contextlib.contextmanager
    def operator(self) -> Iterator[OperatorProcess]:
        """Run the operator."""
        token = self.server.kubectl("create", "token", "kwitness-operator", f"--namespace={NAMESPACE}").strip()
        kubeconfig = self._folder / "kubeconfig"
        content = json.loads(self.server.kubeconfig.read_text())
        content["users"][0]["user"] = {"token": token}
        kubeconfig.write_text(json.dumps(content))
        [installed] = self._found("configmaps", "--field-selector=metadata.name=kwitness-operator")
        settings = json.loads(installed["data"]["settings.json"])
        often = {"resyncSeconds": 1.0, "inventorySeconds": 1, "statusSeconds": 1}
        process = OperatorProcess(self._folder, kubeconfig, settings | often)
        try:
            eventually(lambda: process.probe("/readyz")[0] == 200)
            yield process
        finally:
            assert process.stop() == 0

    def writes(self) -> list[str]:
        """Return what the operator writes to the API server while it looks at everything three times."""
        return writes_in_resyncs(self.server, NAMESPACE, user=USER)

    def resources(self) -> list[dict[str, Any]]:
        """Return the resources of all our kinds."""
        return self._found(",".join(f"{kind.plural}.kwitness.dev" for kind in KINDS))

    def children(self) -> list[dict[str, Any]]:
        """Return all objects that our resources own."""
        return [item for item in self._found(",".join(_CHILDREN)) if _owners(item)]

    def _found(self, kinds: str, *options: str) -> list[dict[str, Any]]:
        shown = (f"--namespace={NAMESPACE}", "--show-managed-fields", "--output=json")
        answer = self.server.kubectl("get", kinds, *shown, *options)
        items: list[dict[str, Any]] = json.loads(answer)["items"]
        return items

    def _helm(self, *arguments: str | Path) -> None:
        chart.helm(f"--kubeconfig={self.server.kubeconfig}", *arguments)


def _owners(item: dict[str, Any]) -> list[dict[str, Any]]:
    owners = item["metadata"].get("ownerReferences", [])
    return [owner for owner in owners if owner["apiVersion"].startswith(_GROUP)]
