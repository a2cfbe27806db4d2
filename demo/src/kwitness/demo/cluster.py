"""The cluster the demo stands on: kubectl, and with it Helm and what demo and tests ask most."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import requests
import yaml
from typing_extensions import override

from kwitness.e2e import binaries
from kwitness.e2e.api_objects import ApiObjects, ApiRefusedError
from kwitness.e2e.api_session import ApiSession
from kwitness.e2e.cluster import Cluster
from kwitness.images.commands import CommandFailedError, run
from kwitness.sandbox.waiting import wait_until

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

    Attributes
    ----------
    objects
        Reads and writes objects over a kept connection; what a person types is tried with kubectl.
    """

    def __init__(self, kubeconfig: Path) -> None:
        super().__init__(kubeconfig=kubeconfig, kubectl=binaries.kubectl())
        self._helm = binaries.helm()
        self._session = ApiSession(kubeconfig)
        self.objects: ApiObjects = _PatientObjects(self._session.request, field_manager="demo")

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
        return self.objects.find(kind, name, namespace) or {}

    def items(self, kind: str, namespace: str | None = None, selector: str = "") -> list[dict[str, Any]]:
        """Objects of a kind, optionally of a namespace and by label selector."""
        return self.objects.items(kind, namespace, selector)

    def apply_objects(self, *objects: Mapping[str, Any], namespace: str | None = None) -> None:
        """Apply objects; the API server merges them, and `demo` owns what they say."""
        self.objects.apply(*objects, namespace=namespace)

    @override
    def apply(self, manifest: str, *, namespace: str | None = None) -> None:
        self.apply_objects(*filter(None, yaml.safe_load_all(manifest)), namespace=namespace)

    def delete(self, kind: str, *names: str, namespace: str | None = None) -> None:
        """Delete objects, as far as they are there, and wait until they are gone."""
        there = [name for name in names if self.objects.find(kind, name, namespace)]
        self.objects.delete(kind, *there, namespace=namespace)
        for name in there:
            wait_until(partial(self.find, kind, name, namespace), lambda found: not found)

    def restart(self, *names: str, namespace: str) -> None:
        """Replace the pods of Deployments, as `kubectl rollout restart` does."""
        at = {"kubectl.kubernetes.io/restartedAt": dt.datetime.now(dt.UTC).isoformat()}
        for name in names:
            self.objects.patch("deployment", name, namespace, {"spec": {"template": {"metadata": {"annotations": at}}}})

    def log(self, pod: str, namespace: str, **options: Any) -> str:
        """Return what a container has written; `options` are those of the request, such as `container`.

        Raises
        ------
        ApiRefusedError
            There is no such container yet.
        """
        answer = self._session.request("GET", f"/api/v1/namespaces/{namespace}/pods/{pod}/log", params=options)
        if not answer.ok:
            raise ApiRefusedError(answer)
        return answer.content.decode(errors="replace")

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
        return self.objects.ask("GET", whole)

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


class _PatientObjects(ApiObjects):
    @override
    def ask(self, method: str, path: str, **options: Any) -> Any:
        return _patiently(lambda: super(_PatientObjects, self).ask(method, path, **options))


def _patiently(call: Callable[[], T]) -> T:
    for attempt in range(1, _TRIES):
        try:
            return call()
        except (ApiRefusedError, CommandFailedError) as failed:
            if not any(words in str(failed) for words in _PASSING):
                raise
            time.sleep(attempt)
    return call()
