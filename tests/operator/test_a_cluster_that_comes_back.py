"""A KafkaCluster that is applied anew while the operator still cleans up behind its deletion."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from prometheus_client import generate_latest

from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.context import Context
from kwitness.operator.handlers.events import receive
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile import forsaken_clusters

from tests.eventually import eventually_beside, patiently
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import apply, broker_configs, cluster, drift_repairs, get, ready, subscription

pytestmark = pytest.mark.broker


class SlowToRemove(KafkaAdmin):
    """A broker that carries out a removal and answers when a test wants it, and that lists what it has carried out."""

    def __init__(self) -> None:
        super().__init__()
        self.removed, self.answers = asyncio.Event(), asyncio.Event()

    async def alter(self, connection: Any, changes: Any, **more: Any) -> Any:
        done = await super().alter(connection, changes, **more)
        # A broker does a moment later, and what is not listed then is drift.
        expected = {name for name, target in changes.items() if target is not None}
        while {*await KafkaAdmin.subscriptions(self, connection)} & {*changes} != expected:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
        if None in changes.values():
            self.removed.set()
            await self.answers.wait()
        return done


async def test_what_was_removed_with_it_is_applied_again_at_once_and_is_no_drift(
    api, namespace, clean_broker, tmp_path
):
    kafka = SlowToRemove()

    def prepare(context: Context) -> None:
        context.kafka = kafka
        # Lists tell of changes here; what the queues do themselves at a resync would hide that something was forgotten.
        context.settings = context.settings.model_copy(update={"resync_seconds": 1})

    async def until(kind: str, name: str, reason: str) -> None:
        await eventually_beside(lambda: ready(api, kind, name, namespace), lambda now: now["reason"] == reason)

    resource = cluster("main", namespace, clean_broker.bootstrap)
    apply(api, resource, subscription("basic", namespace))
    async with operating(api, settings_of(namespace, tmp_path, resync_seconds=600), prepare):
        await until("kcms", "basic", "Applied")
        api.objects.delete("kfc", "main", namespace=namespace)
        await kafka.removed.wait()
        await asyncio.to_thread(apply, api, resource)
        await until("kfc", "main", "Connected")
        kafka.answers.set()

        await eventually_beside(lambda: f"kwitness.inst.{namespace}.basic" in broker_configs(clean_broker))
        await until("kcms", "basic", "Applied")
        assert drift_repairs(generate_latest().decode(), namespace, "basic") == 0


class LateToList(SlowToRemove):
    """A broker that lists what was removed once more, as one does that has not heard of it yet."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: Any = None
        self.listed_late = asyncio.Event()

    async def subscriptions(self, *arguments: Any) -> Any:
        if self.answers.is_set() and not self.listed_late.is_set():
            self.listed_late.set()
            return self.listed
        return await super().subscriptions(*arguments)


async def test_what_a_broker_lists_after_its_removal_is_applied_again_ten_seconds_later(
    api, namespace, clean_broker, tmp_path, monkeypatch
):
    monkeypatch.setattr(forsaken_clusters, "_AGAIN_SECONDS", 2.0)
    kafka, resource = LateToList(), cluster("main", namespace, clean_broker.bootstrap)
    apply(api, resource, subscription("basic", namespace))

    def prepare(context: Context) -> None:
        context.kafka = kafka

    async with operating(api, settings_of(namespace, tmp_path, resync_seconds=600), prepare) as context:
        await eventually_beside(lambda: ready(api, "kcms", "basic", namespace)["reason"] == "Applied")
        await eventually_beside(lambda: f"kwitness.inst.{namespace}.basic" in broker_configs(clean_broker))
        kafka.listed = await kafka.subscriptions(context.clusters[Key(namespace, "main")].connection)
        body = get(api, "kfc", "main", namespace)
        api.objects.delete("kfc", "main", namespace=namespace)
        receive(context, "KafkaCluster", {"type": "DELETED", "object": body})
        await patiently(kafka.removed.wait())
        await asyncio.to_thread(apply, api, resource)
        receive(context, "KafkaCluster", {"type": "ADDED", "object": get(api, "kfc", "main", namespace)})
        await eventually_beside(lambda: ready(api, "kfc", "main", namespace)["reason"] == "Connected")
        kafka.answers.set()
        await patiently(kafka.listed_late.wait())

        await eventually_beside(lambda: f"kwitness.inst.{namespace}.basic" in broker_configs(clean_broker))
