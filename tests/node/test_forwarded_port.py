"""How the command reaches a collector: a port of a pod, forwarded by a real API server and kubelet, with TLS in it."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.answers.access.cluster_access import ClusterAccess, connect
from kwitness.answers.access.forwarded_port import forward
from kwitness.answers.failure import CommandFailedError
from kwitness.cli.options import Options
from kwitness.e2e.certificates import Authority
from kwitness.e2e.node.kubernetes_node import KubernetesNode
from kwitness.images.base_images import base_image
from kwitness.images.image_recipes import PYTHON_BASE

from tests.eventually import eventually

pytestmark = pytest.mark.node
NAMESPACE = "forwarded-port"
NAME = "web.forwarded-port.svc"
BYTES = 3_000_000
SERVER = f"""
import http.server, ssl
class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = self.headers["Authorization"].encode() if self.path == "/token" else b"x" * {BYTES}
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
server = http.server.ThreadingHTTPServer(("", 8443), Answer)
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain("/tls/tls.crt", "/tls/tls.key")
server.socket = tls.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority("test")


@pytest.fixture(scope="module")
def access(node: KubernetesNode, authority: Authority) -> Iterator[ClusterAccess]:
    """Somebody at a cluster with a pod `web` that answers by TLS."""
    image = base_image("kwitness-base/python", PYTHON_BASE)
    node.load_images([image])
    node.apply(json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}))
    eventually(lambda: node.kubectl("get", "serviceaccount", "--namespace", NAMESPACE, "-o", "name"))
    issued = authority.issue("web", [NAME])
    secret = {"tls.crt": issued.certificate, "tls.key": issued.key}
    metadata = {"name": "web"}
    node.apply(
        json.dumps({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": secret}),
        namespace=NAMESPACE,
    )
    container = {
        "name": "main",
        "image": image,
        "command": ["python3", "-c", SERVER],
        "volumeMounts": [{"name": "tls", "mountPath": "/tls"}],
    }
    volumes = [{"name": "tls", "secret": {"secretName": "web"}}]
    spec = {"containers": [container], "volumes": volumes, "terminationGracePeriodSeconds": 0}
    node.apply(json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}), namespace=NAMESPACE)
    path = "--output=jsonpath={.status.containerStatuses[0].ready}"
    eventually(lambda: node.kubectl("get", "pod", "web", f"--namespace={NAMESPACE}", path), lambda now: now == "true")
    yield connect(Options(kubeconfig=Path(node.kubeconfig), namespace=NAMESPACE))
    node.kubectl("delete", "namespace", NAMESPACE)


def connected(access: ClusterAccess, authority: Authority, port: int = 8443) -> http.client.HTTPConnection:
    plain = forward(access, NAMESPACE, ["gone", "web"], port)
    plain.settimeout(30)
    connection = http.client.HTTPConnection(NAME, port, timeout=30)
    context = ssl.create_default_context(cadata=authority.certificate)
    connection.sock = context.wrap_socket(plain, server_hostname=NAME)
    return connection


def test_requests_one_after_the_other_and_large_answers_come_through(
    access: ClusterAccess, authority: Authority
) -> None:
    connection = eventually(lambda: _until_it_listens(access, authority))
    for number in range(3):
        connection.request("GET", "/token", headers={"Authorization": f"Bearer {number}"})
        assert connection.getresponse().read() == f"Bearer {number}".encode()
    connection.request("GET", "/", headers={})
    body = connection.getresponse().read()
    connection.sock.close()

    assert len(body) == BYTES


def _until_it_listens(access: ClusterAccess, authority: Authority) -> http.client.HTTPConnection | None:
    try:
        return connected(access, authority)
    except OSError:
        return None


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_certificate_of_somebody_else_is_not_accepted(access: ClusterAccess) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        connected(access, Authority("other"))
    # The library's thread sees it a moment later, and says nothing.
    eventually(lambda: not [one for one in threading.enumerate() if one.name.startswith("Kubernetes port forward")])


def test_a_port_at_which_nobody_listens_is_a_broken_connection(access: ClusterAccess, authority: Authority) -> None:
    with pytest.raises(OSError):  # noqa: PT011 - of the handshake: an end of file, or a reset
        connected(access, authority, port=9)


def test_a_pod_that_is_not_there_is_named(access: ClusterAccess) -> None:
    with pytest.raises(CommandFailedError, match='pods "gone" not found'):
        forward(access, NAMESPACE, ["gone"], 8443)
