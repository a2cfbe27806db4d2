"""What AnalyticsJobs read besides topics, on a real API server: other jobs, ConfigMaps, owners, a second cluster."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
import yaml

from kwitness.e2e.api_server import ApiServer
from kwitness.operator.kinds.analytics_job import inputs

from tests.eventually import eventually, eventually_beside, remains
from tests.operator.conftest import at_the_resync
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import analytics_job, apply, cluster, get, ready, until_reason

pytestmark = pytest.mark.broker

OWNERS = {"owners": [{"team": "orders", "match": {"topic": "orders.*"}}]}
RATES = {"currency": "EUR", "bytesInPerGiB": 12_000}


def _job(namespace: str, name: str, kind: str, **spec: Any) -> dict[str, Any]:
    return analytics_job(name, namespace, type=kind, **spec)


def _file(namespace: str, name: str, key: str, document: Any) -> dict[str, Any]:
    data = {key: yaml.safe_dump(document)}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": data}


def _owners(namespace: str, document: Any) -> dict[str, Any]:
    return _file(namespace, "kwitness-owners", "owners.yaml", document)


def _rates(namespace: str, **rates: Any) -> dict[str, Any]:
    return _file(namespace, "kwitness-rates", "rate-card.yaml", {**RATES, **rates})


def _warnings(api: ApiServer, namespace: str) -> dict[str, str]:
    found = get(api, "kfc", "main", namespace).get("status", {}).get("warnings", [])
    return {one["type"]: one["message"] for one in found}


def _conditions(api: ApiServer, name: str, namespace: str) -> dict[str, str]:
    found = get(api, "kaj", name, namespace).get("status", {}).get("conditions", [])
    return {one["type"]: f"{one['reason']}: {one['message']}" for one in found}


OWNED = {"owners": {"configMapRef": {"name": "kwitness-owners"}}}


@at_the_resync
def test_a_cluster_says_what_is_wrong_with_its_owners(api, namespace, broker, start_operator):
    apply(api, cluster("main", namespace, broker.bootstrap, **OWNED))
    start_operator()
    until_reason(api, "kfc", "main", namespace, "Connected")

    def told(kind: str, words: str) -> None:
        eventually(lambda: words in _warnings(api, namespace).get(kind, ""))

    told("InvalidOwners", f"there is no ConfigMap kwitness-owners in namespace {namespace}: apply it")
    apply(api, _owners(namespace, {"owners": [{"team": "orders"}]}))
    told(
        "InvalidOwners",
        "line 2, owners entry 1 match: is missing: add it; until then analyses and clients name no owners",
    )
    narrow = {"team": "new", "match": {"topic": "orders.new"}}
    apply(api, _owners(namespace, {"owners": [*OWNERS["owners"], narrow]}))
    told("OverlappingOwners", "entry 2 (new) with entry 1 (orders)")
    assert "InvalidOwners" not in _warnings(api, namespace)
    apply(api, _owners(namespace, {"owners": [narrow, {"team": "shop", "match": {"topic": "shop"}}]}))
    eventually(lambda: not {"InvalidOwners", "OverlappingOwners"} & _warnings(api, namespace).keys())


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody watches is looked at every second."""
    monkeypatch.setattr(inputs, "SETTLED_SECONDS", 1.0)


