"""What is not known changes nothing that stands, and what could abort somebody waits (docs/decisions/0105)."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import pytest

from kwitness.e2e.kafka.broker_plugin import plugin_jar
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.operator.context import Context

from tests.eventually import eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.served_collector import OLD, ServedCollector
from tests.operator.surroundings import (
    alter_broker,
    apply,
    broker_configs,
    cluster,
    collector,
    get,
    ready,
    subscription,
    until_configs,
)

pytestmark = pytest.mark.broker
DEADLY = {"metrics": ["org.apache.kafka.producer.request.latency."]}
OTHER_DEADLY = {"metrics": ["org.apache.kafka.producer.request.latency.avg"]}


async def _reason(api, namespace, reason, name="deadly"):
    return await eventually_beside(lambda: ready(api, "kcms", name, namespace), lambda now: now["reason"] == reason)


async def _looks(inventory, number=4):
    """Wait until the operator has asked so often since."""
    before = len(inventory.tokens)
    await eventually_beside(lambda: len(inventory.tokens) > before + number)


def _memory(api, namespace) -> dict[str, str]:
    return get(api, "configmap", "kwitness-cluster-main", namespace)["data"]


async def test_a_partial_answer_writes_nothing_that_could_abort_somebody(inventory, api, namespace, clean_broker):
    inventory.missing = [1]
    apply(api, subscription("deadly", namespace, **DEADLY))

    message = (await _reason(api, namespace, "RiskUnknown"))["message"]

    assert message.startswith("not on the broker yet")
    assert "replica 1 of TelemetryCollector main did not answer" in message
    assert "spec.riskPolicy Apply of KafkaCluster main accepts" in message
    await _looks(inventory)
    assert await asyncio.to_thread(broker_configs, clean_broker) == {}
    inventory.missing = []
    await _reason(api, namespace, "Applied")
    await asyncio.to_thread(until_configs, clean_broker, lambda found: len(found) == 1)


@pytest.mark.parametrize("trouble", ["partial", "broken", "suspended"])
async def test_what_stands_stays_whatever_its_spec_becomes(inventory, api, namespace, clean_broker, trouble):
    apply(api, subscription("deadly", namespace, **DEADLY))
    await _reason(api, namespace, "Applied")
    before = await asyncio.to_thread(broker_configs, clean_broker)

    if trouble == "suspended":
        api.objects.patch("ktc", "main", namespace, {"spec": {"suspend": True}})
        await eventually_beside(lambda: "NoCollector" in _inventory_reasons(api, namespace))
    else:
        inventory.missing, inventory.broken = ([0], False) if trouble == "partial" else ([], True)
    await _looks(inventory) if trouble != "suspended" else None
    assert (await _reason(api, namespace, "Applied"))["reason"] == "Applied"  # as nothing changed
    apply(api, subscription("deadly", namespace, **OTHER_DEADLY))

    assert "stays on the broker as it was" in (await _reason(api, namespace, "RiskUnknown"))["message"]
    assert await asyncio.to_thread(broker_configs, clean_broker) == before


def _inventory_reasons(api, namespace) -> list[str]:
    conditions = get(api, "kcms", "deadly", namespace)["status"]["conditions"]
    return [one["reason"] for one in conditions if one["type"] == "InventoryAvailable"]


async def test_numbers_of_a_partial_answer_are_absent_and_not_small(inventory, api, namespace):
    apply(api, subscription("basic", namespace))
    await eventually_beside(lambda: get(api, "kcms", "basic", namespace).get("status", {}).get("clients"))
    await eventually_beside(lambda: "reportingClients" in get(api, "ktc", "main", namespace).get("status", {}))

    inventory.missing = [2]

    status = await eventually_beside(
        lambda: get(api, "kcms", "basic", namespace)["status"], lambda now: "clients" not in now
    )
    assert {one["type"]: one["reason"] for one in status["conditions"]} == {
        "Ready": "Applied",
        "InventoryAvailable": "InventoryPartial",
    }
    await eventually_beside(lambda: "reportingClients" not in get(api, "ktc", "main", namespace)["status"])


async def test_a_sighting_in_a_partial_answer_withdraws(inventory, api, namespace, clean_broker):
    apply(api, subscription("deadly", namespace, **DEADLY))
    await _reason(api, namespace, "Applied")

    inventory.missing = [1]
    inventory.see()

    await _reason(api, namespace, "ClientsAtRisk")
    await asyncio.to_thread(until_configs, clean_broker, lambda found: found == {})


async def test_a_broker_that_nothing_is_heard_of_may_have_anybody_connected(
    api, namespace, another_namespace, tmp_path
):
    quiet = {"kwitness.collector.url": "http://127.0.0.1:1", "kwitness.collector.insecure.plaintext": "true"}
    with LocalBroker("4.3.1", plugin=plugin_jar(), overrides=quiet) as broker:
        apply(
            api,
            cluster("main", namespace, broker.bootstrap, allowedNamespaces={"from": "All"}),
            collector("main", namespace),
            collector("other", another_namespace, clusterRef={"name": "main", "namespace": namespace}),
            subscription("deadly", namespace, **DEADLY),
            subscription("basic", namespace),
        )
        served, elsewhere = ServedCollector(broker.cluster_id), ServedCollector(broker.cluster_id)
        served.state["brokers"] = []
        async with served.serving() as url, elsewhere.serving() as other_url:

            def answer_here(context: Context) -> None:
                context.collector_url = lambda key, _encrypted: url if key.name == "main" else other_url

            def warned() -> str:
                warnings = get(api, "kfc", "main", namespace).get("status", {}).get("warnings", [])
                return next((found["message"] for found in warnings if found["type"] == "ReportedElsewhere"), "")

            both = settings_of(namespace, tmp_path, watch_namespaces=[namespace, another_namespace])
            async with operating(api, both, answer_here):
                message = (await _reason(api, namespace, "RiskUnknown"))["message"]
                assert "hears nothing from the plugin of broker 1" in message
                await _reason(api, namespace, "Applied", "basic")  # with the safe prefix alone
                assert f"of broker 1 to TelemetryCollector {another_namespace}/other" in await eventually_beside(warned)
                served.state["brokers"] = [{"broker_id": "1", "last_heartbeat_ms": 1}]
                await _reason(api, namespace, "Applied")
                await eventually_beside(warned, lambda now: now == "")


async def test_without_a_collector_the_message_says_what_to_do(api, namespace, clean_broker, tmp_path):
    apply(
        api,
        cluster("main", namespace, clean_broker.bootstrap, riskPolicy="Apply"),
        subscription("deadly", namespace, **DEADLY, riskPolicy="Hold"),
        subscription("accepted", namespace, **DEADLY),
        subscription("everything", namespace, metrics=["*"], match=[{"selector": "clientId", "pattern": "x"}]),
    )
    async with operating(api, settings_of(namespace, tmp_path), lambda _: None):
        message = (await _reason(api, namespace, "RiskUnknown"))["message"]
        assert f"no TelemetryCollector of namespace {namespace} names KafkaCluster main: apply one there" in message
        assert "riskPolicy Apply accepts" in message
        await _reason(api, namespace, "Applied", "accepted")
        await _reason(api, namespace, "Applied", "everything")


async def test_a_deletion_that_takes_protection_away_waits_for_knowledge(inventory, api, namespace, clean_broker):
    apply(api, subscription("safe", namespace, metrics=["*"]))
    await _reason(api, namespace, "Applied", "safe")
    await asyncio.to_thread(alter_broker, clean_broker, "theirs", {"metrics": "x."})
    inventory.missing = [1]
    await _looks(inventory)
    api.objects.delete("kcms", "safe", namespace=namespace)

    def held() -> list[dict[str, Any]]:
        warnings = get(api, "kfc", "main", namespace)["status"].get("warnings", [])
        return [one for one in warnings if one["type"] == "DeletionHeld"]

    assert "not known who is connected" in (await eventually_beside(held))[0]["message"]
    inventory.missing = []
    await asyncio.to_thread(until_configs, clean_broker, lambda found: set(found) == {"theirs"})
    await asyncio.to_thread(alter_broker, clean_broker, "theirs", None)


async def test_software_at_risk_is_remembered_by_a_new_operator_whatever_is_lost(
    served, api, namespace, clean_broker, tmp_path
):
    collector, answer_here = served
    collector.see()
    async with operating(api, settings_of(namespace, tmp_path), answer_here):
        rows = await eventually_beside(
            lambda: json.loads(_memory_or_nothing(api, namespace).get("software-at-risk.json", "[]"))
        )
    assert [(row["name"], row["version"]) for row in rows] == [OLD]
    assert rows[0]["lastSeen"].endswith(":00:00Z")
    assert _memory(api, namespace)["cluster-id"] == clean_broker.cluster_id

    collector.state["software"] = []  # its volume was lost with its pod
    api.objects.patch("kfc", "main", namespace, {"status": None}, subresource="status")
    apply(api, subscription("deadly", namespace, **DEADLY))
    async with operating(api, settings_of(namespace, tmp_path), answer_here):
        assert OLD[1] in (await _reason(api, namespace, "ClientsAtRisk"))["message"]
        await _looks(collector)
        assert await asyncio.to_thread(broker_configs, clean_broker) == {}


def _memory_or_nothing(api, namespace) -> dict[str, str]:
    with contextlib.suppress(Exception):
        return _memory(api, namespace)
    return {}


async def test_a_memory_that_cannot_be_read_holds_and_is_left_alone(served, api, namespace, clean_broker, tmp_path):
    _, answer_here = served
    async with operating(api, settings_of(namespace, tmp_path), answer_here):
        await eventually_beside(lambda: _memory_or_nothing(api, namespace))
    api.objects.patch("configmap", "kwitness-cluster-main", namespace, {"data": {"software-at-risk.json": "not ours"}})
    apply(api, subscription("deadly", namespace, **DEADLY))
    async with operating(api, settings_of(namespace, tmp_path), answer_here):
        message = (await _reason(api, namespace, "RiskUnknown"))["message"]
        assert "ConfigMap kwitness-cluster-main cannot be read" in message
        assert _memory(api, namespace)["software-at-risk.json"] == "not ours"
        api.objects.delete("configmap", "kwitness-cluster-main", namespace=namespace)
        await _reason(api, namespace, "Applied")


async def test_the_message_says_how_many_connections_hold_it_back(inventory, api, namespace):
    inventory.see()
    inventory.state["software"][0]["connections"] = 7
    apply(api, subscription("deadly", namespace, **DEADLY))
    assert "2.5.0-rdkafka-2.5.0 (7 connections now)" in (await _reason(api, namespace, "ClientsAtRisk"))["message"]
