"""The console as a pod runs it, before a real API server and collector, with the rights that the chart gives."""

from __future__ import annotations

import functools
import json
import os
import re
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import requests

from kwitness.contracts.audiences import inventory_audience
from kwitness.e2e import chart
from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.certificates import Authority
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import wait_for_exit

from tests.cli.conftest import cluster
from tests.eventually import eventually
from tests.forked import ForkedProgram, import_once

PROGRAM = "tests.console.in_its_image"
ACCOUNT = "kwitness-console"
_RIGHTS = ("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
import_once(PROGRAM)


@functools.cache
def _of_chart(address: str, namespace: str) -> tuple[str, str]:
    """Return the rights of the console's account, a list of manifests, and its settings, as texts of JSON."""
    values = {
        "enabled": True,
        "url": address,
        "kafkaCluster": {"name": "orders"},
        "collector": {"name": "main"},
        "tls": {"secret": "tls"},
    }
    manifests = chart.render({"console": values}, namespace=namespace)
    rights = [
        manifest
        for manifest in chart.of_kind(manifests, *_RIGHTS)
        if manifest["metadata"]["labels"]["app.kubernetes.io/component"] == "console"
    ]
    (settings,) = (
        manifest
        for manifest in chart.of_kind(manifests, "ConfigMap")
        if manifest["metadata"]["name"] == "kwitness-console"
    )
    return json.dumps(rights), settings["data"]["settings.json"]


class ConsolePod:
    """A release's namespace with the chart's objects, a KafkaCluster with its collector, and the pod's process.

    Parameters
    ----------
    port
        Port of its pages; pods of one namespace and port have the same chart, which is rendered once.
    collector_address
        Where the collector is reached: there is no network of Services here.
    """

    def __init__(self, api: ApiServer, namespace: str, port: int, folder: Path, collector_address: str) -> None:
        self.api, self.namespace, self.folder = api, namespace, folder
        self.port, self.probe_port = port, free_port()
        self.address = f"https://localhost:{self.port}"
        self.log = folder / "console.log"
        self.authority = folder / "authority.pem"
        self._authority = Authority("browsers")
        self.authority.write_text(self._authority.certificate)
        self.renew_certificate()
        rights, settings = (json.loads(text) for text in _of_chart(self.address, namespace))
        api.objects.apply(
            *rights,
            cluster("orders", namespace),
            {
                "apiVersion": "kwitness.dev/v1beta1",
                "kind": "TelemetryCollector",
                "metadata": {"name": "main", "namespace": namespace},
                "spec": {
                    "clusterRef": {"name": "orders"},
                    "ingest": {"tls": {"mode": "Disabled"}, "readers": [{"serviceAccount": ACCOUNT}]},
                },
            },
        )
        self.settings: dict[str, Any] = settings
        self.settings |= {
            "host": "127.0.0.1",
            "port": self.port,
            "probePort": self.probe_port,
            "collectorAddress": collector_address,
            "tokenFile": str(folder / "token"),
            "tls": {"certificateFile": str(folder / "tls.crt"), "keyFile": str(folder / "tls.key")},
        }
        (folder / "token").write_text(self._token(inventory_audience(namespace, "main")))
        self.process: ForkedProgram | None = None

    def add_upgrade_job(self, name: str, table_path: str) -> None:
        """Make an AnalyticsJob whose status says that it has computed a table."""
        analysis = {
            "type": "UpgradeImpact",
            "table": name,
            "run": {"streaming": {}},
            "parameters": {"upgradeImpact": {"target": "4.0"}},
        }
        self.api.objects.apply(
            {
                "apiVersion": "kwitness.dev/v1beta1",
                "kind": "AnalyticsJob",
                "metadata": {"name": name, "namespace": self.namespace},
                "spec": {"clusterRef": {"name": "orders"}, "analyses": [analysis]},
            }
        )
        entry = {"table": name, "type": "UpgradeImpact", "tablePath": table_path, "tableVersion": 0, "phase": "Running"}
        self.api.objects.patch("kaj", name, self.namespace, {"status": {"analyses": [entry]}}, subresource="status")

    def remove_jobs(self) -> None:
        """Remove what `add_upgrade_job` made."""
        self.api.objects.delete("kaj", *self.api.objects.names("kaj", self.namespace), namespace=self.namespace)

    def renew_certificate(self) -> str:
        """Write a new certificate, as the kubelet does; return it."""
        issued = self._authority.issue("console", ["localhost"])
        for name, text in (("tls.crt", issued.certificate), ("tls.key", issued.key)):
            (self.folder / name).write_text(text)
        return issued.certificate

    def _token(self, audience: str | None = None) -> str:
        path = f"/api/v1/namespaces/{self.namespace}/serviceaccounts/{ACCOUNT}/token"
        spec = {} if audience is None else {"audiences": [audience]}
        answer = self.api.request("POST", path, json={"spec": spec})
        assert answer.ok, answer.text
        return str(answer.json()["status"]["token"])

    def kubeconfig(self) -> Path:
        """Return a kubeconfig with the account of the pod."""
        content = json.loads(self.api.kubeconfig.read_text())
        content["users"] = [{"name": "it", "user": {"token": self._token()}}]
        for context in content["contexts"]:
            context["context"]["user"] = "it"
        file = self.folder / "kubeconfig"
        file.write_text(json.dumps(content))
        return file

    def start(self, **settings: Any) -> ConsolePod:
        """Start the process, without waiting for it."""
        file = self.folder / "settings.json"
        file.write_text(json.dumps({**self.settings, **settings}))
        environment = {**os.environ, "KUBECONFIG": str(self.kubeconfig())}
        self.process = ForkedProgram(PROGRAM, [str(file)], log=self.log, environment=environment)
        return self

    def stop(self) -> int:
        """End it as the kubelet does; return the exit status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return wait_for_exit(self.process)

    def await_pages(self) -> ConsolePod:
        assert self.process is not None
        eventually(self._is_ready, needs=[self.process])
        return self

    def _is_ready(self) -> bool:
        try:
            return self.probe("/readyz").ok
        except requests.RequestException:
            return False

    def probe(self, path: str) -> requests.Response:
        return requests.get(f"http://127.0.0.1:{self.probe_port}{path}", timeout=30)

    def browser(self) -> requests.Session:
        """Return a browser that trusts the authority of the certificate."""
        session = requests.Session()
        session.trust_env = False  # this machine may name an authority of its own
        session.verify = str(self.authority)
        return session

    def sign_in(self, browser: requests.Session, token: str) -> requests.Response:
        form = {"token": token, "back": "/"}
        return browser.post(
            f"{self.address}/sign-in", data=form, headers={"Origin": self.address}, timeout=30, allow_redirects=False
        )

    def metrics(self) -> Mapping[str, float]:
        """Return the samples of the metrics page."""
        found = re.findall(r"^(kwitness_\S+(?:\{.*?\})?) (\S+)$", self.probe("/metrics").text, re.MULTILINE)
        return {name: float(value) for name, value in found}