@pytest.mark.usefixtures("impatient")
async def test_costs_wait_for_what_they_are_told_from_and_take_up_its_changes(api, namespace, broker, tmp_path):
    references = {"trafficJobRef": {"name": "traffic"}, "rateCardConfigMapRef": {"name": "kwitness-rates"}}
    apply(
        api,
        cluster("main", namespace, broker.bootstrap, **OWNED),
        _job(namespace, "costs", "CostAttribution", parameters={"costAttribution": references}),
    )

    def said() -> dict[str, str]:
        return _conditions(api, "costs", namespace)

    def file() -> dict[str, Any]:
        return json.loads(get(api, "configmap", "kwitness-job-costs", namespace)["data"]["job.json"])

    def versions() -> list[str]:
        kinds = "kfc,kaj,configmap,sts,service,networkpolicy"
        return [one["metadata"]["resourceVersion"] for one in _list(api, namespace, kinds)]

    async with operating(api, settings_of(namespace, tmp_path), lambda _context: None):
        await eventually_beside(lambda: "NoInput: there is no AnalyticsJob traffic" in said().get("Ready", ""))
        apply(api, _job(namespace, "traffic", "UnusedTopics", run={"once": {}}))
        await eventually_beside(lambda: "InputInvalid: AnalyticsJob traffic is of type UnusedTopics" in said()["Ready"])
        api.objects.delete("kaj", "traffic", namespace=namespace)
        apply(api, _job(namespace, "traffic", "Traffic"))
        await eventually_beside(lambda: "NoInput: there is no ConfigMap kwitness-rates" in said()["Ready"])
        assert not [one for one in _list(api, namespace, "sts") if one["metadata"]["name"] == "kwitness-job-costs"]

        apply(api, _rates(namespace))
        await eventually_beside(lambda: said()["Ready"].startswith("Starting"))
        assert "no bytesOutPerGiB, requestsPerMillion, storedPerGiBMonth" in said()["RatesComplete"]
        assert said()["OwnersKnown"].startswith("OwnersUnusable: rows name no owners: there is no ConfigMap")
        assert file()["input_tables"]["Traffic"].endswith(f"/{namespace}/traffic/table")
        assert (file()["rate_card"]["bytes_in_per_gib"], "owners" in file()) == (12_000, False)
        before = get(api, "sts", "kwitness-job-costs", namespace)["metadata"]["generation"]

        apply(api, _owners(namespace, OWNERS), _rates(namespace, bytesInPerGiB=7))
        await eventually_beside(lambda: file()["rate_card"]["bytes_in_per_gib"] == 7)
        await eventually_beside(lambda: "owners" in file() and said()["OwnersKnown"] == "OwnersKnown: 1 entries")
        assert file()["owners"]["owners"][0]["team"] == "orders"
        later = get(api, "sts", "kwitness-job-costs", namespace)["metadata"]["generation"]
        assert later > before, "a driver starts again with what it reads now"

        await eventually_beside(lambda: not {"InvalidOwners"} & _warnings(api, namespace).keys())
        still = versions()
        await asyncio.to_thread(remains, versions, lambda now: now == still, seconds=4)


@pytest.mark.usefixtures("impatient")
async def test_a_mirror_that_is_its_source_is_refused(api, namespace, broker, tmp_path):
    target = {"clusterRef": {"name": "mirror"}}
    run = {"schedule": {"cron": "@daily"}}
    apply(
        api,
        cluster("main", namespace, broker.bootstrap),
        _job(namespace, "audit", "MirrorAudit", run=run, parameters={"mirrorAudit": {"target": target}}),
    )

    async with operating(api, settings_of(namespace, tmp_path), lambda _context: None):
        await eventually_beside(lambda: ready(api, "kaj", "audit", namespace)["reason"] == "ClusterNotReady")
        message = ready(api, "kaj", "audit", namespace)["message"]
        assert "there is no KafkaCluster mirror" in message
        assert "spec.analyses[0].parameters.mirrorAudit.target.clusterRef" in message
        apply(api, cluster("mirror", namespace, broker.bootstrap))
        await eventually_beside(lambda: ready(api, "kaj", "audit", namespace)["reason"] == "MirrorIsSource")
        assert _list(api, namespace, "cronjob") == []

        # Two installations on the same brokers are two sides, by their topics.
        apply(api, cluster("mirror", namespace, broker.bootstrap, topics={"prefix": f"{namespace}."}))
        await eventually_beside(lambda: ready(api, "kaj", "audit", namespace)["reason"] == "Scheduled")
        told = json.loads(get(api, "configmap", "kwitness-job-audit", namespace)["data"]["job.json"])
        assert told["second"]["topics"]["traffic"] == f"{namespace}.traffic"


def _list(api: ApiServer, namespace: str, kinds: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.objects.items(kinds, namespace)
    return found
