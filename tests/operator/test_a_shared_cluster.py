"""Two KafkaClusters of one Kafka cluster: each says so, whichever was connected first, or both at once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.context import Context

from tests.eventually import eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import apply, cluster, get

pytestmark = pytest.mark.broker
NAMES = ("one", "other")


class AnswersTogether(KafkaAdmin):
    """A broker whose first answers come at the same moment, so that no status tells of them yet."""

    def __init__(self) -> None:
        super().__init__()
        self.first = asyncio.Barrier(len(NAMES))
        self.asked = 0

    async def observe(self, *arguments: Any, **more: Any) -> Any:
        seen = await super().observe(*arguments, **more)
        self.asked += 1
        if self.asked <= len(NAMES):
            await self.first.wait()
        return seen


async def test_two_that_are_connected_at_once_both_warn(api, namespace, clean_broker, tmp_path):
    def prepare(context: Context) -> None:
        context.kafka = AnswersTogether()

    def warned() -> set[str]:
        statuses = {name: get(api, "kfc", name, namespace).get("status", {}) for name in NAMES}
        return {
            name
            for name, status in statuses.items()
            if "SharedCluster" in {warning["type"] for warning in status.get("warnings", [])}
        }

    apply(api, *(cluster(name, namespace, clean_broker.bootstrap) for name in NAMES))
    # No resync comes to the aid of a wake-up that was forgotten.
    async with operating(api, settings_of(namespace, tmp_path, resync_seconds=600), prepare):
        await eventually_beside(warned, lambda now: now == set(NAMES))
