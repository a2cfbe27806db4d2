"""What the demo's chart renders: a Kafka and a Prometheus to try the product with, and nothing of the product."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

import pytest
import yaml

from kwitness.contracts.audiences import collector_audience
from kwitness.e2e import chart
from kwitness.runtime.child_names import collector_name, collector_replicas_name

from tests.chart.manifests import containers, keys_twice, leaves, named, pod_annotations

demo_chart = partial(chart.render, chart=chart.DEMO_CHART)
VALUES = chart.CHART.parents[1] / "demo" / "values" / "kwitness-demo.yaml"
OPENSHIFT: dict[str, Any] = {"devKafka": {"podSecurityContext": None}, "prometheus": {"podSecurityContext": None}}
NAMES = ("defaults", "everything", "demo", "openshift")


@pytest.fixture(params=NAMES)
def values(request: pytest.FixtureRequest, demo_everything: dict[str, Any]) -> dict[str, Any]:
    cases: dict[str, dict[str, Any]] = {
        "defaults": {},
        "everything": demo_everything,
        "demo": yaml.safe_load(VALUES.read_text()),
        "openshift": OPENSHIFT,
    }
    return cases[request.param]


def test_lints(values: dict[str, Any]) -> None:
    with chart.values_file(values) as file:
        answer = chart.helm(
            "lint", chart.DEMO_CHART, "--strict", "--kube-version", chart.KUBERNETES_VERSION, "--values", file.name
        )

    assert "1 chart(s) linted, 0 chart(s) failed" in answer


def test_names_no_object_as_the_product_does(values: dict[str, Any], everything: dict[str, Any]) -> None:
    manifests = [*demo_chart(values), *chart.render(everything)]

    names = [(one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]) for one in manifests]
    assert len(names) == len(set(names))


def test_runs_a_kafka_and_a_prometheus_and_no_more_than_it_is_told() -> None:
    def workloads(values: dict[str, Any]) -> list[str]:
        return [one["metadata"]["name"] for one in chart.of_kind(demo_chart(values), "Deployment", "StatefulSet")]

    assert workloads({}) == ["kwitness-prometheus", "kwitness-dev-kafka"]
    assert workloads({"prometheus": {"enabled": False}}) == ["kwitness-dev-kafka"]
    assert demo_chart({"prometheus": {"enabled": False}, "devKafka": {"enabled": False}}) == []


def test_gives_no_right_to_anybody(demo_everything: dict[str, Any]) -> None:
    kinds = ("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding")

    assert chart.of_kind(demo_chart(demo_everything), *kinds) == []


def test_writes_names_that_look_like_numbers_as_text(demo_everything: dict[str, Any]) -> None:
    number = "1234567"
    values = {
        **demo_everything,
        "global": {"imagePullSecrets": [number]},
        "pods": {"priorityClassName": number},
        "devKafka": {"persistence": {"enabled": True, "storageClassName": number}},
    }

    manifests = demo_chart(values, namespace=number, release=number)

    prometheus = named(manifests, "ConfigMap", "kwitness-prometheus")["data"]["prometheus.yml"]
    assert int(number) not in leaves([*manifests, yaml.safe_load(prometheus)])


def test_writes_no_key_twice(demo_everything: dict[str, Any]) -> None:
    with chart.values_file(demo_everything) as file:
        arguments = ("--namespace", "kwitness", "--kube-version", chart.KUBERNETES_VERSION, "--values", file.name)
        text = chart.helm("template", "kwitness-demo", chart.DEMO_CHART, *arguments)

    for document in yaml.compose_all(text, Loader=yaml.CSafeLoader):
        assert list(keys_twice(document)) == []


def test_leaves_user_ids_to_the_cluster_when_told_so() -> None:
    pods = list(chart.pods(demo_chart(OPENSHIFT)))

    assert pods
    assert all("runAsUser" not in pod["spec"]["securityContext"] for pod in pods)


def test_puts_the_mirror_before_every_image(demo_everything: dict[str, Any]) -> None:
    images = [container["image"] for pod in chart.pods(demo_chart(demo_everything)) for container in containers(pod)]

    assert len(images) == 2
    assert all(image.startswith("registry.example.org/mirror/") for image in images)


@pytest.mark.parametrize("rules", [{}, {"mine": "groups:\n- name: mine\n  rules: []\n", "yours": "groups: []\n"}])
def test_gives_prometheus_the_files_of_rules_of_the_values(rules: dict[str, str]) -> None:
    config = named(demo_chart({"prometheus": {"rules": rules}}), "ConfigMap", "kwitness-prometheus")

    files = {name: text for name, text in config["data"].items() if name != "prometheus.yml"}
    assert files == {f"{name}.rules.yml": text for name, text in rules.items()}
    assert yaml.safe_load(config["data"]["prometheus.yml"])["rule_files"] == ["/etc/prometheus/*.rules.yml"]


def test_restarts_prometheus_when_its_rules_change() -> None:
    one, two = (demo_chart({"prometheus": {"rules": {"mine": rules}}}) for rules in ("groups: []", "groups: [] # none"))

    assert pod_annotations(one, "kwitness-prometheus") != pod_annotations(two, "kwitness-prometheus")


@pytest.mark.parametrize("name", ["_labels.tpl", "_pods.tpl"])
def test_shares_what_both_charts_say_alike(name: str) -> None:
    texts = {(source / "templates" / name).read_text() for source in (chart.CHART, chart.DEMO_CHART)}

    assert len(texts) == 1


def test_writes_properties_of_the_broker_as_they_were_given() -> None:
    given = {"a": 1_000_000, "b": 2**53 - 1, "c": 0.000001, "d": -1, "e": True, "f": "1e+06", "g": "3.0", "h": 0}

    (properties,) = broker_properties(demo_chart({"devKafka": {"extraProperties": given}}))

    assert properties.splitlines()[-8:] == [
        "a=1000000",
        "b=9007199254740991",
        "c=0.000001",
        "d=-1",
        "e=true",
        "f=1e+06",
        "g=3.0",
        "h=0",
    ]


def test_does_not_restart_a_broker_when_another_is_added() -> None:
    one, two = (demo_chart({"devKafka": {"replicas": replicas}}) for replicas in (1, 2))

    assert pod_annotations(one, "kwitness-dev-kafka") == pod_annotations(two, "kwitness-dev-kafka")


@pytest.mark.parametrize(
    ("version", "reporter"),
    [("4.3.1", "KwitnessReporter"), ("4.1.2", "KwitnessLegacyReporter"), ("3.7.2", "KwitnessLegacyReporter")],
)
def test_names_the_plugin_class_for_the_version_of_kafka(version: str, reporter: str) -> None:
    properties = broker_properties(demo_chart({"devKafka": {"version": version}}))[0]

    wanted = f"metric.reporters=org.apache.kafka.common.metrics.JmxReporter,dev.kwitness.broker.{reporter}"
    assert wanted in properties.splitlines()


def test_gives_two_brokers_one_controller() -> None:
    # Of two controllers either alone has no majority: stopping one broker would stop both.
    first, second = broker_properties(demo_chart({"devKafka": {"replicas": 2}}))

    assert "process.roles=broker,controller" in first.splitlines()
    assert "process.roles=broker" in second.splitlines()
    assert "CONTROLLER://:9099" not in second


def test_names_the_services_of_a_collector_as_the_operator_does() -> None:
    longest = f"{'c' * 23}-{'d' * 16}"
    collectors = [{"name": longest, "namespace": "team-a"}]
    text = json.dumps(demo_chart({"devKafka": {"collector": longest}, "prometheus": {"collectors": collectors}}))
    assert f"https://{collector_name(longest)}.kwitness.svc:8443" in text
    assert f"{collector_replicas_name(longest)}.team-a.svc" in text


def test_the_brokers_show_a_token_for_the_collector_that_they_send_to() -> None:
    kafka = named(demo_chart({"devKafka": {"collector": "other"}}), "StatefulSet", "kwitness-dev-kafka")
    volumes = {one["name"]: one for one in kafka["spec"]["template"]["spec"]["volumes"]}
    [source] = volumes["collector-token"]["projected"]["sources"]

    audience = collector_audience(kafka["metadata"]["namespace"], "other")
    assert source["serviceAccountToken"]["audience"] == audience


def test_writes_no_password_and_no_key_into_a_config_map() -> None:
    for properties in broker_properties(demo_chart()):
        assert re.findall(r'user_[\w-]+="(?!\$\{dir:)', properties) == []
        assert "BEGIN" not in properties


def broker_properties(manifests: list[chart.Manifest]) -> list[str]:
    return list(named(manifests, "ConfigMap", "kwitness-dev-kafka")["data"].values())
