"""What the chart renders, for several values."""

from __future__ import annotations

import ast
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.contracts import reasons
from kwitness.e2e import chart
from kwitness.operator.settings import OperatorSettings

from tests.chart.manifests import containers, keys_twice, leaves, named, pod_annotations

DEMO = chart.CHART.parents[1] / "demo" / "values" / "kwitness.yaml"
NAMES = ("defaults", "everything", "every namespace", "demo", "openshift")


@pytest.fixture(params=NAMES)
def values(request: pytest.FixtureRequest, everything: dict[str, Any]) -> dict[str, Any]:
    cases: dict[str, dict[str, Any]] = {
        "defaults": {},
        "everything": everything,
        "every namespace": {"watchNamespaces": ["*"]},
        "demo": yaml.safe_load(DEMO.read_text()),
        "openshift": OPENSHIFT,
    }
    return cases[request.param]


OPENSHIFT: dict[str, Any] = {
    "pods": {"runAsUser": None, "fsGroup": None},
    "analytics": {"sparkUser": None},
}


def test_lints(values: dict[str, Any]) -> None:
    with chart.values_file(values) as file:
        answer = chart.helm(
            "lint", chart.CHART, "--strict", "--kube-version", chart.KUBERNETES_VERSION, "--values", file.name
        )

    assert "1 chart(s) linted, 0 chart(s) failed" in answer


def test_names_no_object_twice(values: dict[str, Any]) -> None:
    manifests = chart.render(values)

    names = [(one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]) for one in manifests]
    assert len(names) == len(set(names))


def test_writes_names_that_look_like_numbers_as_text(everything: dict[str, Any]) -> None:
    number = "1234567"
    values = {
        **everything,
        "global": {"imagePullSecrets": [number]},
        "watchNamespaces": [number],
        "operator": {"secretNames": {number: ["kwitness-kafka-admin"]}},
        "collector": {"namespaces": [number], "storageClass": number},
        "pods": {"priorityClassName": number},
        "analytics": {
            "namespaces": [number],
            "tableClaim": number,
            "createClaim": {"enabled": True, "storageClassName": number},
        },
    }

    manifests = chart.render(values, namespace=number, release=number)

    configs = [text for one in chart.of_kind(manifests, "ConfigMap") for text in one["data"].values()]
    assert configs
    assert int(number) not in leaves(manifests)
    settings_of(manifests)


def test_writes_a_namespace_called_true_as_text() -> None:
    manifests = chart.render(namespace="true", release="true")

    assert {one["metadata"].get("namespace", "true") for one in manifests} == {"true"}


def test_tells_installations_apart_whose_namespaces_begin_alike(everything: dict[str, Any]) -> None:
    values = {**everything, "watchNamespaces": ["*"]}
    names = [
        {one["metadata"]["name"] for one in chart.render(values, namespace="n" * 62 + end) if is_of_the_cluster(one)}
        for end in "ab"
    ]

    assert len(names[0]) == len(names[1]) == 10
    assert names[0].isdisjoint(names[1])


def test_keeps_its_own_labels_on_pods() -> None:
    wrong = {"app.kubernetes.io/name": "other", "app.kubernetes.io/component": "other", "team": "kafka"}
    manifests = chart.render(
        {"operator": {"pod": {"labels": wrong, "annotations": {"kwitness.dev/settings-hash": "none", "note": "x"}}}}
    )

    operator = named(manifests, "Deployment", "kwitness-operator")["spec"]
    labels = operator["template"]["metadata"]["labels"]
    assert labels["team"] == "kafka"
    assert operator["selector"]["matchLabels"].items() <= labels.items()
    annotations = operator["template"]["metadata"]["annotations"]
    assert annotations["note"] == "x"
    assert len(annotations["kwitness.dev/settings-hash"]) == 64


