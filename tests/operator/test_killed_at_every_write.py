"""The operator dies after its k-th write to the API server or the broker; its successor ends the same.

`make soak` tries every k, other runs the first, the last and a tenth of those between.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Coroutine
from typing import Any

import pytest

from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.adapters.kubernetes import Kubernetes
from kwitness.operator.adapters.resource_types import TYPES
from kwitness.operator.context import Context
from kwitness.operator.model.ownership import APPLIED_HASH

from tests import soak
from tests.eventually import eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import (
    alter_broker,
    analytics_job,
    apply,
    broker_configs,
    cluster,
    collector,
    gateway,
    subscription,
)

pytestmark = pytest.mark.broker
STILL_S = 8.0


class Lifetime:
    """Counts writes; after the last one that is allowed nothing answers any more, as when the process is killed."""

    def __init__(self, allowed: int | None) -> None:
        self.allowed = allowed
        self.writes = 0
        self.over = asyncio.Event()

    async def spend(self) -> None:
        if self.writes == self.allowed:
            self.over.set()
            await asyncio.Event().wait()
        self.writes += 1


class MortalKubernetes(Kubernetes):
    lifetime: Lifetime

    async def _request(self, method: str, *arguments: Any, **options: Any) -> Any:
        if method != "GET":
            await self.lifetime.spend()
        return await super()._request(method, *arguments, **options)


class MortalKafka(KafkaAdmin):
    lifetime: Lifetime

    async def alter(self, *arguments: Any, **more: Any) -> Any:
        return await self._around(super().alter(*arguments, **more))

    async def create_topics(self, *arguments: Any, **more: Any) -> Any:
        return await self._around(super().create_topics(*arguments, **more))

    async def _around(self, write: Coroutine[Any, Any, Any]) -> Any:
        """Let it end before it is sent, or once it is carried out and nobody has heard the answer."""
        try:
            await self.lifetime.spend()
        except BaseException:
            write.close()
            raise
        answer = await write
        await self.lifetime.spend()
        return answer


def _platform(namespace: str, bootstrap: str) -> list[dict[str, Any]]:
    return [
        cluster("main", namespace, bootstrap),
        subscription("a", namespace),
        subscription("b", namespace, interval="7s"),
        collector("main", namespace, replicas=2),
        analytics_job("job", namespace),
    ]


def _with_gateway(namespace: str, bootstrap: str) -> list[dict[str, Any]]:
    return [cluster("main", namespace, bootstrap), collector("main", namespace), gateway("orders", namespace)]


CASES = {
    # Beside the broker and the resources themselves: the number of children.
    "platform": (
        _platform,
        {
            "KafkaCluster/main": "Connected",
            "ClientMetricsSubscription/a": "Applied",
            "ClientMetricsSubscription/b": "Applied",
            "TelemetryCollector/main": "Progressing",
            "AnalyticsJob/job": "Starting",
        },
        11,
    ),
    "gateway": (
        _with_gateway,
        {
            "KafkaCluster/main": "Connected",
            "TelemetryCollector/main": "Progressing",
            "ObserverDeployment/orders": "Progressing",
        },
        12,
    ),
}


def _paths(namespace: str) -> list[str]:
    kinds = (
        "ConfigMap",
        "Deployment",
        "NetworkPolicy",
        "PodDisruptionBudget",
        "Service",
        "ServiceAccount",
        "StatefulSet",
    )
    return [TYPES[kind].path(namespace) for kind in kinds]


def _state(api, namespace: str, broker, expected: dict[str, str]) -> dict[str, Any]:
    """Everything that should be the same in the end, without what the API server adds."""
    state: dict[str, Any] = {"broker": broker_configs(broker)}
    for path in _paths(namespace):
        for item in api.request("GET", path).json()["items"]:
            if digest := item["metadata"].get("annotations", {}).get(APPLIED_HASH):
                state[f"{path}/{item['metadata']['name']}"] = digest
    for resource in expected:
        kind, name = resource.split("/")
        body = api.request("GET", TYPES[kind].path(namespace, name)).json()
        conditions = body.get("status", {}).get("conditions", [])
        state[resource] = next((one["reason"] for one in conditions if one["type"] == "Ready"), None)
    return state


async def _settled(api, namespace: str, broker, expected: dict[str, str], children: int) -> dict[str, Any]:
    # The broker answers from metadata that may be a moment older than the controller's answer to a write.
    configs = sum(reason == "Applied" for reason in expected.values())
    return await eventually_beside(
        lambda: _state(api, namespace, broker, expected),
        lambda state: (
            len(state) == 1 + len(expected) + children
            and expected.items() <= state.items()
            and len(state["broker"]) == configs
        ),
    )


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES)
async def test_after_the_kth_write_the_successor_reaches_the_same_end(api, namespace, clean_broker, tmp_path, case):
    settings = settings_of(namespace, tmp_path)
    resources, expected, children = CASES[case]
    apply(api, *resources(namespace, clean_broker.bootstrap))

    def mortal(context: Context, lifetime: Lifetime) -> None:
        kubernetes = MortalKubernetes(context.kubernetes._session, context.kubernetes._server)
        kafka = MortalKafka()
        kubernetes.lifetime = kafka.lifetime = lifetime
        context.kubernetes, context.kafka = kubernetes, kafka

    async def end() -> dict[str, Any]:
        return await _settled(api, namespace, clean_broker, expected, children)

    async def is_killed_after(writes: int) -> bool:
        """Whether it makes so many; in either case its successor reaches the end that the first one's did."""
        lifetime = Lifetime(writes)
        async with operating(api, settings, lambda context: mortal(context, lifetime)):
            await _over_or_still(lifetime)
        async with operating(api, settings, lambda _context: None):
            ends.append(await _settled(api, namespace, clean_broker, expected, children))
        assert ends[-1] == ends[0], f"killed after {writes} writes"
        await asyncio.to_thread(_start_anew, api, namespace, clean_broker, expected)
        return lifetime.over.is_set()

    ends: list[dict[str, Any]] = []
    assert await is_killed_after(0)
    unhindered = Lifetime(None)
    async with operating(api, settings, lambda context: mortal(context, unhindered)):
        await _over_or_still(unhindered)
    await asyncio.to_thread(_start_anew, api, namespace, clean_broker, expected)
    last = unhindered.writes - 1
    while not await is_killed_after(last):  # what is written twice in one run may be one write in another
        last -= 1
    assert last > children
    between = range(1, last)
    for writes in random.Random(soak.FIRST_SEED).sample(between, soak.share(len(between))):  # noqa: S311 - not a secret
        await is_killed_after(writes)


async def _over_or_still(lifetime: Lifetime) -> None:
    """Wait until it is over, or nothing has been written for long."""
    seen = -1
    while not lifetime.over.is_set() and lifetime.writes > seen:
        seen = lifetime.writes
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(lifetime.over.wait(), STILL_S)


def _start_anew(api, namespace: str, broker, expected: dict[str, str]) -> None:
    """Take away everything that was made, as if the resources had just been applied; only topics stay."""
    for name in broker_configs(broker):
        alter_broker(broker, name, None)
    for path in _paths(namespace):
        for item in api.request("GET", path).json()["items"]:
            if APPLIED_HASH in item["metadata"].get("annotations", {}):
                api.request("DELETE", f"{path}/{item['metadata']['name']}")
    for resource in expected:
        kind, name = resource.split("/")
        path = TYPES[kind].path(namespace, name)
        headers = {"Content-Type": "application/merge-patch+json"}
        api.request("PATCH", f"{path}/status", data='{"status": null}', headers=headers)
