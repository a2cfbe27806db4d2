"""Children are watched by our label: they are put right within seconds, and what others have is not listed.

Lists and comparisons are minutes away here, so nothing but a watch can tell.
"""

from __future__ import annotations

import time
from urllib.parse import parse_qs, urlparse

import pytest

from tests.eventually import eventually
from tests.operator.conftest import at_the_resync
from tests.operator.surroundings import apply, cluster, collector, gateway, get, may, until_reason

pytestmark = pytest.mark.broker

SOON_S = 5.0
"""Of stillness, which what the operator logs may prolong to ten times that: still less than until the next list."""
CHILD = "kwitness-collector-main"
LABEL = "kwitness.dev/managed"


@pytest.fixture
def standing(api, namespace, clean_broker, start_operator):
    """A collector that stands, and the operator that made it."""
    apply(api, cluster("main", namespace, clean_broker.bootstrap), collector("main", namespace))
    operator = start_operator()
    until_reason(api, "ktc", "main", namespace, "Progressing")
    eventually(lambda: "kwitness_children_watched{" in operator.probe("/metrics")[1])
    return operator


def test_a_child_that_was_changed_or_deleted_by_hand_is_back_within_seconds(standing, api, namespace):
    apply(api, gateway("orders", namespace))
    eventually(lambda: "kwitness-gateway-orders" in api.objects.names("deploy", namespace))
    for kind, child in (("sts", CHILD), ("deploy", "kwitness-gateway-orders")):
        made = get(api, kind, child, namespace)
        api.objects.patch(kind, child, namespace, {"spec": {"replicas": 5}}, subresource="scale")
        eventually(
            lambda kind=kind, child=child: get(api, kind, child, namespace)["spec"]["replicas"],
            lambda now, made=made: now == made["spec"]["replicas"],
            still_s=SOON_S,
        )
        api.objects.delete(kind, child, namespace=namespace)
        eventually(
            lambda kind=kind, child=child: api.objects.find(kind, child, namespace),
            lambda found, made=made: found is not None and found["metadata"]["uid"] != made["metadata"]["uid"],
            still_s=SOON_S,
        )


def test_a_child_that_lost_its_label_or_its_owner_gets_it_back_within_seconds(standing, api, namespace):
    for path in (f"/metadata/labels/{LABEL.replace('/', '~1')}", "/metadata/ownerReferences"):
        patch = [{"op": "remove", "path": path}]
        api.objects.patch("sts", CHILD, namespace, patch, how="json")
        eventually(
            lambda: get(api, "sts", CHILD, namespace)["metadata"],
            lambda found: (
                found.get("labels", {}).get(LABEL) == "true"
                and [one["name"] for one in found.get("ownerReferences", ())] == ["main"]
            ),
            still_s=SOON_S,
        )


def test_pods_that_are_ready_are_in_the_status_within_seconds(standing, api, namespace):
    generation = get(api, "sts", CHILD, namespace)["metadata"]["generation"]
    ready = {"replicas": 1, "readyReplicas": 1, "availableReplicas": 1, "updatedReplicas": 1}
    status = {"status": {**ready, "observedGeneration": generation}}
    api.objects.patch("sts", CHILD, namespace, status, subresource="status")
    eventually(lambda: get(api, "ktc", "main", namespace)["status"].get("readyReplicas") == 1, still_s=SOON_S)


def test_what_others_have_is_not_listed(api, namespace, clean_broker, start_operator):
    since = api.audit_end()
    apply(api, cluster("main", namespace, clean_broker.bootstrap), collector("main", namespace))
    operator = start_operator()
    until_reason(api, "ktc", "main", namespace, "Progressing")
    eventually(lambda: "kwitness_children_watched{" in operator.probe("/metrics")[1])

    asked = [
        (event["objectRef"]["resource"], parse_qs(urlparse(event["requestURI"]).query).get("labelSelector", []))
        for event in api.audit(since)
        if event["user"].get("username") == "operator"
        and event["verb"] in {"list", "watch"}
        and event["objectRef"].get("apiGroup") != "kwitness.dev"
    ]

    assert {resource for resource, _ in asked} == {"statefulsets", "deployments", "jobs", "cronjobs", "pods"}
    assert {tuple(selector) for _, selector in asked} == {(f"{LABEL}=true",)}


@at_the_resync
def test_where_children_may_not_be_watched_they_are_still_compared_and_a_metric_says_so(
    standing, api, namespace, start_operator
):
    def watched(operator) -> dict[str, str]:
        lines = operator.probe("/metrics")[1].splitlines()
        found = (line.rpartition(" ") for line in lines if line.startswith("kwitness_children_watched{"))
        return {labels.partition('resource="')[2].partition('"')[0]: value for labels, _, value in found}

    eventually(lambda: watched(standing).get("statefulsets") == "1.0")
    standing.stop()
    role = get(api, "role", "kwitness-operator", namespace)
    for rule in role["rules"]:
        rule["resources"] = [one for one in rule["resources"] if one != "statefulsets"]
    verbs = ["get", "create", "patch", "delete"]
    role["rules"] = [one for one in role["rules"] if one["resources"]]
    role["rules"].append({"apiGroups": ["apps"], "resources": ["statefulsets"], "verbs": verbs})
    api.objects.replace(role)
    eventually(lambda: not may(api, "operator", "list", "statefulsets.apps", namespace))
    operator = start_operator()
    eventually(lambda: watched(operator), lambda now: now.get("statefulsets") == "0.0" and now.get("jobs") == "1.0")

    api.objects.delete("sts", CHILD, namespace=namespace)

    eventually(lambda: CHILD in api.objects.names("sts", namespace))


def test_whoever_keeps_changing_a_child_makes_no_endless_quarrel(standing, api, namespace):
    def scale(replicas: int) -> None:
        api.objects.patch("sts", CHILD, namespace, {"spec": {"replicas": replicas}})

    since = api.audit_end()
    ends = time.monotonic() + 10
    while time.monotonic() < ends:
        if get(api, "sts", CHILD, namespace)["spec"]["replicas"] == 1:
            scale(5)

    repairs = [
        event
        for event in api.audit(since)
        if event["user"].get("username") == "operator"
        and event["verb"] == "patch"
        and event["objectRef"]["resource"] == "statefulsets"
    ]
    assert 1 <= len(repairs) <= 5
