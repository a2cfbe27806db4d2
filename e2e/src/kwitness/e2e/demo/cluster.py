"""The Kubernetes cluster the demo runs on: our own node, or the reader's."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kwitness.e2e.binaries import binary
from kwitness.e2e.demo.progress import DemoError


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """kubectl and helm against one API server.

    `kubeconfig` None means kubectl's own rules (KUBECONFIG, then the home folder).
    """

    kubeconfig: Path | None

    def kubectl(self, *arguments: str, stdin: str | None = None, seconds: float = 120) -> str:
        """Run kubectl; its standard output, or `DemoError` with what it said."""
        return self._run([str(binary("kubectl")), *arguments], stdin=stdin, seconds=seconds)

    def helm(self, *arguments: str, seconds: float = 300) -> str:
        """Run helm; its standard output, or `DemoError` with what it said."""
        return self._run([str(binary("helm")), *arguments], stdin=None, seconds=seconds)

    def get(self, *arguments: str) -> dict[str, Any]:
        """`kubectl get ARGUMENTS -o json`, parsed; an empty object where nothing is found."""
        text = self.kubectl("get", *arguments, "-o", "json", "--ignore-not-found")
        return dict(json.loads(text)) if text.strip() else {}

    def apply(self, *documents: Mapping[str, Any] | str, namespace: str | None = None) -> None:
        """`kubectl apply -f -` of objects or YAML text."""
        texts = [item if isinstance(item, str) else json.dumps(item) for item in documents]
        place = ["--namespace", namespace] if namespace else []
        self.kubectl("apply", "--server-side", "--field-manager=demo", *place, "-f", "-", stdin="\n---\n".join(texts))

    def http(self, *, namespace: str, service: str, port: int | str, path: str) -> Any:
        """GET through the API server's service proxy; parsed JSON. Works on any cluster, without a tunnel."""
        return json.loads(
            self.kubectl("get", "--raw", f"/api/v1/namespaces/{namespace}/services/{service}:{port}/proxy{path}")
        )

    def pods(self, namespace: str, selector: str = "") -> list[dict[str, Any]]:
        """Pods of a namespace, optionally by label selector."""
        return list(self.get("pods", "--namespace", namespace, *(["-l", selector] if selector else [])).get("items", []))

    def _run(self, command: Sequence[str], *, stdin: str | None, seconds: float) -> str:
        environment = dict(os.environ)
        if self.kubeconfig is not None:
            environment["KUBECONFIG"] = str(self.kubeconfig)
        for attempt in range(4):
            done = subprocess.run(
                command, input=stdin, capture_output=True, text=True, env=environment, timeout=seconds, check=False
            )
            if done.returncode == 0:
                return done.stdout
            if attempt == 3 or not _passing(done.stderr):  # noqa: PLR2004
                break
            time.sleep(1 + attempt)
        shown = " ".join(command[1:5])
        raise DemoError(component=Path(command[0]).name, reason=f"`{shown} ...` said: {done.stderr.strip()}", log="")


def _passing(message: str) -> bool:
    """Whether an error is of the kind that goes by itself (a connection cut while the API server was busy)."""
    return any(words in message for words in ("connection refused", "unexpected EOF", "TLS handshake timeout", "etcdserver:"))
