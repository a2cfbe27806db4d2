"""A real Kubernetes API server as two processes on loopback, without nodes and controllers.

It starts in a few seconds, so schemas, permissions and adapters can be tried against the real thing. Nothing runs pods
here: what needs controllers needs the node.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import requests
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from kwitness.e2e import binaries
from kwitness.e2e.api_objects import ApiObjects
from kwitness.e2e.api_session import ApiSession
from kwitness.e2e.cluster import Cluster, wait_until_served
from kwitness.images.commands import Progress, silent
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import WaitFailedError, wait_until

_STOP_SECONDS = 15
_LONGEST_AUDIT_LINE = 64 * 1024
_ADMIN_TOKEN = "administrator"  # noqa: S105 - loopback only, for the life of a test
_AUDIT_POLICY = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, users: [admin, system:apiserver]}
- {level: Metadata}
"""


class ApiServerFailedError(RuntimeError):
    """etcd or the API server did not come up; the end of its log is in the message."""


class ApiServer:
    """etcd and kube-apiserver with RBAC and an audit log; a context manager.

    Parameters
    ----------
    users
        Names that may sign in, each with its own name as bearer token and no permissions but those given by RBAC.
    progress
        Told when Kubernetes has to be built first.
    arguments
        More options of kube-apiserver.
    """

    def __init__(
        self, *, users: Sequence[str] = (), progress: Progress = silent, arguments: Sequence[str] = ()
    ) -> None:
        self._users = tuple(users)
        self._arguments = tuple(arguments)
        self._progress = progress
        self._folder = Path(tempfile.mkdtemp(prefix="kwitness-api-"))
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._etcd_port, self._peer_port, self._port = (free_port() for _ in range(3))
        self.kubeconfig = self._folder / "kubeconfig"
        self._first: set[str] | None = None
        self._session = ApiSession(self.kubeconfig)
        self.objects = ApiObjects(self.request)
        """What there is, read and written as administrator."""

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """Address of the API."""
        return f"https://127.0.0.1:{self._port}"

    def start(self) -> Self:
        """Start both processes and wait until the API is ready.

        Raises
        ------
        ApiServerFailedError
            One of them ended, or nothing moved any more before the API was ready.
        """
        try:
            self._write_credentials()
            self._launch("etcd", self._etcd_command())
            self.start_server()
        except BaseException:
            self.stop()
            raise
        return self

    def start_server(self) -> None:
        """Start the API server alone; etcd and with it all objects are still there."""
        self._launch("kube-apiserver", self._server_command())
        self._wait_until_ready()

    def stop_server(self) -> None:
        """Stop the API server alone, as in an upgrade of the control plane."""
        self._end("kube-apiserver")

    def stop(self) -> None:
        """End both processes and remove everything they wrote."""
        for name in ("kube-apiserver", "etcd"):
            self._end(name)
        self._session.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def define(self, folder: Path) -> None:
        """Apply the CustomResourceDefinitions of a folder, and wait until each is served."""
        self.objects.apply(*(yaml.safe_load(file.read_text()) for file in sorted(folder.glob("*.yaml"))))
        self.await_definitions()

    def await_definitions(self) -> None:
        """Wait until every CustomResourceDefinition is served.

        Raises
        ------
        WaitFailedError
            Some are not.
        """
        wait_until_served(lambda: self.objects.items("crd"))

    def empty(self) -> None:
        """Make it as it was before the first call: removes what has been made since, definitions of kinds included.

        Removes it from etcd, where the API server sees it go at once: nothing here would end a namespace. A start takes
        twenty times as long.

        Raises
        ------
        WaitFailedError
            Some kinds are served on.
        """
        keys = self._keys()
        if self._first is None:
            self._first = keys
        defined = {one["spec"]["group"] for one in self.objects.items("crd")}
        for key in keys - self._first:
            self._ask_etcd("deleterange", {"key": key})
        wait_until(lambda: self._served(defined), lambda left: not left, what="defined kinds to go")

    def _keys(self) -> set[str]:
        """Keys of all objects, in the form in which etcd takes them."""
        ends = [base64.b64encode(end).decode() for end in (b"/registry/", b"/registry0")]
        found = self._ask_etcd("range", {"key": ends[0], "range_end": ends[1], "keys_only": True})
        return {entry["key"] for entry in found["kvs"]}

    def _served(self, groups: set[str]) -> set[str]:
        """Those of these API groups that are listed or answer: the server ends one a moment before the other."""
        listed = {group["name"] for group in self.request("GET", "/apis").json()["groups"]}
        return {group for group in groups if group in listed or self.request("GET", f"/apis/{group}").ok}

    def _ask_etcd(self, question: str, body: dict[str, Any]) -> Any:
        answer = requests.post(f"http://127.0.0.1:{self._etcd_port}/v3/kv/{question}", json=body, timeout=30)
        answer.raise_for_status()
        return answer.json()

    def kubectl(self, *arguments: str, input: str | None = None) -> str:  # noqa: A002 # the word of subprocess.run
        """Run kubectl as administrator and return its standard output; see `Cluster.kubectl`."""
        return self.cluster().kubectl(*arguments, input=input)

    def request(self, method: str, path: str, **options: Any) -> requests.Response:
        """Ask the API as administrator; `path` begins with a slash, `options` are those of `requests`."""
        return self._session.request(method, path, **options)

    def cluster(self, user: str | None = None) -> Cluster:
        """Kubectl as administrator or as one of `users`."""
        return Cluster(kubeconfig=self.kubeconfig_of(user), kubectl=binaries.kubectl(self._progress))

    def kubeconfig_of(self, user: str | None = None) -> Path:
        """A kubeconfig for the administrator or one of `users`."""
        if user is None:
            return self.kubeconfig
        path = self._folder / f"kubeconfig-{user}"
        self._write_kubeconfig(path, user)
        return path

    def audit(self, since: int = 0) -> list[dict[str, Any]]:
        """Requests answered since a moment of `audit_end`, oldest first: `audit.k8s.io/v1` events without bodies.

        Those of the administrator and of the server itself are left out: most are of tests that wait. The others are
        tens of megabytes in a run, so a test reads its own part.
        """
        with (self._folder / "audit.log").open("rb") as log:
            log.seek(since)
            return [json.loads(line) for line in log if line.endswith(b"\n")]

    def audit_end(self) -> int:
        """Where the log of requests ends by now, behind a whole line."""
        with (self._folder / "audit.log").open("rb") as log:
            start = max(0, log.seek(0, os.SEEK_END) - _LONGEST_AUDIT_LINE)
            log.seek(start)
            return start + log.read().rfind(b"\n") + 1

    def log(self, name: str = "kube-apiserver") -> str:
        """What a process has written."""
        return (self._folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def _etcd_command(self) -> list[str]:
        client, peer = f"http://127.0.0.1:{self._etcd_port}", f"http://127.0.0.1:{self._peer_port}"
        return [
            str(binaries.built(binaries.ETCD, self._progress) / "etcd"),
            f"--data-dir={self._folder / 'etcd'}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            # Nothing has to outlive a test.
            "--unsafe-no-fsync",
        ]

    def _server_command(self) -> list[str]:
        key = self._folder / "service-account.key"
        return [
            str(binaries.built(binaries.KUBERNETES, self._progress) / "kube-apiserver"),
            f"--etcd-servers=http://127.0.0.1:{self._etcd_port}",
            "--bind-address=127.0.0.1",
            f"--secure-port={self._port}",
            f"--cert-dir={self._folder / 'certificates'}",
            "--service-cluster-ip-range=10.96.0.0/16",
            "--authorization-mode=RBAC",
            f"--token-auth-file={self._folder / 'tokens.csv'}",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            "--service-account-issuer=https://kubernetes.default.svc",
            # No controller makes service accounts here, so pods could not be admitted.
            "--disable-admission-plugins=ServiceAccount",
            f"--audit-policy-file={self._folder / 'audit-policy.yaml'}",
            f"--audit-log-path={self._folder / 'audit.log'}",
            *self._arguments,
        ]

    def _write_credentials(self) -> None:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        (self._folder / "service-account.key").write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
            )
        )
        lines = [f'{_ADMIN_TOKEN},admin,admin,"system:masters"', *(f"{user},{user},{user}" for user in self._users)]
        (self._folder / "tokens.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (self._folder / "audit-policy.yaml").write_text(_AUDIT_POLICY, encoding="utf-8")
        self._write_kubeconfig(self.kubeconfig, _ADMIN_TOKEN)

    def _write_kubeconfig(self, path: Path, token: str) -> None:
        cluster = {"server": self.url, "certificate-authority": str(self._folder / "certificates/apiserver.crt")}
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "it",
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
            "clusters": [{"name": "it", "cluster": cluster}],
            "users": [{"name": "it", "user": {"token": token}}],
        }
        path.write_text(json.dumps(content), encoding="utf-8")

    def _launch(self, name: str, command: Sequence[str]) -> None:
        with (self._folder / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

    def _end(self, name: str) -> None:
        process = self._processes.pop(name, None)
        if process is None or process.poll() is not None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _wait_until_ready(self) -> None:
        needs = list(self._processes.values())
        try:
            wait_until(self._says_ready, what="the API server", needs=needs, passing=(OSError,), every=0.1)
        except WaitFailedError as error:
            logs = "\n".join(f"{name}:\n{self.log(name)[-2000:]}" for name in self._processes)
            raise ApiServerFailedError(f"{error}\n{logs}") from error

    def _says_ready(self) -> bool:
        if not (self._folder / "certificates/apiserver.crt").exists():
            return False
        # The namespace is made by a loop after readiness; without it nothing can be applied.
        return self.request("GET", "/readyz").ok and self.request("GET", "/api/v1/namespaces/default").ok
