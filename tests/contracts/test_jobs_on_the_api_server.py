"""AnalyticsJobs on a real API server: what cannot be changed, what is shown, and how parameters are refused."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.e2e.api_server import ApiServer

from tests.contracts.creation import create
from tests.contracts.resource_cases import resource
from tests.merge_patch import merged


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("analyses[0].type", {"analyses": {0: {"type": "Traffic"}}}),
        ("analyses", {"analyses": {0: {"table": "other"}}}),
        ("clusterRef", {"clusterRef": {"name": "other"}}),
        ("clusterRef", {"clusterRef": {"namespace": "elsewhere"}}),
    ],
)
def test_what_a_job_computes_from_where_and_where_to_cannot_be_changed(
    api_with_crds: ApiServer, field: str, changes: dict[str, Any]
) -> None:
    job = resource("AnalyticsJob")
    path = "/apis/kwitness.dev/v1beta1/namespaces/default/analyticsjobs"
    api_with_crds.request("POST", path, json=job)

    answer = api_with_crds.request(
        "PATCH",
        f"{path}/example",
        json=merged(job, {"spec": changes}),
        headers={"Content-Type": "application/merge-patch+json"},
    )
    api_with_crds.request("DELETE", f"{path}/example")

    assert answer.status_code == 422
    assert f"spec.{field}: Invalid value" in answer.json()["message"]
    assert "cannot be changed: make another AnalyticsJob" in answer.json()["message"]


def test_kubectl_get_shows_the_analysis_of_a_job(api_with_crds: ApiServer) -> None:
    job = resource("AnalyticsJob")
    job["metadata"]["name"] = "columns"
    objects = api_with_crds.objects
    objects.apply(job, namespace="default")
    known = {"phase": "Running", "lag": {"records": 42}, "lastRun": {"succeeded": True}, "findingsTotal": 3}
    (analysis,) = job["spec"]["analyses"]
    status = {"analyses": [{"table": analysis["table"], "type": analysis["type"], **known}]}
    objects.patch("kaj", "columns", "default", {"status": status}, subresource="status")

    row = api_with_crds.kubectl("get", "kaj", "columns", "--no-headers")
    objects.delete("kaj", "columns", namespace="default")

    assert row.split()[1:-1] == ["ClientInventory", "Running", "42", "true", "3"]


@pytest.mark.parametrize(
    ("case", "answer"),
    [
        ("parameters client inventory of another type", "type Traffic takes parameters.traffic and no other"),
        ("type mirror audit without parameters", "type MirrorAudit needs parameters.mirrorAudit and no other"),
    ],
)
def test_parameters_of_another_type_are_answered_with_those_of_this_one(
    api_with_crds: ApiServer, case: str, answer: str
) -> None:
    message = create(api_with_crds, resource("AnalyticsJob", case)).json()["message"]

    assert f"parameters must be those of the type: {answer}" in message
