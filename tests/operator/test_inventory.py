"""What the collector knows decides what is applied: clients that would abort hold a subscription back."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import Any

import pytest

from kwitness.contracts.envelopes import ClusterSubscriptions
from kwitness.contracts.own_metrics import own_metric
from kwitness.operator.context import Context
from kwitness.operator.metrics import OutdatedClients
from kwitness.operator.reconcile.outdated_clients import connections_below

from tests.eventually import eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import (
    alter_broker,
    apply,
    audiences,
    broker_configs,
    cluster,
    gateway,
    get,
    ready,
    subscription,
    until_configs,
)

pytestmark = pytest.mark.broker
DEADLY = {"metrics": ["org.apache.kafka.producer.request.latency."]}


async def _reason(api, namespace, name, reason):
    return await eventually_beside(lambda: ready(api, "kcms", name, namespace), lambda now: now["reason"] == reason)


async def test_numbers_come_from_the_collector_with_the_operators_token(inventory, api, namespace):
    apply(api, subscription("basic", namespace))
    await eventually_beside(lambda: get(api, "kcms", "basic", namespace).get("status", {}).get("clients"))
    status = get(api, "kcms", "basic", namespace)["status"]
    assert status["clients"] == {"asking": 3, "matching": 2, "pushing": 2, "source": "Plugin"}
    assert {one["type"]: one["reason"] for one in status["conditions"]} == {
        "Ready": "Applied",
        "InventoryAvailable": "InventoryAvailable",
    }
    [bearer] = set(inventory.tokens)
    assert audiences(bearer.removeprefix("Bearer ")) == [f"kwitness-inventory.{namespace}.main"]


async def test_a_collector_in_trouble_is_named_without_its_words(inventory, api, namespace):
    inventory.broken = True
    apply(api, subscription("basic", namespace))

    def condition():
        found = get(api, "kcms", "basic", namespace).get("status", {}).get("conditions", [])
        return next((one for one in found if one["reason"] == "CollectorUnreachable"), None)

    assert "canary" not in (await eventually_beside(condition))["message"]
    assert ready(api, "kcms", "basic", namespace)["reason"] == "Applied"


async def test_a_dangerous_subscription_is_held_and_says_how_to_make_it_safe(inventory, api, namespace, clean_broker):
    inventory.see()
    apply(api, subscription("deadly", namespace, **DEADLY))
    message = (await _reason(api, namespace, "deadly", "ClientsAtRisk"))["message"]
    assert "would abort: confluent-kafka-python 2.5.0-rdkafka-2.5.0" in message
    assert "make spec.metrics just org.apache.kafka. or *" in message
    assert await asyncio.to_thread(broker_configs, clean_broker) == {}
    status = get(api, "kcms", "deadly", namespace)["status"]
    assert status["atRiskClients"][0]["librdkafkaVersion"] == "2.5.0"


async def test_a_client_that_cannot_be_told_from_a_crashing_one_holds_too(inventory, api, namespace, clean_broker):
    inventory.see("a-name-of-its-own", "2.5.1")
    apply(api, subscription("deadly", namespace, **DEADLY))
    message = (await _reason(api, namespace, "deadly", "ClientsAtRisk"))["message"]
    assert "might abort: a-name-of-its-own 2.5.1" in message
    inventory.see("a-name-of-its-own", "1.0")
    apply(api, cluster("main", namespace, clean_broker.bootstrap, riskWindow="1s"))
    await _reason(api, namespace, "deadly", "Applied")


async def test_it_is_applied_when_the_clusters_owner_accepts_the_risk(inventory, api, namespace, clean_broker):
    inventory.see()
    apply(api, subscription("deadly", namespace, **DEADLY, riskPolicy="Apply", riskWindow="1s"))
    message = (await _reason(api, namespace, "deadly", "ClientsAtRisk"))["message"]
    assert "spec.riskPolicy Apply of KafkaCluster main accepts the risk" in message
    [warning] = get(api, "kcms", "deadly", namespace)["status"]["warnings"]
    assert warning["type"] == "RiskTooLoose"
    assert "spec.riskPolicy Apply and spec.riskWindow 1s do not count" in warning["message"]
    assert await asyncio.to_thread(broker_configs, clean_broker) == {}

    apply(api, cluster("main", namespace, clean_broker.bootstrap, riskPolicy="Apply"))

    await _reason(api, namespace, "deadly", "Applied")
    await asyncio.to_thread(until_configs, clean_broker, lambda found: len(found) == 1)


async def test_it_is_withdrawn_when_such_a_client_appears_later(inventory, api, namespace, clean_broker):
    apply(api, subscription("deadly", namespace, **DEADLY))
    await _reason(api, namespace, "deadly", "Applied")
    inventory.see()
    await _reason(api, namespace, "deadly", "ClientsAtRisk")
    await asyncio.to_thread(until_configs, clean_broker, lambda found: found == {})


async def test_it_stays_held_when_the_client_is_gone_until_the_window_has_passed(
    inventory, api, namespace, clean_broker
):
    inventory.see()
    apply(api, cluster("main", namespace, clean_broker.bootstrap, riskWindow="1h"))
    apply(api, subscription("deadly", namespace, **DEADLY))
    await _reason(api, namespace, "deadly", "ClientsAtRisk")
    inventory.state["software"] = []  # the collector's volume was lost: the status remembers
    asked = len(inventory.tokens)
    await eventually_beside(lambda: len(inventory.tokens), lambda now: now > asked + 10)
    assert ready(api, "kcms", "deadly", namespace)["reason"] == "ClientsAtRisk"
    inventory.clock.ahead_ms = 3_600_000
    await _reason(api, namespace, "deadly", "Applied")


async def test_deleting_the_protector_takes_the_dangerous_one_along(inventory, api, namespace, clean_broker):
    inventory.see()
    apply(api, subscription("safe", namespace, metrics=["*"]), subscription("deadly", namespace, **DEADLY))
    await _reason(api, namespace, "deadly", "Applied")
    api.objects.delete("kcms", "safe", namespace=namespace)
    await _reason(api, namespace, "deadly", "ClientsAtRisk")
    await asyncio.to_thread(until_configs, clean_broker, lambda found: found == {})


async def test_a_foreign_subscription_is_protected_from_our_deletion(inventory, api, namespace, clean_broker):
    inventory.see()
    apply(api, subscription("safe", namespace, metrics=["*"]))
    await _reason(api, namespace, "safe", "Applied")
    await asyncio.to_thread(alter_broker, clean_broker, "theirs", {"metrics": "x."})
    await asyncio.sleep(2)
    api.objects.delete("kcms", "safe", namespace=namespace)

    def held():
        warnings = get(api, "kfc", "main", namespace)["status"].get("warnings", [])
        return [one for one in warnings if one["type"] == "DeletionHeld"]

    await eventually_beside(held)
    assert f"kwitness.inst.{namespace}.safe" in await asyncio.to_thread(broker_configs, clean_broker)


async def test_a_suspended_one_that_protects_a_foreign_one_says_that_it_stays(inventory, api, namespace, clean_broker):
    inventory.see()
    apply(api, subscription("safe", namespace, metrics=["*"]))
    await _reason(api, namespace, "safe", "Applied")
    await asyncio.to_thread(alter_broker, clean_broker, "theirs", {"metrics": "x."})
    await eventually_beside(
        lambda: get(api, "kfc", "main", namespace)["status"].get("subscriptions", {}).get("foreign")
    )
    apply(api, subscription("safe", namespace, metrics=["*"], suspend=True))
    assert "still on the broker" in (await _reason(api, namespace, "safe", "ClientsAtRisk"))["message"]
    await asyncio.to_thread(alter_broker, clean_broker, "theirs", None)
    await _reason(api, namespace, "safe", "Suspended")
    await asyncio.to_thread(until_configs, clean_broker, lambda found: found == {})


async def test_an_expired_one_that_protects_a_foreign_one_says_that_it_stays(inventory, api, namespace, clean_broker):
    inventory.see()
    apply(api, subscription("safe", namespace, metrics=["*"], expireAfter="1h"))
    await _reason(api, namespace, "safe", "Applied")
    await asyncio.to_thread(alter_broker, clean_broker, "theirs", {"metrics": "x."})
    inventory.clock.ahead_ms = 3_601_000
    inventory.see()
    message = (await _reason(api, namespace, "safe", "ClientsAtRisk"))["message"]
    assert "still on the broker though the time of spec.expireAfter is over" in message
    assert f"kwitness.inst.{namespace}.safe" in await asyncio.to_thread(broker_configs, clean_broker)
    await asyncio.to_thread(alter_broker, clean_broker, "theirs", None)
    await _reason(api, namespace, "safe", "Expired")
    await asyncio.to_thread(until_configs, clean_broker, lambda found: found == {})


async def test_clients_below_the_least_version_are_a_warning_and_a_metric_while_they_are_known(
    served, api, namespace, clean_broker, tmp_path
):
    inventory, answer_here = served

    def warned() -> dict[str, str]:
        found = get(api, "kfc", "main", namespace).get("status", {}).get("warnings", [])
        return {one["type"]: one["message"] for one in found if one["type"].startswith("Client")}

    def exposed(context: Context) -> dict[tuple[str, ...], float]:
        [family] = OutdatedClients(partial(connections_below, context)).collect()
        labels = own_metric(family.name).labels
        return {tuple(sample.labels[name] for name in labels): sample.value for sample in family.samples}

    inventory.see("apache-kafka-java", "3.6.2")
    least = [{"clientSoftwareName": "apache-kafka-java", "version": "3.7.0"}]
    apply(api, cluster("main", namespace, clean_broker.bootstrap, clientPolicy={"minimumVersions": least}))
    async with operating(api, settings_of(namespace, tmp_path), answer_here) as context:
        found = await eventually_beside(warned)
        assert found.keys() == {"ClientsBelowMinimum"}
        assert "apache-kafka-java 3.6.2 (1 connection; least: apache-kafka-java 3.7.0)" in found["ClientsBelowMinimum"]
        assert exposed(context) == {(clean_broker.cluster_id, "apache-kafka-java", "3.6.2"): 1}
        inventory.see("apache-kafka-java", "7.6.0-ccs")
        await eventually_beside(warned, lambda now: now.keys() == {"ClientVersionsUnreadable"})
        assert exposed(context) == {}
        inventory.see("apache-kafka-java", "3.6.2")
        await eventually_beside(lambda: exposed(context))
        inventory.missing = [1]
        await eventually_beside(lambda: exposed(context) == {})


async def test_the_plugins_heartbeat_names_versions_and_defects(inventory, api, namespace):
    inventory.state["brokers"] = [
        {"broker_id": "1", "plugin_version": "0.1.0", "kafka_version": "4.3.1", "last_heartbeat_ms": 1}
    ]
    await eventually_beside(lambda: get(api, "kfc", "main", namespace).get("status", {}).get("kafkaVersion") == "4.3.1")
    status = get(api, "kfc", "main", namespace)["status"]
    assert status["brokers"]["first"][0]["plugin"] == "0.1.0"
    assert "4.3.1" in next(one["message"] for one in status["warnings"] if one["type"] == "KnownDefects")


async def test_clients_that_would_be_disconnected_at_every_push_are_a_warning(inventory, api, namespace):
    def warned() -> str | None:
        found = get(api, "kfc", "main", namespace).get("status", {}).get("warnings", [])
        return next((one["message"] for one in found if one["type"] == "ClientsDisconnected"), None)

    inventory.see("confluent-kafka-python", "2.8.0-rdkafka-2.8.0")
    apply(api, subscription("basic", namespace))
    await _reason(api, namespace, "basic", "Applied")
    assert warned() is None
    apply(api, subscription("basic", namespace, metrics=["org.apache.kafka.producer."]))
    assert "confluent-kafka-python 2.8.0-rdkafka-2.8.0" in await eventually_beside(warned)
    inventory.see("confluent-kafka-python", "2.16.1-rdkafka-2.16.1")
    await eventually_beside(lambda: warned() is None)


async def test_numbers_that_are_not_known_any_more_are_absent(inventory, api, namespace):
    apply(api, subscription("basic", namespace))
    await eventually_beside(lambda: get(api, "kcms", "basic", namespace).get("status", {}).get("clients"))
    inventory.broken = True
    await eventually_beside(lambda: "clients" not in get(api, "kcms", "basic", namespace)["status"])


async def test_a_gateways_numbers_come_from_what_its_pods_told_the_collector(inventory, api, namespace):
    apply(api, gateway("orders", namespace))
    config_hash = await eventually_beside(
        lambda: get(api, "kobs", "orders", namespace).get("status", {}).get("configHash")
    )
    now = round(time.time() * 1000)
    java = {"client_software_name": "apache-kafka-java", "client_software_version": "4.3.1", "connections": 3}
    pod = {
        "namespace": namespace,
        "name": "orders",
        "mode": "gateway",
        "pod": "kwitness-gateway-orders-1",
        "pod_namespace": namespace,
        "reported_by": "gateway",
        "epoch": 1,
        "settings": config_hash,
        "connections": 3,
        "software": [java],
        "ledger": {"accepted": 5, "delivered": 4, "queued": 1},
        "last_heard_ms": now,
    }
    inventory.state["brokers"] = [{"broker_id": "1", "last_heartbeat_ms": now}]
    inventory.see("sarama", "1.46.0")
    inventory.state["software"].append({**java, "first_seen_ms": now, "last_seen_ms": now})
    inventory.state["observers"] = [pod]

    def status() -> Any:
        return get(api, "kobs", "orders", namespace)["status"]

    found = await eventually_beside(status, lambda now: "coverage" in now)
    assert (found["connections"], found["podsWithConfig"]) == (3, 1)
    assert found["coverage"] == {
        "connectionsByBroker": 4,
        "connectionsObserved": 3,
        "percent": 75,
        "unseen": [{"clientSoftwareName": "sarama", "clientSoftwareVersion": "1.46.0", "connections": 1}],
    }
    assert found["ledger"] == [{"hop": "report", "accepted": 5, "delivered": 4, "queued": 1, "dropped": {}}]
    assert {one["type"]: one["reason"] for one in found["conditions"]} == {
        "Ready": "Progressing",
        "Reconciling": "Progressing",
        "Reporting": "Reporting",
    }

    inventory.clock.ahead_ms = 120_000
    silent = await eventually_beside(status, lambda now: "connections" not in now)
    assert "NoReports" in {one["reason"] for one in silent["conditions"] if one["type"] == "Reporting"}


async def test_a_gateway_that_is_suspended_is_told_so_at_once_and_told_no_more_when_it_obeys(inventory, api, namespace):
    def config_hash() -> str:
        return str(get(api, "kobs", "orders", namespace).get("status", {}).get("configHash", ""))

    def hear(settings: str, *, suspended: bool) -> None:
        inventory.state["observers"] = [
            {
                "namespace": namespace,
                "name": "orders",
                "mode": "gateway",
                "pod": "kwitness-gateway-orders-1",
                "pod_namespace": namespace,
                "reported_by": "gateway",
                "epoch": 1,
                "settings": settings,
                "suspended": suspended,
                "last_heard_ms": round(time.time() * 1000),
            }
        ]

    apply(api, gateway("orders", namespace))
    before = await eventually_beside(config_hash)
    hear(before, suspended=False)

    apply(api, gateway("orders", namespace, suspend=True))
    path, directives = (await eventually_beside(lambda: inventory.directives))[0]

    assert path == f"/v1/observers/{namespace}/orders/directives"
    after = await eventually_beside(config_hash, lambda now: now != before)
    assert directives == {"settings": after, "suspend": True}
    hear(before, suspended=True)  # it obeys, and Kubernetes has not brought it the file yet
    looks = len(inventory.tokens)
    await eventually_beside(lambda: len(inventory.tokens) > looks + 2)
    said = len(inventory.directives)
    looks = len(inventory.tokens)
    await eventually_beside(lambda: len(inventory.tokens) > looks + 4)
    assert len(inventory.directives) == said


async def test_observers_that_answer_clients_are_told_at_once_what_these_are_asked_for(inventory, api, namespace):
    def hear(known: str | None) -> None:
        inventory.state["observers"] = [
            {
                "namespace": namespace,
                "name": "orders",
                "mode": "gateway",
                "pod": "kwitness-gateway-orders-1",
                "pod_namespace": namespace,
                "reported_by": "gateway",
                "epoch": 1,
                "settings": "old",
                "suspended": False,
                "telemetry": {"instances": 1, "subscriptions": known},
                "last_heard_ms": round(time.time() * 1000),
            }
        ]

    def last() -> Any:
        return inventory.directives[-1][1] if inventory.directives else None

    hear(ClusterSubscriptions.of(()).hash)
    apply(api, gateway("orders", namespace, telemetry="Terminate"))
    await eventually_beside(lambda: get(api, "kobs", "orders", namespace).get("status", {}).get("telemetryInstances"))
    assert inventory.directives == []

    apply(api, subscription("basic", namespace))

    told = await eventually_beside(last)
    assert inventory.directives[-1][0] == f"/v1/observers/{namespace}/orders/subscriptions"
    assert [one["id"] for one in told["subscriptions"]] == [f"kwitness.inst.{namespace}.basic"]
    hear(told["hash"])
    looks = len(inventory.tokens)
    await eventually_beside(lambda: len(inventory.tokens) > looks + 2)
    said = len(inventory.directives)
    await eventually_beside(lambda: len(inventory.tokens) > looks + 6)
    assert len(inventory.directives) == said
    hear("of a collector that was restarted")
    await eventually_beside(lambda: len(inventory.directives) > said)
    assert last() == told
