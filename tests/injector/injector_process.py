"""The injector as a process, before a real API server, with exactly the rights that the chart gives it."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import os
import signal
import ssl
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from kwitness.contracts.injections import INJECTIONS_CONFIG_MAP, INJECTIONS_KEY
from kwitness.contracts.interceptor_injections import (
    INTERCEPTORS_CONFIG_MAP,
    InterceptorInjection,
    InterceptorInjectionsFile,
)
from kwitness.e2e import chart
from kwitness.e2e.api_server import ApiServer
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import wait_for_exit

from tests.eventually import ANSWER_S, eventually
from tests.forked import ForkedProgram, import_once
from tests.injector.samples import INJECTION, POD
from tests.merge_patch import merged

SECRET = "kwitness-injector-certificate"
PROGRAM = "kwitness.injector"
import_once(f"{PROGRAM}.__main__")


class Surroundings:
    """A release's namespace with the chart's objects, and a namespace of a tenant that enforces `restricted`."""

    def __init__(self, api: ApiServer, name: str, folder: Path) -> None:
        self.api = api
        self.release, self.tenant = f"{name}-release", f"{name}-tenant"
        self.webhook = f"kwitness-{self.release}-injector"
        self.port = free_port()
        self._folder = folder
        labels = {"kwitness.dev/injection": "enabled", "pod-security.kubernetes.io/enforce": "restricted"}
        self.api.objects.apply(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.release}},
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.tenant, "labels": labels}},
        )
        manifests = chart.render({"injector": {"enabled": True}}, namespace=self.release)
        rights = ("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", "Secret")
        (webhook,) = chart.of_kind(manifests, "MutatingWebhookConfiguration")
        # There is no network of Services here.
        webhook["webhooks"][0]["clientConfig"] = {"url": f"https://127.0.0.1:{self.port}/inject/pods"}
        # Nothing here is about time, and the machine may be busy.
        webhook["webhooks"][0]["timeoutSeconds"] = 30
        self.api.objects.apply(
            *(one for one in chart.of_kind(manifests, *rights) if "injector" in one["metadata"]["name"])
        )
        self.api.objects.apply(webhook)
        (settings,) = (
            one for one in chart.of_kind(manifests, "ConfigMap") if one["metadata"]["name"] == "kwitness-injector"
        )
        self.settings = json.loads(settings["data"]["settings.json"])
        self.kubeconfig = self._kubeconfig()

    def _kubeconfig(self) -> Path:
        token = self.api.kubectl("create", "token", "kwitness-injector", "--namespace", self.release)
        content = json.loads(self.api.kubeconfig.read_text())
        content["users"] = [{"name": "it", "user": {"token": token.strip()}}]
        path = self._folder / "kubeconfig"
        path.write_text(json.dumps(content))
        return path

    def inject(self, *changes: dict[str, Any]) -> None:
        """Write injections as the operator will."""
        own = {"namespace": self.tenant, "settings": {"namespace": self.tenant}}
        injections = [merged(INJECTION, merged(own, one)) for one in changes]
        self.write_injections(json.dumps({"schema": "kwitness.injections/1", "injections": injections}))

    def write_injections(self, text: str) -> None:
        metadata = {"name": INJECTIONS_CONFIG_MAP, "namespace": self.release}
        self.api.objects.apply(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {INJECTIONS_KEY: text}}
        )

    def write_interceptors(self, *injections: InterceptorInjection) -> None:
        """Write injections of interceptors as the operator does; without any it is what a test leaves behind."""
        metadata = {"name": INTERCEPTORS_CONFIG_MAP, "namespace": self.release}
        text = InterceptorInjectionsFile(injections=injections).model_dump_json(by_alias=True)
        self.api.objects.apply(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {INJECTIONS_KEY: text}}
        )

    def make_pod(
        self, changes: dict[str, Any] | None = None, *, dry: bool = True, namespace: str | None = None
    ) -> tuple[dict[str, Any], str]:
        """Make a pod in the tenant's namespace or another; it as it was stored, and the warnings that came with it."""
        security = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
        container = {
            **POD["spec"]["containers"][0],
            "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        }
        spec = {"securityContext": security, "containers": [container]}
        pod = merged(POD, {"spec": spec})
        path = f"/api/v1/namespaces/{namespace or self.tenant}/pods?fieldValidation=Strict" + (
            "&dryRun=All" if dry else ""
        )
        answer = self.api.request("POST", path, json=merged(pod, changes or {}))
        assert answer.status_code == 201, answer.text
        return answer.json(), answer.headers.get("Warning", "")

    def secret(self) -> dict[str, str]:
        found = self.api.objects.get("secret", SECRET, self.release)
        return {name: base64.b64decode(value).decode() for name, value in (found.get("data") or {}).items()}

    def write_secret(self, data: dict[str, str]) -> None:
        metadata = {"name": SECRET, "namespace": self.release}
        encoded = {name: base64.b64encode(text.encode()).decode() for name, text in data.items()}
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "data": encoded}
        self.api.objects.replace(secret)

    def enable(self, *, enabled: bool) -> None:
        """Whether the tenant's namespace lets pods get observers."""
        self.label({"kwitness.dev/injection": "enabled" if enabled else None})

    def label(self, labels: dict[str, str | None]) -> None:
        """Change labels of the tenant's namespace."""
        self.api.objects.label("namespace", self.tenant, None, labels)

    def forget_injections(self) -> None:
        self.api.objects.delete("configmap", "kwitness-injections", namespace=self.release)

    def injects(self) -> bool:
        return has_observer(self.make_pod()[0])

    def until_injects(self) -> None:
        eventually(self.injects, every=0.1)

    def told(self) -> str:
        """The authorities that API servers were told."""
        found = self.api.objects.get("mutatingwebhookconfiguration", self.webhook)
        return base64.b64decode(found["webhooks"][0]["clientConfig"].get("caBundle", "")).decode()


