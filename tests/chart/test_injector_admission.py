"""The injector writes the CA of its webhook and nothing else, though RBAC gives it the whole object."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from kwitness.e2e import chart
from kwitness.e2e.api_server import ApiServer

from tests.eventually import eventually

NAMESPACE = "injection"
INJECTOR = f"system:serviceaccount:{NAMESPACE}:kwitness-injector"
URL = f"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/kwitness-{NAMESPACE}-injector"
BUNDLE = {"path": "/webhooks/0/clientConfig/caBundle", "value": "Zm9v"}
EVERYTHING = [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"], "scope": "*"}]

Patch = Callable[..., Any]


@pytest.fixture(scope="module")
def patch(api_server: ApiServer) -> Patch:
    """Send operations of a JSON patch as the injector's service account; the answer."""
    manifests = chart.render({"injector": {"enabled": True}}, namespace=NAMESPACE)
    rights = ("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
    policies = ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    for manifest in [namespace, *chart.of_kind(manifests, *rights, "MutatingWebhookConfiguration", *policies)]:
        api_server.kubectl("apply", "--server-side", "--filename=-", input=json.dumps(manifest))

    def send(*operations: dict[str, Any]) -> Any:
        headers = {"Impersonate-User": INJECTOR, "Content-Type": "application/json-patch+json"}
        return api_server.request("PATCH", f"{URL}?dryRun=All", json=list(operations), headers=headers)

    # The API server notices a policy a moment after it was written.
    eventually(lambda: send(replace("/webhooks/0/timeoutSeconds", 30)).status_code, lambda code: code == 422)
    return send


def replace(path: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


@pytest.mark.parametrize("bundle", ["Zm9v", "Zm9vZm9v"])
def test_writes_the_bundle_of_its_webhook(bundle: str, patch: Patch) -> None:
    answer = patch({"op": "add", **BUNDLE, "value": bundle})

    assert answer.status_code == 200, answer.text


REFUSED = {
    "rules": [replace("/webhooks/0/rules", EVERYTHING)],
    "another server": [
        {"op": "remove", "path": "/webhooks/0/clientConfig/service"},
        replace("/webhooks/0/clientConfig/url", "https://elsewhere.example/"),
    ],
    "another service": [replace("/webhooks/0/clientConfig/service/namespace", "team-a")],
    "another path": [replace("/webhooks/0/clientConfig/service/path", "/")],
    "no namespace selector": [{"op": "remove", "path": "/webhooks/0/namespaceSelector"}],
    "no object selector": [replace("/webhooks/0/objectSelector", {})],
    "pods that fail": [replace("/webhooks/0/failurePolicy", "Fail")],
    "a condition": [replace("/webhooks/0/matchConditions", [{"name": "all", "expression": "true"}])],
    "another name": [replace("/webhooks/0/name", "other.injector.kwitness.dev")],
    "a finalizer": [replace("/metadata/finalizers", ["kwitness.dev/stays"])],
    "a label": [replace("/metadata/labels/team", "a")],
    "an owner": [
        replace("/metadata/ownerReferences", [{"apiVersion": "v1", "kind": "Namespace", "name": "x", "uid": "1"}])
    ],
    "no webhook": [{"op": "remove", "path": "/webhooks/0"}],
}


@pytest.mark.parametrize("case", REFUSED)
def test_refuses_to_change(case: str, patch: Patch) -> None:
    answer = patch({"op": "add", **BUNDLE}, *REFUSED[case])

    assert answer.status_code == 422, answer.text
    assert "caBundle" in answer.json()["message"]


def test_refuses_a_second_webhook(patch: Patch, api_server: ApiServer) -> None:
    first = api_server.request("GET", URL).json()["webhooks"][0]

    answer = patch(replace("/webhooks/-", {**first, "name": "all.injector.kwitness.dev", "rules": EVERYTHING}))

    assert answer.status_code == 422, answer.text


def test_leaves_others_alone(patch: Patch, api_server: ApiServer) -> None:
    assert patch is not None
    operations = [replace("/webhooks/0/timeoutSeconds", 3)]

    answer = api_server.request(
        "PATCH", f"{URL}?dryRun=All", json=operations, headers={"Content-Type": "application/json-patch+json"}
    )

    assert answer.status_code == 200, answer.text
