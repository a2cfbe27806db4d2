"""`spec.expireAfter`: counted from the resource's creation, on time without a resync, and never the resource itself."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

import pytest
from prometheus_client import generate_latest

from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.context import Clock, Context
from kwitness.operator.handlers.lists import fill_store
from kwitness.operator.model.store import Key

from tests.eventually import eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import apply, cluster, drift_repairs, get, ready, subscription, until_configs

pytestmark = pytest.mark.broker


class ClockAhead(Clock):
    """The operator's clock, which goes ahead of the API server's."""

    def __init__(self, seconds: float) -> None:
        self.ahead_s = seconds

    def now_ms(self) -> int:
        return super().now_ms() + round(self.ahead_s * 1000)


@contextlib.asynccontextmanager
async def operator(api, namespace, tmp_path, *, ahead_s: float) -> AsyncIterator[Context]:
    """An operator whose resync is so far away that only its own timer can wake it."""

    def prepare(context: Context) -> None:
        context.clock = ClockAhead(ahead_s)

    async with operating(api, settings_of(namespace, tmp_path, resync_seconds=600), prepare) as context:
        yield context


async def _until(api, namespace: str, reason: str) -> dict[str, Any]:
    return await eventually_beside(lambda: ready(api, "kcms", "short", namespace), lambda now: now["reason"] == reason)


async def _until_configs(broker, number: int) -> None:
    await asyncio.to_thread(until_configs, broker, lambda found: len(found) == number)


def _ends(body: dict[str, Any]) -> float:
    return datetime.fromisoformat(body["status"]["expiresAt"]).timestamp()


def _times(body: dict[str, Any]) -> float:
    return _ends(body) - datetime.fromisoformat(body["metadata"]["creationTimestamp"]).timestamp()


def _events(api, namespace: str) -> list[dict[str, Any]]:
    found = api.objects.items("events", namespace)
    return [event for event in found if event["reason"] == "Expired"]


async def test_it_leaves_the_broker_on_time_says_so_and_comes_back_when_it_may(api, namespace, clean_broker, tmp_path):
    apply(api, cluster("main", namespace, clean_broker.bootstrap), subscription("short", namespace, expireAfter="1m"))
    async with operator(api, namespace, tmp_path, ahead_s=0) as context:
        await _until(api, namespace, "Applied")
        assert _times(get(api, "kcms", "short", namespace)) == 60
        await _until_configs(clean_broker, 1)
        # At its next look a second is left of its minute, and nothing else will wake it.
        context.clock.ahead_s = _ends(get(api, "kcms", "short", namespace)) - 1 - time.time()
        context.enqueue("ClientMetricsSubscription", Key(namespace, "main"), 0)
        said = await _until(api, namespace, "Expired")
        assert said["status"] == "True"
        assert "spec.expireAfter, 1m from the resource's creation at 20" in said["message"]
        await _until_configs(clean_broker, 0)
        [event] = await eventually_beside(lambda: _events(api, namespace))
        assert (event["type"], event["involvedObject"]["name"]) == ("Normal", "short")
        status = get(api, "kcms", "short", namespace)["status"]
        assert "expiresAt" in status

        apply(api, subscription("short", namespace, expireAfter="1h"))
        await fill_store(context)
        await _until(api, namespace, "Applied")
        await _until_configs(clean_broker, 1)
        assert _times(get(api, "kcms", "short", namespace)) == 3600
        apply(api, subscription("short", namespace))
        await fill_store(context)
        await eventually_beside(lambda: "expiresAt" not in get(api, "kcms", "short", namespace)["status"])
        assert drift_repairs(generate_latest().decode(), namespace, "short") == 0


class Slow(KafkaAdmin):
    """A broker that answers when the time of every subscription has passed."""

    def __init__(self, clock: ClockAhead) -> None:
        super().__init__()
        self.clock = clock

    async def subscriptions(self, *arguments: Any) -> Any:
        self.clock.ahead_s = 61
        return await super().subscriptions(*arguments)


async def test_one_that_ends_while_the_broker_is_asked_is_looked_at_again(api, namespace, clean_broker, tmp_path):
    apply(api, cluster("main", namespace, clean_broker.bootstrap), subscription("short", namespace, expireAfter="1m"))

    def prepare(context: Context) -> None:
        context.clock = ClockAhead(0)
        context.kafka = Slow(context.clock)

    async with operating(api, settings_of(namespace, tmp_path, resync_seconds=600), prepare):
        await _until(api, namespace, "Expired")
        await _until_configs(clean_broker, 0)


async def test_a_value_that_is_past_already_takes_an_old_resource_off_at_once(api, namespace, clean_broker, tmp_path):
    apply(api, cluster("main", namespace, clean_broker.bootstrap), subscription("short", namespace))
    async with operator(api, namespace, tmp_path, ahead_s=86_400) as context:
        await _until(api, namespace, "Applied")
        apply(api, subscription("short", namespace, expireAfter="10m"))
        await fill_store(context)
        assert "was over at 20" in (await _until(api, namespace, "Expired"))["message"]
        await _until_configs(clean_broker, 0)


async def test_what_ended_while_the_operator_was_away_goes_at_its_return_and_is_told_once(
    api, namespace, clean_broker, tmp_path
):
    apply(api, cluster("main", namespace, clean_broker.bootstrap), subscription("short", namespace, expireAfter="1h"))
    async with operator(api, namespace, tmp_path, ahead_s=0):
        await _until(api, namespace, "Applied")
        await _until_configs(clean_broker, 1)
    for _ in range(2):
        async with operator(api, namespace, tmp_path, ahead_s=3601) as context:
            await _until(api, namespace, "Expired")
            await _until_configs(clean_broker, 0)
            await eventually_beside(
                lambda context=context: next(iter(context.clusters.values())).subscriptions is not None
            )
    assert len(await eventually_beside(lambda: _events(api, namespace))) == 1