class InjectorProcess:
    """``python -m kwitness.injector``."""

    def __init__(
        self,
        around: Surroundings,
        folder: Path,
        *,
        port: int | None = None,
        drain: int = 0,
        client_ca_file: Path | None = None,
        **certificate: Any,
    ) -> None:
        self.port = port or around.port
        self.probe_port = free_port()
        self.log_file = folder / f"injector-{self.probe_port}.log"
        settings = merged(
            around.settings,
            {
                "certificate": {"names": ["127.0.0.1"], "checkSeconds": 0.5, **certificate},
                "host": "127.0.0.1",
                "port": self.port,
                "probePort": self.probe_port,
                "drainSeconds": drain,
                "clientCaFile": str(client_ca_file) if client_ca_file else None,
            },
        )
        path = folder / f"settings-{self.probe_port}.json"
        path.write_text(json.dumps(settings))
        environment = {**os.environ, "KUBECONFIG": str(around.kubeconfig)}
        self.process = ForkedProgram(PROGRAM, [str(path)], log=self.log_file, environment=environment)

    def probe(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.probe_port}{path}", timeout=ANSWER_S) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def until_ready(self) -> InjectorProcess:
        seen = eventually(
            lambda: (self.probe("/readyz")[0], self.process.poll()),
            lambda seen: seen not in ((0, None), (503, None)),
            every=0.1,
        )
        assert seen == (200, None), self.log_file.read_text()
        return self

    def review(self, body: bytes, authorities: str, client: Path | None = None) -> tuple[int, str]:
        """Ask the webhook itself; ``client`` holds certificate and key of the caller."""
        context = ssl.create_default_context(cadata=authorities)
        if client is not None:
            context.load_cert_chain(client)
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=ANSWER_S, context=context)
        with contextlib.closing(connection):
            connection.request("POST", "/inject/pods", body)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log_file.read_text().splitlines()]

    def stop(self, number: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        return wait_for_exit(self.process)


def has_observer(pod: dict[str, Any]) -> bool:
    return any(one["name"] == "kwitness-observer" for one in pod["spec"].get("initContainers", []))
