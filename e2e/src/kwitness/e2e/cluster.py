"""A Kubernetes cluster as kubectl sees it: the local node, or the one a person's KUBECONFIG names."""

from __future__ import annotations

import contextlib
import json
import re
import select
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from kwitness.images.commands import CommandFailedError, run
from kwitness.sandbox.waiting import Patience, WaitFailedError, wait_until

_FORWARDED = re.compile(r"Forwarding from 127\.0\.0\.1:(\d+)")


class Cluster:
    """Calls kubectl with one kubeconfig.

    Parameters
    ----------
    kubeconfig
        File with address and credentials.
    kubectl
        The command.
    """

    def __init__(self, *, kubeconfig: Path, kubectl: Path) -> None:
        self.kubeconfig = kubeconfig
        self._kubectl = kubectl

    def kubectl(self, *arguments: str, input: str | None = None) -> str:  # noqa: A002 # the word of subprocess.run
        """Run kubectl and return its standard output.

        Raises
        ------
        CommandFailedError
            kubectl failed; what it said is in the message.
        """
        return run([self._kubectl, f"--kubeconfig={self.kubeconfig}", *arguments], input_text=input)

    def begin(self, *arguments: str) -> subprocess.Popen[str]:
        """Start kubectl with its standard input and output open, and return it."""
        command = [str(self._kubectl), f"--kubeconfig={self.kubeconfig}", *arguments]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def get(self, *arguments: str) -> Any:
        """The parsed JSON of `kubectl get`."""
        return json.loads(self.kubectl("get", *arguments, "--output=json"))

    def apply(self, manifest: str, *, namespace: str | None = None) -> None:
        """Apply YAML or JSON text."""
        place = [f"--namespace={namespace}"] if namespace else []
        self.kubectl("apply", *place, "--filename=-", input=manifest)

    def await_definitions(self) -> None:
        """Wait until every CustomResourceDefinition is served; `kubectl wait` fails at one that has no condition yet.

        Raises
        ------
        WaitFailedError
            Some are not.
        """
        wait_until_served(lambda: self.get("crd")["items"])

    @contextlib.contextmanager
    def port_forward(self, namespace: str, target: str, port: int) -> Iterator[int]:
        """A local port that reaches a port of a pod or service for as long as the context lasts.

        Parameters
        ----------
        target
            As kubectl names it: `pod/x`, `service/x`, `statefulset/x`.

        Raises
        ------
        CommandFailedError
            The forwarding did not come up.
        """
        command = [
            str(self._kubectl),
            f"--kubeconfig={self.kubeconfig}",
            f"--namespace={namespace}",
            "port-forward",
            target,
            f":{port}",
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            try:
                yield _forwarded_port(process, command)
            finally:
                process.terminate()

    def describe_everything(self, folder: Path) -> None:
        """Write objects and events of all namespaces into a folder; what cannot be read is written as its error."""
        for name, arguments in (
            ("events", ("get", "events", "--all-namespaces", "--sort-by=.lastTimestamp")),
            ("objects", ("get", "all,configmaps,persistentvolumeclaims", "--all-namespaces", "--output=wide")),
            ("pods", ("describe", "pods", "--all-namespaces")),
            ("nodes", ("describe", "nodes")),
        ):
            try:
                text = self.kubectl(*arguments, "--request-timeout=10s")
            except CommandFailedError as error:
                text = str(error)
            (folder / f"{name}.txt").write_text(text)


def wait_until_served(definitions: Callable[[], Iterable[dict[str, Any]]]) -> None:
    """Wait until every CustomResourceDefinition that `definitions` returns is served.

    Raises
    ------
    WaitFailedError
        Some are not.
    """

    def missing() -> list[str]:
        return [definition["metadata"]["name"] for definition in definitions() if not _is_established(definition)]

    wait_until(missing, lambda names: not names, what="definitions to be served")


def _is_established(definition: dict[str, Any]) -> bool:
    conditions = definition.get("status", {}).get("conditions") or []
    return any((condition["type"], condition["status"]) == ("Established", "True") for condition in conditions)


def _forwarded_port(process: subprocess.Popen[bytes], command: list[str]) -> int:
    if process.stdout is None:
        raise AssertionError("the process was started without its output")
    output = b""
    with contextlib.suppress(WaitFailedError), Patience("kubectl port-forward") as patience:
        while True:
            readable, _, _ = select.select([process.stdout], [], [], 0.5)
            if readable:
                line = process.stdout.readline()
                if not line:
                    break
                output += line
                found = _FORWARDED.search(line.decode(errors="replace"))
                if found:
                    return int(found.group(1))
            patience.note(output)
    process.terminate()
    raise CommandFailedError(command, process.poll() or 1, output.decode(errors="replace"))
