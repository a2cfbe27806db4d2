"""The chart's injector: off unless it is asked for, and harmless to pods when it is."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from kwitness.contracts.endpoints import INJECT_PATH, INJECTOR_PORT, PROBE_PORT
from kwitness.contracts.injections import INJECT, INJECTION, INJECTIONS_CONFIG_MAP
from kwitness.contracts.interceptor_injections import INTERCEPTORS_CONFIG_MAP
from kwitness.e2e import chart
from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.certificates import Authority
from kwitness.injector.settings import InjectorSettings

from tests.chart.manifests import named, pod_annotations

INSTALLED = "injector.enabled=true,crds.enabled=false,analytics.enabled=false"
AUTHORITY = Authority("test").certificate
ISSUER = {"enabled": True, "certificate": {"issuer": {"name": "platform", "kind": "ClusterIssuer"}}}


@pytest.fixture(scope="module")
def manifests() -> list[chart.Manifest]:
    return chart.render({"injector": {"enabled": True}})


def of_injector(manifests: list[chart.Manifest]) -> list[str]:
    return [one["kind"] for one in manifests if "injector" in one["metadata"]["name"]]


def rules_of(manifests: list[chart.Manifest], kind: str, name: str) -> list[tuple[str, ...]]:
    return [(*rule["resources"], *rule.get("resourceNames", [])) for rule in named(manifests, kind, name)["rules"]]


def test_nothing_of_it_is_there_by_default() -> None:
    assert of_injector(chart.render()) == []


def test_the_operator_sees_pods_only_where_they_may_get_observers() -> None:
    def seen(injector: dict[str, Any], **values: Any) -> list[tuple[str, str | None]]:
        return [
            (one["kind"], one["metadata"].get("namespace"))
            for one in chart.render({"injector": injector, "analytics": {"enabled": False}, **values})
            if one["kind"] in {"Role", "ClusterRole"} and any("pods" in rule["resources"] for rule in one["rules"])
        ]

    assert seen({}) == []
    assert seen({"enabled": True}) == [("Role", "kwitness")]
    assert seen({"enabled": True, "otherNamespaces": {"to": ["shop"]}}) == [("Role", "kwitness"), ("Role", "shop")]
    assert seen({"enabled": True, "otherNamespaces": {"to": ["*"]}}) == [("ClusterRole", None)]
    assert seen({"enabled": True}, watchNamespaces=["*"]) == [("ClusterRole", None)]


def test_only_the_releases_own_resources_select_other_namespaces_unless_others_are_named() -> None:
    def selecting(**injector: Any) -> Any:
        [settings] = [
            one
            for one in chart.render({"injector": injector})
            if one["metadata"]["name"] == "kwitness-operator" and one["kind"] == "ConfigMap"
        ]
        return json.loads(settings["data"]["settings.json"])["injector"]["otherNamespaces"]

    assert selecting(enabled=True) == {"from": ["kwitness"], "to": []}
    named = {"from": ["platform", "audit"], "to": ["shop"]}
    assert selecting(enabled=True, otherNamespaces=named) == named


def test_every_object_of_it_is_there_once_when_it_is_asked_for(manifests: list[chart.Manifest]) -> None:
    assert sorted(of_injector(manifests)) == [
        "ClusterRole",
        "ClusterRoleBinding",
        "ConfigMap",
        "Deployment",
        "MutatingWebhookConfiguration",
        "NetworkPolicy",
        "PodDisruptionBudget",
        "Role",
        "RoleBinding",
        "Secret",
        "Service",
        "ServiceAccount",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
    ]


def test_a_webhook_that_fails_or_is_slow_keeps_no_pod_from_being_made(manifests: list[chart.Manifest]) -> None:
    (webhook,) = named(manifests, "MutatingWebhookConfiguration", "kwitness-kwitness-injector")["webhooks"]

    assert (webhook["failurePolicy"], webhook["timeoutSeconds"]) == ("Ignore", 2)
    assert (webhook["sideEffects"], webhook["reinvocationPolicy"]) == ("None", "IfNeeded")


def test_only_pods_that_are_made_in_enabled_namespaces_are_asked_about(manifests: list[chart.Manifest]) -> None:
    (webhook,) = named(manifests, "MutatingWebhookConfiguration", "kwitness-kwitness-injector")["webhooks"]

    assert webhook["namespaceSelector"]["matchLabels"] == {INJECTION: "enabled"}
    assert webhook["objectSelector"]["matchExpressions"] == [{"key": INJECT, "operator": "NotIn", "values": ["false"]}]
    assert [(rule["operations"], rule["resources"]) for rule in webhook["rules"]] == [(["CREATE"], ["pods"])]


def test_the_api_server_finds_the_port_and_the_name_that_the_certificate_is_for(
    manifests: list[chart.Manifest],
) -> None:
    (webhook,) = named(manifests, "MutatingWebhookConfiguration", "kwitness-kwitness-injector")["webhooks"]
    service, settings = webhook["clientConfig"]["service"], settings_of(manifests)
    ports = {one["name"]: one for one in named(manifests, "Service", "kwitness-injector")["spec"]["ports"]}
    (container,) = named(manifests, "Deployment", "kwitness-injector")["spec"]["template"]["spec"]["containers"]

    assert (service["path"], service["port"]) == (INJECT_PATH, ports["webhook"]["port"])
    assert settings.certificate.names == (f"{service['name']}.{service['namespace']}.svc",)
    assert {one["name"]: one["containerPort"] for one in container["ports"]} == {
        "webhook": INJECTOR_PORT,
        "metrics": PROBE_PORT,
    }
    (rule,) = named(manifests, "NetworkPolicy", "kwitness-injector")["spec"]["ingress"]
    assert {one["port"] for one in rule["ports"]} == {INJECTOR_PORT, PROBE_PORT}


def test_its_rights_name_what_they_are_for(manifests: list[chart.Manifest]) -> None:
    assert rules_of(manifests, "Role", "kwitness-injector") == [
        ("configmaps", INJECTIONS_CONFIG_MAP, INTERCEPTORS_CONFIG_MAP),
        ("secrets", "kwitness-injector-certificate"),
    ]
    assert rules_of(manifests, "ClusterRole", "kwitness-kwitness-injector") == [
        ("namespaces",),
        ("mutatingwebhookconfigurations", "kwitness-kwitness-injector"),
    ]


def test_with_cert_manager_it_makes_no_certificate_and_may_write_nothing() -> None:
    manifests = chart.render({"injector": ISSUER})

    certificate = named(manifests, "Certificate", "kwitness-injector")["spec"]
    assert certificate["issuerRef"] == {"group": "cert-manager.io", "kind": "ClusterIssuer", "name": "platform"}
    webhook = named(manifests, "MutatingWebhookConfiguration", "kwitness-kwitness-injector")
    assert webhook["metadata"]["annotations"] == {"cert-manager.io/inject-ca-from": "kwitness/kwitness-injector"}
    assert rules_of(manifests, "Role", "kwitness-injector") == [
        ("configmaps", "kwitness-injections", "kwitness-interceptors")
    ]
    assert rules_of(manifests, "ClusterRole", "kwitness-kwitness-injector") == [("namespaces",)]
    spec = named(manifests, "Deployment", "kwitness-injector")["spec"]["template"]["spec"]
    (mount,) = (one for one in spec["containers"][0]["volumeMounts"] if one["name"] == "certificate")
    assert settings_of(manifests).certificate.folder == mount["mountPath"]
    (volume,) = (one for one in spec["volumes"] if one["name"] == "certificate")
    assert volume["secret"]["secretName"] == certificate["secretName"]


def test_the_ca_of_clients_is_where_its_settings_say() -> None:
    manifests = chart.render({"injector": {"enabled": True, "clientAuth": {"caConfigMap": "clients"}}})

    spec = named(manifests, "Deployment", "kwitness-injector")["spec"]["template"]["spec"]
    (mount,) = (mount for mount in spec["containers"][0]["volumeMounts"] if mount["name"] == "client-ca")
    assert settings_of(manifests).client_ca_file == f"{mount['mountPath']}/ca.crt"
    (volume,) = (volume for volume in spec["volumes"] if volume["name"] == "client-ca")
    assert volume["configMap"]["name"] == "clients"


def test_two_replicas_are_kept_apart_and_are_not_evicted_together(manifests: list[chart.Manifest]) -> None:
    deployment = named(manifests, "Deployment", "kwitness-injector")["spec"]

    assert deployment["replicas"] == 2
    assert deployment["template"]["spec"]["topologySpreadConstraints"][0]["topologyKey"] == "kubernetes.io/hostname"
    assert named(manifests, "PodDisruptionBudget", "kwitness-injector")["spec"]["maxUnavailable"] == 1
    alone = chart.render({"injector": {"enabled": True, "replicas": 1}})
    assert "PodDisruptionBudget" not in of_injector(alone)


def test_it_is_restarted_when_its_settings_change() -> None:
    first, second = (chart.render({"injector": {"enabled": True, "logLevel": level}}) for level in ("INFO", "DEBUG"))

    assert pod_annotations(first, "kwitness-injector") != pod_annotations(second, "kwitness-injector")


@pytest.fixture
def installed(api_server: ApiServer) -> Iterator[tuple[str, ...]]:
    """Options of helm for a release that is there; its webhook would be asked in vain by other tests."""
    at = ("it", "--namespace", "injector-upgrade", f"--kubeconfig={api_server.kubeconfig}")
    chart.helm("install", at[0], chart.CHART, *at[1:], "--create-namespace", "--set", INSTALLED)
    yield at
    chart.helm("uninstall", *at)


def test_an_upgrade_leaves_the_certificate_and_what_api_servers_were_told(
    api_server: ApiServer, installed: tuple[str, ...]
) -> None:
    secret = "/api/v1/namespaces/injector-upgrade/secrets/kwitness-injector-certificate"
    webhook = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/kwitness-injector-upgrade-injector"
    kind = {"Content-Type": "application/json-patch+json"}
    for path, place, value in (
        (secret, "/data", {"tls.crt": "UEVN"}),
        (webhook, "/webhooks/0/clientConfig/caBundle", base64.b64encode(AUTHORITY.encode()).decode()),
    ):
        patch = json.dumps([{"op": "add", "path": place, "value": value}])
        answer = api_server.request("PATCH", path, data=patch, headers=kind)
        assert answer.ok, answer.text

    chart.helm("upgrade", installed[0], chart.CHART, *installed[1:], "--set", f"{INSTALLED},injector.replicas=3")

    replicas = api_server.request("GET", "/apis/apps/v1/namespaces/injector-upgrade/deployments/kwitness-injector")
    assert replicas.json()["spec"]["replicas"] == 3
    assert api_server.request("GET", secret).json()["data"] == {"tls.crt": "UEVN"}
    told = api_server.request("GET", webhook).json()["webhooks"][0]["clientConfig"]["caBundle"]
    assert base64.b64decode(told).decode() == AUTHORITY


def settings_of(manifests: list[chart.Manifest]) -> InjectorSettings:
    data: dict[str, Any] = named(manifests, "ConfigMap", "kwitness-injector")["data"]
    return InjectorSettings.model_validate_json(data["settings.json"])
