"""The cluster the demo stands on: kubectl, and with it Helm and what demo and tests ask most."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from typing_extensions import override

from kwitness.e2e import binaries
from kwitness.e2e.api_session import ApiSession
from kwitness.e2e.cluster import Cluster
from kwitness.images.commands import CommandFailedError, run

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

    def find(self, *arguments: str) -> dict[str, Any]:
        """`kubectl get ARGUMENTS`, parsed; an empty object where nothing is found."""
        text = self.kubectl("get", *arguments, "--output=json", "--ignore-not-found")
        return dict(json.loads(text)) if text.strip() else {}

    def items(self, *arguments: str) -> list[dict[str, Any]]:
        """The items of a `kubectl get` that lists."""
        return list(self.find(*arguments).get("items", []))

    def apply_objects(self, *objects: Mapping[str, Any], namespace: str | None = None) -> None:
        """Apply objects; the API server merges them, and `demo` owns what they say."""
        place = [f"--namespace={namespace}"] if namespace else []
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        options = ("--server-side", "--force-conflicts", "--field-manager=demo")
        self.kubectl("apply", *options, *place, "--filename=-", input=text)

    def pods(self, namespace: str, selector: str = "") -> list[dict[str, Any]]:
        """Pods of a namespace, optionally by label selector."""
        return self.items("pods", f"--namespace={namespace}", *([f"--selector={selector}"] if selector else []))

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
        CommandFailedError
            The service did not answer with 200.
        """
        whole = f"/api/v1/namespaces/{namespace}/services/{service}:{port}/proxy{path}"

        def ask() -> str:
            answer = self._session.request("GET", whole)
            if not answer.ok:
                raise CommandFailedError(["GET", whole], answer.status_code, answer.text)
            return answer.text

        return json.loads(_patiently(ask))

    def _named_pods(self, namespace: str) -> list[str]:
        try:
            return [pod["metadata"]["name"] for pod in self.pods(namespace)]
        except CommandFailedError:
            return []

    def _write(self, file: Path, *arguments: str) -> None:
        try:
            text = self.kubectl(*arguments, "--request-timeout=20s")
        except CommandFailedError as error:
            text = str(error)
        file.write_text(text)


def _patiently(call: Callable[[], str]) -> str:
    for attempt in range(1, _TRIES):
        try:
            return call()
        except CommandFailedError as failed:
            if not any(words in failed.output for words in _PASSING):
                raise
            time.sleep(attempt)
    return call()
