"""AnalyticsJobs of v1alpha1 as v1beta1 has them."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from kwitness.contracts.conversion.v1alpha1 import to_v1beta1
from kwitness.contracts.resources.analytics_job import AnalyticsJob

METADATA = {"name": "cost", "namespace": "kwitness"}


def job(metadata: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    analysis = {"type": "ClientInventory", "table": "clients", "run": {"streaming": {}}}
    return {
        "apiVersion": "kwitness.dev/v1alpha1",
        "kind": "AnalyticsJob",
        "metadata": {**METADATA, **(metadata or {})},
        "spec": {"clusterRef": {"name": "orders"}, **analysis, **spec},
    }


def test_what_is_of_one_analysis_is_in_an_item_and_the_rest_stays() -> None:
    parameters = {"clientInventory": {"forgetAfter": "48h"}}
    executors = {"instances": 2}

    converted = to_v1beta1(job(window="1m", parameters=parameters, executors=executors, suspend=True))

    assert converted == {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "AnalyticsJob",
        "metadata": METADATA,
        "spec": {
            "analyses": [
                {
                    "type": "ClientInventory",
                    "table": "clients",
                    "run": {"streaming": {}},
                    "window": "1m",
                    "parameters": parameters,
                }
            ],
            "clusterRef": {"name": "orders"},
            "executors": executors,
            "suspend": True,
        },
    }


def test_references_are_objects_and_groups_are_identity_keys() -> None:
    costs = {
        "trafficJob": "traffic",
        "headerDriftJob": "drift",
        "rateCard": {"name": "kwitness-rates", "key": "rates.yaml"},
        "groupBy": ["Header", "Principal", "ClientId", "Namespace", "Workload"],
        "header": "charge.tag",
    }

    converted = to_v1beta1(job(type="CostAttribution", parameters={"costAttribution": costs}))

    assert converted["spec"]["analyses"][0]["parameters"]["costAttribution"] == {
        "trafficJobRef": {"name": "traffic"},
        "headerDriftJobRef": {"name": "drift"},
        "rateCardConfigMapRef": {"name": "kwitness-rates", "key": "rates.yaml"},
        "groupBy": ["Header", "principal", "client_id", "k8s_namespace", "k8s_workload"],
        "header": "charge.tag",
    }
    AnalyticsJob.model_validate(converted)


def test_the_cluster_that_an_annotation_accepts_is_in_the_spec() -> None:
    accepted = {"kwitness.dev/accept-cluster-id": "new", "kwitness.dev/pause": "true"}

    converted = to_v1beta1(job({"annotations": accepted}))

    assert converted["spec"]["clusterId"] == "new"
    assert converted["metadata"]["annotations"] == {"kwitness.dev/pause": "true"}
    alone = to_v1beta1(job({"annotations": {"kwitness.dev/accept-cluster-id": "new"}}))
    assert "annotations" not in alone["metadata"]


def test_the_status_is_left_out_and_nothing_that_was_given_changes() -> None:
    given = {**job({"annotations": {"kwitness.dev/accept-cluster-id": "new"}}), "status": {"phase": "Running"}}
    before = deepcopy(given)

    assert "status" not in to_v1beta1(given)
    assert given == before
