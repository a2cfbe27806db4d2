"""A KafkaCluster that is applied anew while the operator still cleans up behind its deletion."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.context import Context

from tests.eventually import eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import apply, broker_configs, cluster, get, ready, subscription

pytestmark = pytest.mark.broker


class SlowToRemove(KafkaAdmin):
    """A broker that carries out a removal and answers when a test wants it."""

    def __init__(self) -> None:
        super().__init__()
        self.removed, self.answers = asyncio.Event(), asyncio.Event()

    async def alter(self, connection: Any, changes: Any, **more: Any) -> Any:
        done = await super().alter(connection, changes, **more)
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
        # A broker lists what it was told a moment later; what is removed before that is removed at the next resync.
        await eventually_beside(lambda: f"kwitness.inst.{namespace}.basic" in broker_configs(clean_broker))
        await asyncio.sleep(2)
        api.objects.delete("kfc", "main", namespace=namespace)
        await kafka.removed.wait()
        await asyncio.to_thread(apply, api, resource)
        await until("kfc", "main", "Connected")
        kafka.answers.set()

        await eventually_beside(lambda: f"kwitness.inst.{namespace}.basic" in broker_configs(clean_broker))
        await until("kcms", "basic", "Applied")
        assert "driftRepairs" not in get(api, "kcms", "basic", namespace)["status"]
