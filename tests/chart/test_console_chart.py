"""The console in a cluster, as the chart renders it: its settings, its volumes, and what it may do."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from kwitness.console.pod.settings import ConsoleSettings
from kwitness.console.sources.store_keys import KEYS_FOLDER
from kwitness.contracts.audiences import inventory_audience
from kwitness.contracts.endpoints import CONSOLE_PORT, PROBE_PORT
from kwitness.devtools.reference import CONSOLE_PAGE, console_page
from kwitness.e2e import chart
from kwitness.e2e.api_server import ApiServer
from kwitness.images.commands import CommandFailedError

from tests.chart.manifests import named
from tests.eventually import eventually

LEAST: dict[str, Any] = {
    "enabled": True,
    "url": "https://console.example.org",
    "kafkaCluster": {"name": "orders"},
    "collector": {"name": "main"},
    "tls": {"secret": "kwitness-console-tls"},
}
NAME = "kwitness-console"
PAGE = chart.CHART.parents[1] / "docs" / "operations" / "console.md"
CLIENTS = "kwitness-kwitness-clients"
AGGREGATED = "rbac.authorization.k8s.io/aggregate-to-view"


def rendered(**values: Any) -> list[chart.Manifest]:
    return chart.render({"console": {**LEAST, **values}})


def settings(manifests: list[chart.Manifest]) -> ConsoleSettings:
    return ConsoleSettings.model_validate_json(named(manifests, "ConfigMap", NAME)["data"]["settings.json"])


def pod(manifests: list[chart.Manifest]) -> dict[str, Any]:
    spec: dict[str, Any] = named(manifests, "Deployment", NAME)["spec"]["template"]["spec"]
    return spec


def test_the_page_has_values_that_are_rendered_and_names_the_account() -> None:
    page = PAGE.read_text()
    values, claim, keys = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    (patch,) = re.findall(r"--patch '(.*)'", page)

    manifests = chart.render(values)

    (reader,) = json.loads(patch)["spec"]["ingest"]["readers"]
    account = named(manifests, "ServiceAccount", NAME)["metadata"]
    assert (reader["serviceAccount"], reader["namespace"]) == (account["name"], account["namespace"])
    assert f"--clusterrole {CLIENTS} " in page
    reads = (rendered(**claim["console"]), in_store({"region": "eu-central-1"}, **keys["console"]["tables"]))
    named_sources = [{volume["name"] for volume in pod(manifests)["volumes"]} for manifests in reads]
    assert ["tables" in named_sources[0], "store-keys" in named_sources[1]] == [True, True]


def test_every_setting_is_in_the_reference() -> None:
    assert CONSOLE_PAGE.read_text() == console_page()


def test_is_off_by_default() -> None:
    assert [manifest for manifest in chart.render() if "console" in manifest["metadata"]["name"]] == []
    assert not [manifest for manifest in chart.render() if manifest["metadata"]["name"] == CLIENTS]


def test_its_settings_have_the_collector_and_the_ways_to_sign_in(everything: dict[str, Any]) -> None:
    few, all_of_them = settings(rendered()), settings(chart.render(everything))

    assert (few.kafka_cluster.namespace, few.kafka_cluster.name) == ("kwitness", "orders")
    assert few.sign_in.external_url == "https://console.example.org"
    assert few.sign_in.methods == ("token",)
    assert few.sign_in.oidc is None
    assert few.port == CONSOLE_PORT
    assert few.probe_port == PROBE_PORT
    oidc = all_of_them.sign_in.oidc
    assert oidc is not None
    assert (oidc.issuer, oidc.checked_by) == ("https://login.example.org/", "console")
    mounted = [mount["mountPath"] for mount in pod(chart.render(everything))["containers"][0]["volumeMounts"]]
    files = (oidc.client_secret_file, oidc.ca_file, few.token_file, few.tls.certificate_file)
    assert all(str(file).rpartition("/")[0] in mounted for file in files)


def test_prometheus_is_an_address_or_nothing() -> None:
    assert settings(rendered()).prometheus == ""
    address = "http://prometheus.monitoring:9090"
    assert settings(rendered(prometheus=address)).prometheus == address
    with pytest.raises(CommandFailedError, match="prometheus"):
        rendered(prometheus="prometheus.monitoring:9090")


def test_tables_on_a_claim_are_mounted_to_read_where_jobs_name_them() -> None:
    manifests = rendered(tables={"claim": "kwitness-tables", "folder": "/var/lib/kwitness/tables"})

    (volume,) = [volume for volume in pod(manifests)["volumes"] if volume["name"] == "tables"]
    (mount,) = [mount for mount in pod(manifests)["containers"][0]["volumeMounts"] if mount["name"] == "tables"]
    assert volume["persistentVolumeClaim"] == {"claimName": "kwitness-tables", "readOnly": True}
    assert (mount["mountPath"], mount["readOnly"]) == ("/var/lib/kwitness", True)
    assert settings(manifests).tables == "/var/lib/kwitness/tables"


def test_tables_in_a_store_are_read_with_keys_or_a_role_of_the_console() -> None:
    endpoint = {"endpoint": "https://store.example.org:9000", "keysSecret": "writes"}
    role = {"roleArn": "arn:aws:iam::1:role/reads"}
    with_keys = in_store(endpoint, keysSecret="reads")
    with_role = in_store({"region": "eu-central-1"}, **role)

    (keys,) = [volume for volume in pod(with_keys)["volumes"] if volume["name"] == "store-keys"]
    (mount,) = [mount for mount in pod(with_keys)["containers"][0]["volumeMounts"] if mount["name"] == "store-keys"]
    assert (keys["secret"]["secretName"], mount["readOnly"]) == ("reads", True)
    assert variables(with_keys) == {
        "AWS_ENDPOINT_URL": "https://store.example.org:9000",
        "AWS_REGION": "us-east-1",
        KEYS_FOLDER: mount["mountPath"],
    }
    assert variables(with_role)["AWS_ROLE_ARN"] == role["roleArn"]
    (token,) = [volume for volume in pod(with_role)["volumes"] if volume["name"] == "store-token"]
    assert token["projected"]["sources"][0]["serviceAccountToken"]["audience"] == "sts.amazonaws.com"
    with pytest.raises(CommandFailedError, match="two identities: give one"):
        in_store({"region": "eu-central-1"}, keysSecret="reads", **role)
    with pytest.raises(CommandFailedError, match=r"needs analytics\.storage\.region"):
        in_store(endpoint, **role)
    with pytest.raises(CommandFailedError, match=r"name the claim in console\.tables\.claim"):
        rendered(tables={"keysSecret": "reads"})


def test_tables_of_a_store_are_read_with_the_bundle_of_certificates() -> None:
    manifests = chart.render({"console": LEAST, "global": {"trustBundle": {"configMap": "authorities", "key": "pem"}}})

    (volume,) = [volume for volume in pod(manifests)["volumes"] if volume["name"] == "trust-bundle"]
    assert volume["configMap"] == {"name": "authorities", "items": [{"key": "pem", "path": "ca.crt"}]}
    assert variables(manifests)["SSL_CERT_FILE"] == "/etc/kwitness/trust-bundle/ca.crt"


def in_store(storage: dict[str, Any], **tables: str) -> list[chart.Manifest]:
    """Render a console of an installation with tables in an object store."""
    analytics = {"tableRoot": "s3a://tables/kwitness", "storage": storage}
    return chart.render({"console": {**LEAST, "tables": tables}, "analytics": analytics})


def variables(manifests: list[chart.Manifest]) -> dict[str, str]:
    return {variable["name"]: variable["value"] for variable in pod(manifests)["containers"][0]["env"]}


def test_a_provider_without_groups_has_none() -> None:
    oidc = {"issuer": "https://login.example.org/", "clientId": "kwitness", "groupsClaim": ""}

    found = settings(rendered(signIn={"methods": ["oidc"], "oidc": oidc})).sign_in.oidc

    assert found is not None
    assert found.groups_claim is None


def test_its_token_is_for_the_collector_that_is_named() -> None:
    elsewhere = rendered(kafkaCluster={"namespace": "kafka", "name": "orders"})

    for manifests, namespace in ((rendered(), "kwitness"), (elsewhere, "kafka")):
        (token,) = [volume for volume in pod(manifests)["volumes"] if volume["name"] == "token"]
        (source,) = token["projected"]["sources"]
        assert source["serviceAccountToken"]["audience"] == inventory_audience(namespace, "main")


def test_pages_are_plaintext_only_where_a_proxy_ends_tls() -> None:
    secure, plain = rendered(), rendered(tls={"plaintext": True})

    assert not settings(secure).tls.plaintext
    assert settings(plain).tls.plaintext
    ports = [named(manifests, "Service", NAME)["spec"]["ports"][0]["port"] for manifests in (secure, plain)]
    assert ports == [443, 80]
    assert "certificate" not in {volume["name"] for volume in pod(plain)["volumes"]}


@pytest.mark.parametrize(("checked_by", "resources"), [("apiServer", set()), ("console", {"subjectaccessreviews"})])
def test_it_reads_our_resources_and_writes_nothing(checked_by: str, resources: set[str]) -> None:
    oidc = {"issuer": "https://login.example.org/", "clientId": "kwitness", "checkedBy": checked_by}
    manifests = rendered(signIn={"methods": ["oidc"], "oidc": oidc}, collector={"name": "main", "caConfigMap": "ca"})

    rules = [
        rule
        for role in chart.of_kind(manifests, "Role", "ClusterRole")
        if role["metadata"]["labels"]["app.kubernetes.io/component"] == "console"
        for rule in role["rules"]
    ]
    writes = {resource for rule in rules if set(rule["verbs"]) - {"get", "list"} for resource in rule["resources"]}
    assert writes == resources
    assert "secrets" not in {resource for rule in rules for resource in rule["resources"]}
    (maps,) = [rule for rule in rules if "configmaps" in rule["resources"]]
    assert (maps["verbs"], maps["resourceNames"]) == (["get"], ["ca"])


def test_the_page_has_each_permission_of_the_pod() -> None:
    oidc = {"issuer": "https://login.example.org/", "clientId": "kwitness", "checkedBy": "console"}
    manifests = rendered(signIn={"methods": ["oidc"], "oidc": oidc}, collector={"name": "main", "caConfigMap": "ca"})
    section = PAGE.read_text().partition("## What the pod may do")[2].partition("##")[0]
    rows = [re.findall(r"`(get|list|create)`", row) for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)]

    given = [
        rule["verbs"]
        for role in chart.of_kind(manifests, "Role", "ClusterRole")
        if role["metadata"]["name"] == "kwitness-kwitness-console"
        for rule in role["rules"]
    ]
    assert sorted(rows) == sorted(given)


def test_restarts_when_its_settings_change() -> None:
    first, second = rendered(), rendered(logLevel="DEBUG")

    hashes = [
        named(manifests, "Deployment", NAME)["spec"]["template"]["metadata"]["annotations"][
            "kwitness.dev/settings-hash"
        ]
        for manifests in (first, second)
    ]
    assert hashes[0] != hashes[1]


def test_browsers_connect_from_where_the_values_say() -> None:
    peers = [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ingress"}}}]

    pages, probes = named(rendered(networkPolicy={"from": peers}), "NetworkPolicy", NAME)["spec"]["ingress"]

    assert (pages["from"], [port["port"] for port in pages["ports"]]) == (peers, [CONSOLE_PORT])
    assert ("from" in probes, [port["port"] for port in probes["ports"]]) == (False, [PROBE_PORT])


def test_who_may_see_clients_is_aggregated_to_view_unless_the_value_is_off(api_server: ApiServer) -> None:
    selectors = api_server.objects.get("clusterrole", "view")["aggregationRule"]["clusterRoleSelectors"]
    roles = [named(rendered(aggregateToView=value), "ClusterRole", CLIENTS) for value in (True, False)]

    assert {"matchLabels": {AGGREGATED: "true"}} in selectors
    assert [role["metadata"]["labels"].get(AGGREGATED) for role in roles] == ["true", None]
    names = [settings(rendered(aggregateToView=value)).sign_in.clients_role for value in (True, False)]
    assert names == ["view", CLIENTS]


def test_who_is_bound_to_the_role_in_a_namespace_may_see_clients_there_alone(api_server: ApiServer) -> None:
    role = named(rendered(aggregateToView=False), "ClusterRole", CLIENTS)
    person = {"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "anna"}
    api_server.objects.apply(
        *({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"seen-{end}"}} for end in "ab"),
        role,
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": {"name": "anna", "namespace": "seen-a"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": CLIENTS},
            "subjects": [person],
        },
    )

    def may_see(namespace: str) -> bool:
        attributes = {"verb": "get", "group": "kwitness.dev", "resource": "clients", "namespace": namespace}
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {"user": "anna", "resourceAttributes": attributes},
        }
        answer = api_server.request("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", json=review)
        return json.loads(answer.text)["status"]["allowed"] is True

    eventually(lambda: may_see("seen-a"))
    assert not may_see("seen-b")
    assert not may_see("")
