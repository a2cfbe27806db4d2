"""What a deleted KafkaCluster leaves on its brokers is removed as soon as they can be reached again, within a day."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.context import Clock, Context
from kwitness.operator.model.errors import TransientError
from kwitness.operator.model.store import Key

from tests.eventually import eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import apply, broker_configs, cluster, ready, subscription

pytestmark = pytest.mark.broker


class AwayAtTimes(KafkaAdmin):
    """The broker, behind a network that a test cuts."""

    def __init__(self) -> None:
        super().__init__()
        self.away = False
        self.tried = 0

    async def subscriptions(self, *arguments: Any) -> Any:
        if self.away:
            self.tried += 1
            raise TransientError("Unreachable", "cut by the test")
        return await super().subscriptions(*arguments)


class ClockAhead(Clock):
    ahead_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.ahead_ms


@pytest.fixture
async def applied(api, namespace, clean_broker, tmp_path):
    """A subscription is on the broker; yields what stands between the two, the operator's clock and its context."""
    kafka, clock = AwayAtTimes(), ClockAhead()

    def prepare(context: Context) -> None:
        context.kafka, context.clock = kafka, clock

    apply(api, cluster("main", namespace, clean_broker.bootstrap), subscription("basic", namespace))
    async with operating(api, settings_of(namespace, tmp_path), prepare) as context:
        await eventually_beside(lambda: ready(api, "kcms", "basic", namespace)["reason"] == "Applied")
        await eventually_beside(lambda: len(broker_configs(clean_broker)) == 1)
        yield kafka, clock, context


@pytest.mark.parametrize("paused", [False, True])
async def test_it_is_tried_until_the_broker_is_back_also_behind_one_that_was_paused(
    applied, api, namespace, clean_broker, paused
):
    kafka, _, _ = applied
    if paused:
        api.objects.annotate("kfc", "main", namespace, {"kwitness.dev/pause": "true"})
        await eventually_beside(lambda: ready(api, "kfc", "main", namespace)["reason"] == "Paused")
    kafka.away = True
    api.objects.delete("kfc", "main", namespace=namespace)
    await eventually_beside(lambda: kafka.tried > 1)
    assert len(broker_configs(clean_broker)) == 1

    kafka.away = False

    await eventually_beside(lambda: broker_configs(clean_broker) == {})
    await eventually_beside(lambda: ready(api, "kcms", "basic", namespace)["reason"] == "ClusterNotReady")


async def test_after_a_day_an_event_says_what_to_do(applied, api, namespace, clean_broker):
    kafka, clock, context = applied
    kafka.away = True
    api.objects.delete("kfc", "main", namespace=namespace)
    # The day begins when the operator sees the deletion; looks of before try in vain as well.
    await eventually_beside(lambda: Key(namespace, "main") in context.forsaken)
    tried = kafka.tried
    await eventually_beside(lambda: kafka.tried > tried)
    clock.ahead_ms = 24 * 3_600_000 + 60_000

    def events() -> list[dict[str, Any]]:
        return api.objects.items("events.events.k8s.io", namespace)

    [event] = await eventually_beside(
        lambda: [one for one in events() if one["reason"] == "NotCleanedUp"], lambda found: len(found) == 1
    )
    assert (event["type"], event["regarding"]["name"]) == ("Warning", "main")
    assert f"kafka-client-metrics.sh --bootstrap-server {clean_broker.bootstrap} --list" in event["note"]
    tried = kafka.tried
    await eventually_beside(lambda: ready(api, "kcms", "basic", namespace)["reason"] == "ClusterNotReady")
    assert kafka.tried == tried