@pytest.mark.parametrize("folder", [chart.CHART, chart.DEMO_CHART], ids=lambda folder: folder.name)
def test_another_version_of_the_chart_replaces_no_pod(folder: Path, tmp_path: Path) -> None:
    bumped = shutil.copytree(folder, tmp_path / folder.name)
    description = bumped / "Chart.yaml"
    description.write_text(re.sub(r"(?m)^version: .*$", "version: 99.0.0", description.read_text()))
    values = {"injector": {"enabled": True}} if folder == chart.CHART else {}

    templates = [
        {
            (made["kind"], made["metadata"]["name"]): made["spec"]["template"]
            for made in chart.of_kind(chart.render(values, chart=place), "Deployment", "StatefulSet")
        }
        for place in (folder, bumped)
    ]

    assert len(templates[0]) == 2
    assert templates[0] == templates[1]


def test_writes_no_key_twice(everything: dict[str, Any]) -> None:
    # A YAML reader takes one of them without a word, and not every reader the same.
    instance = {"app.kubernetes.io/instance": "mine"}
    values = {
        **everything,
        "operator": {"pod": {"labels": instance, "annotations": {"kwitness.dev/settings-hash": "none"}}},
        "monitoring": {
            "serviceMonitor": {"enabled": True, "labels": instance},
            "prometheusRule": {"enabled": True, "labels": instance},
            "dashboards": {"enabled": True, "label": "app.kubernetes.io/instance", "labelValue": "mine"},
        },
    }
    with chart.values_file(values) as file:
        arguments = ("--namespace", "kwitness", "--kube-version", chart.KUBERNETES_VERSION, "--values", file.name)
        text = chart.helm("template", "kwitness", chart.CHART, *arguments)

    for document in yaml.compose_all(text, Loader=yaml.CSafeLoader):
        assert list(keys_twice(document)) == []
    chosen = chart.of_kind(chart.render(values), "ServiceMonitor", "PrometheusRule")
    assert {one["metadata"]["labels"]["app.kubernetes.io/instance"] for one in chosen} == {"mine"}


def test_contains_no_resource_of_our_own_kinds(values: dict[str, Any]) -> None:
    # Their definitions are not there yet when Helm validates.
    manifests = chart.render(values)

    assert not [one["kind"] for one in manifests if one["apiVersion"].startswith("kwitness.dev/")]


def test_writes_settings_that_the_operator_accepts(values: dict[str, Any]) -> None:
    settings = settings_of(chart.render(values))

    assert settings.namespace == "kwitness"
    assert settings.service_account == "kwitness-operator"


def test_passes_every_value_to_the_operator(everything: dict[str, Any]) -> None:
    settings = settings_of(
        chart.render(
            {
                **everything,
                "installation": "prod-a",
                "limits": {"minInterval": "1s", "maxExecutorCores": 2},
                "collector": {"storageClass": "fast"},
                "operator": {"logLevel": "DEBUG", "resyncSeconds": 7},
            }
        )
    )

    assert settings.installation == "prod-a"
    assert settings.watch_namespaces == ["kwitness", "team-a"]
    version = yaml.safe_load((chart.CHART / "Chart.yaml").read_text())["appVersion"]
    assert settings.images.collector == f"registry.example.org/mirror/kwitness/collector:{version}"
    assert settings.images.observer == f"registry.example.org/mirror/kwitness/observer:{version}"
    assert settings.images.interceptors == f"registry.example.org/mirror/kwitness/interceptors:{version}"
    assert settings.images.spark == f"registry.example.org/mirror/kwitness/spark:{version}"
    assert settings.image_pull_secrets == ["pull"]
    assert settings.collector.pod.node_selector == {"disk": "fast"}
    assert settings.analytics.executor.pod.priority_class_name == "important"
    assert settings.collector.storage_class == "fast"
    assert settings.analytics.namespaces == ["team-a"]
    assert settings.analytics.table_claim == "kwitness-tables"
    assert settings.limits.min_interval == "1s"
    assert settings.limits.max_executor_cores == 2
    assert settings.resync_seconds == 7
    assert settings.log_level == "DEBUG"


