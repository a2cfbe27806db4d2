"""How an installation is read: images, Deployments, a page of metrics."""

from __future__ import annotations

import pytest

from kwitness.answers.access.installation_access import deployment_facts, release_of, sample_of
from kwitness.answers.checks.facts import DeploymentFacts


@pytest.mark.parametrize(
    ("image", "tag"),
    [
        ("kwitness/collector:0.1.0", "0.1.0"),
        ("registry.example.org:5000/kwitness/collector:0.1.0", "0.1.0"),
        ("registry.example.org:5000/kwitness/collector", None),
        ("kwitness/collector:0.1.0@sha256:abc", "0.1.0"),
        ("kwitness/collector@sha256:abc", None),
        ("kwitness/collector:d7d35b4d1eed", None),
        ("", None),
    ],
)
def test_the_version_of_an_image_is_its_tag_where_that_is_of_a_release(image: str, tag: str | None) -> None:
    assert release_of(image) == tag


def test_a_deployment_says_why_it_is_not_available() -> None:
    body = {
        "metadata": {"name": "o", "namespace": "n", "labels": {"app.kubernetes.io/version": "0.1.0"}},
        "spec": {"replicas": 2},
        "status": {
            "readyReplicas": 1,
            "conditions": [
                {"type": "Progressing", "status": "False", "message": "too slow"},
                {"type": "Available", "status": "False", "message": "no minimum"},
            ],
        },
    }
    available = {**body, "status": {"conditions": [{"type": "Available", "status": "True", "message": "fine"}]}}

    assert deployment_facts(body) == DeploymentFacts("o", "n", "0.1.0", wanted=2, ready=1, message="no minimum")
    assert deployment_facts(available).message == ""
    assert deployment_facts({"metadata": {"name": "o", "namespace": "n"}}) == DeploymentFacts("o", "n")


def test_a_metric_is_found_on_a_page_by_its_whole_name() -> None:
    page = "# HELP a_b x\n# TYPE a_b gauge\na_b_total 3.0\na_b 1.7e+09\n"

    assert sample_of(page, "a_b") == 1.7e9
    assert sample_of(page, "a") is None
    assert sample_of("a_b 0.0\n", "a_b") is None, "before the first certificate it is 0"
    assert sample_of("<html>", "a_b") is None
