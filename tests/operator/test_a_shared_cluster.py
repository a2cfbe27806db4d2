"""One of two KafkaClusters of one Kafka cluster rules, also when both connect at once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.context import Context

from tests.eventually import eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import apply, cluster, condition

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


async def test_one_of_two_that_are_connected_at_once_rules(api, namespace, clean_broker, tmp_path):
    def prepare(context: Context) -> None:
        context.kafka = AnswersTogether()

    def rules(name: str) -> str | None:
        reason: str | None = condition(api, "kfc", name, namespace, "Rules")["reason"]
        return reason

    def places() -> set[str | None]:
        return {rules(name) for name in NAMES}

    apply(api, *(cluster(name, namespace, clean_broker.bootstrap) for name in NAMES))
    # No resync comes to the aid of a wake-up that was forgotten.
    async with operating(api, settings_of(namespace, tmp_path, resync_seconds=600), prepare):
        await eventually_beside(places, lambda now: now == {"Rules", "AnotherRules"})