def test_an_object_store_takes_the_image_that_reads_it_and_executors_may_have_no_other() -> None:
    storage = {
        "endpoint": "https://store.example:9000",
        "region": "eu-central-1",
        "pathStyle": False,
        "keysSecret": "kwitness-tables-keys",
        "settings": {"fs.s3a.threads.max": "20"},
    }
    images = {"sparkS3a": {"pullPolicy": "Always", "tag": "2"}}
    manifests = chart.render(
        {"images": images, "analytics": {"tableRoot": "s3a://tables/kwitness", "storage": storage}}
    )

    settings = settings_of(manifests)
    assert (settings.images.spark, settings.images.spark_pull_policy) == ("kwitness/spark-s3a:2", "Always")
    given = settings.analytics.storage
    assert given.model_dump(by_alias=True, exclude={"web_identity"}) == storage
    policies = json.dumps(chart.of_kind(manifests, "ValidatingAdmissionPolicy"))
    assert "image == 'kwitness/spark-s3a:2'" in policies
    assert "'kwitness/spark:" not in policies


def test_pulls_each_image_as_its_own_entry_says() -> None:
    settings = settings_of(
        chart.render(
            {
                "images": {
                    "collector": {"pullPolicy": "Never"},
                    "observer": {"pullPolicy": "Never"},
                    "interceptors": {"pullPolicy": "Always"},
                    "spark": {"pullPolicy": "Always"},
                }
            }
        )
    )

    images = settings.images
    assert (images.collector_pull_policy, images.spark_pull_policy) == ("Never", "Always")
    assert (images.observer_pull_policy, images.interceptors_pull_policy) == ("Never", "Always")


def test_takes_null_for_an_empty_list_or_map() -> None:
    values = {
        "global": {"imagePullSecrets": None},
        "watchNamespaces": None,
        "operator": {"pod": None, "secretNames": None, "resources": None},
        "pods": {
            "env": None,
            "nodeSelector": None,
            "tolerations": None,
            "affinity": None,
            "topologySpreadConstraints": None,
        },
        "limits": None,
        "collector": {"namespaces": None, "resources": None},
        "observer": {"resources": None},
        "injector": {"enabled": True, "pod": {"labels": None, "env": None, "tolerations": None}, "resources": None},
        "analytics": {"namespaces": None, "driver": {"resources": None, "pod": None}},
    }
    manifests = chart.render(values)

    assert settings_of(manifests).image_pull_secrets == []
    assert "in null" not in json.dumps(manifests)


def test_takes_amounts_without_a_unit() -> None:
    amounts = {"requests": {"cpu": 1, "memory": 1_073_741_824}, "limits": {"cpu": 1.5}}
    settings = settings_of(
        chart.render(
            {
                "collector": {"resources": amounts},
                "observer": {"resources": amounts},
                "analytics": {"driver": {"resources": amounts}},
            }
        )
    )

    assert settings.collector.resources["requests"] == {"cpu": "1", "memory": "1073741824"}
    assert settings.observer.resources["limits"]["cpu"] == "1.5"
    assert settings.analytics.driver.resources["limits"]["cpu"] == "1.5"


def test_leaves_user_ids_to_the_cluster_when_told_so() -> None:
    manifests = chart.render(OPENSHIFT)

    assert settings_of(manifests).pods.run_as_user is None
    assert all("runAsUser" not in pod["spec"]["securityContext"] for pod in chart.pods(manifests))


def test_restarts_the_operator_when_its_settings_change() -> None:
    first, second = (chart.render({"limits": {"minInterval": interval}}) for interval in ("10s", "20s"))

    assert pod_annotations(first, "kwitness-operator") != pod_annotations(second, "kwitness-operator")


def test_runs_the_operator_and_nothing_else_but_what_is_enabled(values: dict[str, Any]) -> None:
    manifests = chart.render(values)

    workloads = chart.of_kind(manifests, "Deployment", "StatefulSet")
    enabled = [f"kwitness-{name}" for name in ("console", "injector") if values.get(name)]
    assert sorted(one["metadata"]["name"] for one in workloads) == [*enabled, "kwitness-operator"]


def test_leaves_the_definitions_out_when_told_so() -> None:
    assert len(chart.of_kind(chart.render(), "CustomResourceDefinition")) == 7
    assert chart.of_kind(chart.render({"crds": {"enabled": False}}), "CustomResourceDefinition") == []


