"""The cluster the demo stands on: kubectl, and with it Helm and what demo and tests ask most."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import requests
from typing_extensions import override

from kwitness.e2e import binaries
from kwitness.e2e.api_objects import ApiObjects, ApiRefusedError
from kwitness.e2e.api_session import ApiSession
from kwitness.e2e.cluster import Cluster
from kwitness.images.commands import CommandFailedError, run

T = TypeVar("T")

_PASSING = ("connection refused", "unexpected EOF", "TLS handshake timeout", "etcdserver:", "connection reset")
"""Words of errors that go by themselves: the API server was busy or is starting."""
_TRIES = 4


class DemoCluster(Cluster):
    """kubectl and Helm against one API server.

    Parameters
    ----------
    kubeconfig
        File with address and credentials.
    """

    def __init__(self, kubeconfig: Path) -> None:
        super().__init__(kubeconfig=kubeconfig, kubectl=binaries.kubectl())
        self._helm = binaries.helm()
        self._session = ApiSession(kubeconfig)
        self._objects = ApiObjects(self._session.request)

    @override
    def kubectl(self, *arguments: str, input: str | None = None) -> str:
        return _patiently(lambda: super(DemoCluster, self).kubectl(*arguments, input=input))

    def helm(self, *arguments: str) -> str:
        """Run helm and return its standard output.

        Raises
        ------
        CommandFailedError
            helm failed; what it said is in the message.
        """
        return _patiently(lambda: run([self._helm, f"--kubeconfig={self.kubeconfig}", *arguments]))

    def find(self, kind: str, name: str, namespace: str | None = None) -> dict[str, Any]:
        """An object; an empty one where there is none."""
        return _patiently(lambda: self._objects.find(kind, name, namespace)) or {}

    def items(self, kind: str, namespace: str | None = None, selector: str = "") -> list[dict[str, Any]]:
        """Objects of a kind, optionally of a namespace and by label selector."""
        return _patiently(lambda: self._objects.items(kind, namespace, selector))

    def apply_objects(self, *objects: Mapping[str, Any], namespace: str | None = None) -> None:
        """Apply objects; the API server merges them, and `demo` owns what they say."""
        place = [f"--namespace={namespace}"] if namespace else []
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        options = ("--server-side", "--force-conflicts", "--field-manager=demo")
        self.kubectl("apply", *options, *place, "--filename=-", input=text)

    def pods(self, namespace: str, selector: str = "") -> list[dict[str, Any]]:
        """Pods of a namespace, optionally by label selector."""
        return self.items("pods", namespace, selector)

    def collect_logs(self, folder: Path, *namespaces: str) -> None:
        """Write objects, events and all pods' logs of these namespaces; what cannot be read is written as its error."""
        for namespace in namespaces:
            for name, arguments in (
                ("events", ("get", "events", "--sort-by=.lastTimestamp")),
                ("objects", ("get", "kwitness,all,configmaps,persistentvolumeclaims", "--output=wide")),
                ("pods", ("describe", "pods")),
            ):
                self._write(folder / f"{namespace}-{name}.txt", *arguments, f"--namespace={namespace}")
            for pod in self._named_pods(namespace):
                target = folder / f"{namespace}-{pod}.log"
                self._write(target, "logs", pod, "--all-containers", f"--namespace={namespace}")

    def http(self, *, namespace: str, service: str, port: int | str, path: str) -> Any:
        """GET through the API server's service proxy; parsed JSON. Works on any cluster, without a tunnel.

        Raises
        ------
        ApiRefusedError
            The service did not answer with 200.
        """
        whole = f"/api/v1/namespaces/{namespace}/services/{service}:{port}/proxy{path}"
        return _patiently(lambda: self._objects.ask("GET", whole))

    def _named_pods(self, namespace: str) -> list[str]:
        try:
            return [pod["metadata"]["name"] for pod in self.pods(namespace)]
        except (ApiRefusedError, requests.RequestException):
            return []

    def _write(self, file: Path, *arguments: str) -> None:
        try:
            text = self.kubectl(*arguments, "--request-timeout=20s")
        except CommandFailedError as error:
            text = str(error)
        file.write_text(text)


def _patiently(call: Callable[[], T]) -> T:
    for attempt in range(1, _TRIES):
        try:
            return call()
        except (ApiRefusedError, CommandFailedError) as failed:
            if not any(words in str(failed) for words in _PASSING):
                raise
            time.sleep(attempt)
    return call()
