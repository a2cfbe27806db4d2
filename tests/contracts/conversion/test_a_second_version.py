"""A second version of a kind can be served: the API server has one copy of an object converted in both directions."""

from __future__ import annotations

import base64
import json
import ssl
import threading
from collections.abc import Iterator
from copy import deepcopy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest
from typing_extensions import override

from kwitness.contracts.generate.crds import crd
from kwitness.contracts.resources import KINDS
from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.certificates import Authority

from tests.contracts.resource_cases import resource
from tests.eventually import eventually

GROUP: Final = "second.kwitness.dev"
FIRST, SECOND = "v1beta1", "v1beta2"
REGISTRY = next(info for info in KINDS if info.kind == "HeaderRegistry")
FIELD: Final = {FIRST: "policy", SECOND: "unregistered"}
"""The one field that the versions name differently."""


def converted(body: dict[str, Any], version: str) -> dict[str, Any]:
    """Return a resource in a version; status and metadata stay."""
    stored = body["apiVersion"].rpartition("/")[2]
    spec = dict(body["spec"])
    if FIELD[stored] in spec:
        spec[FIELD[version]] = spec.pop(FIELD[stored])
    return {**body, "apiVersion": f"{GROUP}/{version}", "spec": spec}


class Webhook(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["request"]
        version = request["desiredAPIVersion"].rpartition("/")[2]
        answer = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "ConversionReview",
            "response": {
                "uid": request["uid"],
                "result": {"status": "Success"},
                "convertedObjects": [converted(body, version) for body in request["objects"]],
            },
        }
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    @override
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def webhook(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Serve conversions by TLS, and return the client's configuration of it."""
    authority = Authority("conversion")
    issued = authority.issue("conversion", ["127.0.0.1"])
    (tmp_path / "tls.crt").write_text(issued.certificate)
    (tmp_path / "tls.key").write_text(issued.key)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "tls.crt", tmp_path / "tls.key")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Webhook)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield {
        "url": f"https://127.0.0.1:{server.server_address[1]}/convert",
        "caBundle": base64.b64encode(authority.certificate.encode()).decode(),
    }
    server.shutdown()
    server.server_close()


def definition(webhook: dict[str, Any], *, stored: str) -> dict[str, Any]:
    """Return the definition of a copy of HeaderRegistry with two versions."""
    made = deepcopy(crd(REGISTRY))
    made["metadata"] = {"name": f"{REGISTRY.plural}.{GROUP}"}
    made["spec"]["group"] = GROUP
    del made["spec"]["names"]["shortNames"], made["spec"]["names"]["categories"]
    (first,) = made["spec"]["versions"]
    second = deepcopy(first)
    second["name"] = SECOND
    properties = second["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    properties[FIELD[SECOND]] = properties.pop(FIELD[FIRST])
    second["additionalPrinterColumns"] = []
    for version in (first, second):
        version["storage"] = version["name"] == stored
    made["spec"]["versions"] = [first, second]
    made["spec"]["conversion"] = {
        "strategy": "Webhook",
        "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": webhook},
    }
    return made


@pytest.fixture
def server(api_with_crds: ApiServer) -> Iterator[ApiServer]:
    yield api_with_crds
    api_with_crds.objects.delete("crd", f"{REGISTRY.plural}.{GROUP}")


def test_a_resource_is_served_in_two_versions_and_migrated(server: ApiServer, webhook: dict[str, Any]) -> None:
    def request(method: str, version: str, name: str = "", **options: Any) -> Any:
        path = f"/apis/{GROUP}/{version}/namespaces/default/{REGISTRY.plural}/{name}".rstrip("/")
        answer = server.request(method, path, **options)
        assert answer.ok, answer.text
        return answer.json()

    # Given a resource that was stored in the first version
    server.objects.apply(definition(webhook, stored=FIRST))
    server.await_definitions()
    body = resource("HeaderRegistry", "everything")
    body["apiVersion"] = f"{GROUP}/{FIRST}"
    written = request("POST", FIRST, json=body)

    # When it is read in the second
    read = request("GET", SECOND, body["metadata"]["name"])

    # Then nothing of it is lost, in either direction
    assert read["spec"] == converted(written, SECOND)["spec"]
    assert request("GET", FIRST, body["metadata"]["name"]) == written
    assert request("GET", SECOND)["items"][0]["spec"] == read["spec"]

    # When the second version is stored, and each object is written once
    server.objects.apply(definition(webhook, stored=SECOND))
    server.await_definitions()
    before = read["metadata"]["resourceVersion"]
    eventually(
        lambda: request("PUT", SECOND, body["metadata"]["name"], json=read)["metadata"]["resourceVersion"],
        # A write that changes no byte of what is stored leaves it.
        lambda version: version != before,
    )

    # Then the first version can be given up
    path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{REGISTRY.plural}.{GROUP}"
    migrated = {"status": {"storedVersions": [SECOND]}}
    headers = {"Content-Type": "application/merge-patch+json"}
    assert server.request("PATCH", f"{path}/status", data=json.dumps(migrated), headers=headers).ok
    alone = definition(webhook, stored=SECOND)
    alone["spec"]["versions"] = alone["spec"]["versions"][1:]
    server.objects.apply(alone)
    assert request("GET", SECOND, body["metadata"]["name"])["spec"] == read["spec"]
