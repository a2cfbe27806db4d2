"""Resources that a pod reports for: those of its own namespace, and others where the installation lets them act."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kwitness.collector.claims import may_act_in
from kwitness.contracts.collector_config import OtherNamespacesConfig

from tests.collector.collector_process import INTERCEPTOR, SIDECAR, CollectorProcess
from tests.collector.collector_samples import CLUSTER
from tests.collector.event_samples import of_sidecar, request, row, totals
from tests.collector.interceptor_samples import intercepted, interceptors_request
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
FORGED = {"namespace": "platform", "name": "front"}
CLAIMS = {
    "an observer": (
        SIDECAR,
        request([row(1)], totals=[totals(2)], **{**of_sidecar(), "observer": {**FORGED, "mode": "sidecar"}}),
        "ObserverDeployment",
        "stranger",
    ),
    "interceptors": (
        INTERCEPTOR,
        interceptors_request(totals=[intercepted(1)], profile=FORGED),
        "InterceptorProfile",
        "shop",
    ),
}
each_claim = pytest.mark.parametrize(("token", "body", "kind", "namespace"), CLAIMS.values(), ids=CLAIMS)


def letting(resource_namespace: str, pod_namespace: str) -> dict[str, Any]:
    """Part of the configuration's `ingest`."""
    return {"other_namespaces": {"from_namespaces": [resource_namespace], "to_namespaces": [pod_namespace]}}


@each_claim
def test_a_report_for_a_resource_that_may_not_act_there_is_refused_and_leaves_nothing(
    start: Start, token: str, body: bytes, kind: str, namespace: str
) -> None:
    collector = start(ingest=letting("platform", "another"))

    answer = collector.observe(body, token=token)

    assert (answer.status, answer.body["error"]["reason"]) == (403, "ResourceNotAllowed")
    for text in (f"namespace {namespace},", f"{kind} platform/front", "injector.otherNamespaces.from"):
        assert text in answer.body["error"]["message"]
    state = collector.get(f"/v1/clusters/{CLUSTER}").body
    assert (state["observers"], state.get("interceptors", [])) == ([], [])
    assert [labels for series in collector.scrape().values() for labels in series if ("name", "front") in labels] == []
    assert collector.value("kafka_client_records_total") is None
    assert collector.value("kafka_client_interceptor_sent_records_total") is None


@each_claim
def test_it_is_accepted_once_the_installation_allows_it(
    start: Start, token: str, body: bytes, kind: str, namespace: str
) -> None:
    collector = start()
    assert collector.observe(body, token=token).status == 403, kind

    collector.write_config(ingest={**collector.config["ingest"], **letting("platform", namespace)})

    assert eventually(lambda: collector.observe(body, token=token).status, lambda status: status != 403) == 200


@each_claim
def test_it_is_refused_at_whichever_replica_it_arrives(
    pair: list[CollectorProcess], token: str, body: bytes, kind: str, namespace: str
) -> None:
    answers = [collector.observe(body, token=token) for collector in pair]

    reasons = [(answer.status, answer.body["error"]["reason"]) for answer in answers]
    assert reasons == [(403, "ResourceNotAllowed")] * 2, (kind, namespace)


@pytest.mark.parametrize(
    ("pod_namespace", "resource_namespace", "others", "may"),
    [
        ("shop", "shop", None, True),
        ("shop", "platform", None, False),
        ("shop", "platform", (("platform",), ("shop",)), True),
        ("shop", "platform", (("platform",), ("*",)), True),
        ("shop", "platform", (("platform",), ("billing",)), False),
        ("shop", "billing", (("platform",), ("*",)), False),
        ("platform", "shop", (("platform",), ("shop",)), False),
        ("platform", "platform", (("billing",), ("shop",)), True),
        ("shop", "*", (("platform",), ("*",)), False),
    ],
)
def test_a_resource_may_act_in_its_own_namespace_and_in_those_that_are_allowed(
    pod_namespace: str, resource_namespace: str, others: tuple[tuple[str, ...], tuple[str, ...]] | None, *, may: bool
) -> None:
    config = OtherNamespacesConfig(from_namespaces=others[0], to_namespaces=others[1]) if others else None

    assert may_act_in(pod_namespace, resource_namespace, config) is may