def test_keeps_the_definitions_and_the_tables_at_an_uninstall(everything: dict[str, Any]) -> None:
    kept = chart.of_kind(chart.render(everything), "CustomResourceDefinition", "PersistentVolumeClaim")

    assert len(kept) == 8
    assert {one["metadata"]["annotations"]["helm.sh/resource-policy"] for one in kept} == {"keep"}


def test_puts_the_mirror_before_every_image(everything: dict[str, Any]) -> None:
    images = [container["image"] for pod in chart.pods(chart.render(everything)) for container in containers(pod)]

    assert len(images) == 4
    assert all(image.startswith("registry.example.org/mirror/") for image in images)


def test_prefers_a_digest_to_a_tag() -> None:
    digest = "sha256:" + "0" * 64

    manifests = chart.render({"images": {"operator": {"tag": "1", "digest": digest}}})

    assert {container["image"] for pod in chart.pods(manifests) for container in containers(pod)} == {
        f"kwitness/operator@{digest}"
    }


def test_says_what_watching_every_namespace_means(tmp_path: Path) -> None:
    with chart.values_file({"watchNamespaces": ["*"]}) as file:
        arguments = ("--namespace", "kwitness", "--kube-version", chart.KUBERNETES_VERSION, "--values", file.name)
        copy = chart_with_notes_as_template(tmp_path)
        answer = chart.helm("template", "kwitness", copy, *arguments, "--show-only", "templates/notes.yaml")

    assert "in EVERY namespace" in answer


def test_the_values_that_remedies_and_messages_name_exist() -> None:
    values = yaml.safe_load((chart.CHART / "values.yaml").read_text())
    texts = [one.remedy for one in reasons.REASONS] + messages()
    groups = "|".join(key for key, value in values.items() if isinstance(value, dict))
    pattern = rf"(?<=Helm value )(?:\w*[A-Z]\w*|\w+\.\w+)|(?<![\w.])(?:{groups})\.[a-z]+[A-Z]\w*"
    named_values = {path for text in texts for path in re.findall(pattern, text)}

    assert {"watchNamespaces", "limits.minInterval", "analytics.enabled", "limits.maxExecutorCores"} <= named_values
    for path in named_values:
        found: Any = values
        for key in path.split("."):
            assert key in found, f"a message names the Helm value {path}, which does not exist"
            found = found[key]


def messages() -> list[str]:
    """Texts in the sources of what is shipped, each as it is put together."""
    root = chart.CHART.parents[1]
    folders = ("contracts/src", "operator/src", "services", "spark-jobs/src")
    files = [file for folder in folders for file in (root / folder).rglob("*.py")]
    texts = [node for file in files for node in ast.walk(ast.parse(file.read_text()))]
    joined = ["".join(_constants(node)) for node in texts if isinstance(node, ast.JoinedStr)]
    return joined + [node.value for node in texts if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _constants(text: ast.JoinedStr) -> list[str]:
    return [part.value if isinstance(part, ast.Constant) else "?" for part in text.values]


def settings_of(manifests: list[chart.Manifest]) -> OperatorSettings:
    config = named(manifests, "ConfigMap", "kwitness-operator")
    return OperatorSettings.model_validate(json.loads(config["data"]["settings.json"]))


def is_of_the_cluster(one: chart.Manifest) -> bool:
    return "namespace" not in one["metadata"] and one["kind"] != "CustomResourceDefinition"


def chart_with_notes_as_template(folder: Path) -> Path:
    """`helm template` shows no notes, and an installation needs a cluster: a copy renders them as a manifest."""
    copy = folder / "kwitness"
    shutil.copytree(chart.CHART, copy)
    notes = (copy / "templates" / "NOTES.txt").read_text()
    text = '{{- define "notes" }}' + notes + '{{ end -}}\nkind: Notes\ntext: {{ include "notes" . | quote }}\n'
    (copy / "templates" / "notes.yaml").write_text(text)
    return copy
