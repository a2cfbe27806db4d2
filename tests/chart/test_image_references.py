"""An image is named by its digest wherever the chart, the operator or a policy names it."""

from __future__ import annotations

import json

from kwitness.e2e import chart
from kwitness.operator.settings import OperatorSettings

from tests.chart.manifests import containers, named

REGISTRY = "registry.example.org:5000/mirror"
IMAGES = {
    "operator": "operator",
    "collector": "collector",
    "observer": "observer",
    "observerHost": "observer-host",
    "interceptors": "interceptors",
    "injector": "injector",
    "console": "console",
    "spark": "spark",
    "sparkS3a": "spark-s3a",
}
DIGESTS = {key: f"sha256:{number:064x}" for number, key in enumerate(IMAGES, 1)}
VALUES = {
    "global": {"imageRegistry": REGISTRY},
    "images": {key: {"tag": "moved", "digest": digest} for key, digest in DIGESTS.items()},
    "injector": {"enabled": True},
    "monitoring": {"serviceMonitor": {"enabled": True}},
}


def reference(key: str) -> str:
    return f"{REGISTRY}/kwitness/{IMAGES[key]}@{DIGESTS[key]}"


def test_a_digest_wins_over_the_tag_wherever_an_image_is_named() -> None:
    manifests = chart.render(VALUES)

    pods = {
        container["image"]
        for pod in chart.pods(manifests)
        for container in [*containers(pod), *pod["spec"].get("initContainers", [])]
    }
    assert {reference("operator"), reference("injector")} <= pods
    text = named(manifests, "ConfigMap", "kwitness-operator")["data"]["settings.json"]
    images = OperatorSettings.model_validate_json(text).images
    assert images.collector == reference("collector")
    assert images.observer == reference("observer")
    assert images.observer_host == reference("observerHost")
    assert images.interceptors == reference("interceptors")
    assert images.spark == reference("spark")
    policies = json.dumps(chart.of_kind(manifests, "ValidatingAdmissionPolicy"))
    assert f"image == '{reference('spark')}'" in policies
    assert ":moved" not in json.dumps(manifests)


def test_the_image_for_object_stores_is_allowed_to_executors_by_its_digest() -> None:
    manifests = chart.render({**VALUES, "analytics": {"tableRoot": "s3a://tables/kwitness"}})

    policies = json.dumps(chart.of_kind(manifests, "ValidatingAdmissionPolicy"))
    assert f"image == '{reference('sparkS3a')}'" in policies
    assert ":moved" not in json.dumps(manifests)
