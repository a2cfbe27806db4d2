"""An exception that nobody foresaw is a condition too: a resource without a status tells nobody what to do."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.adapters.kafka_connection import KafkaConnection
from kwitness.operator.context import Context
from kwitness.operator.kinds.client_metrics_subscription import wanted

from tests.eventually import eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import analytics_job, apply, cluster, collector, get, ready, subscription

pytestmark = pytest.mark.slow


class KafkaWithoutResolver(KafkaAdmin):
    """Fails as the standard library does with an address that no resolver takes, in words that hold the address."""

    async def observe(self, connection: KafkaConnection, *_: Any, **_more: Any) -> Any:
        raise UnicodeError(f"label of {connection.bootstrap_servers} is too long")


async def test_an_error_that_nobody_foresaw_at_the_brokers_leaves_no_resource_without_a_status(
    api, namespace, tmp_path
):
    def prepare(context: Context) -> None:
        context.kafka = KafkaWithoutResolver()

    apply(api, cluster("main", namespace, "kafka.canary:9092"), subscription("a", namespace))
    apply(api, collector("main", namespace), analytics_job("job", namespace))
    async with operating(api, settings_of(namespace, tmp_path), prepare):
        for kind, name in (("kfc", "main"), ("kcms", "a"), ("ktc", "main"), ("kaj", "job")):
            await eventually_beside(lambda kind=kind, name=name: ready(api, kind, name, namespace)["reason"])
    said = ready(api, "kfc", "main", namespace)
    assert (said["status"], said["reason"]) == ("Unknown", "InternalError")
    assert "UnicodeError" in said["message"]
    assert "canary" not in said["message"]
    others = [ready(api, kind, name, namespace) for kind, name in (("kcms", "a"), ("ktc", "main"), ("kaj", "job"))]
    assert {one["reason"] for one in others} == {"ClusterNotReady"}
    assert all("InternalError" in one["message"] for one in others)


@pytest.mark.broker
async def test_one_resource_with_an_unexpected_error_does_not_stop_the_others(
    api, namespace, clean_broker, tmp_path, monkeypatch
):
    real = wanted.desired_subscription

    def fail(name: str, resource: Any, **options: Any) -> Any:
        if resource.metadata.name == "odd":
            raise KeyError("secret-canary")
        return real(name, resource, **options)

    monkeypatch.setattr(wanted, "desired_subscription", fail)
    apply(api, cluster("main", namespace, clean_broker.bootstrap))
    apply(api, subscription("odd", namespace), subscription("plain", namespace))
    async with operating(api, settings_of(namespace, tmp_path), lambda _context: None):
        await eventually_beside(lambda: ready(api, "kcms", "plain", namespace)["reason"] == "Applied")
        said = await eventually_beside(lambda: ready(api, "kcms", "odd", namespace), lambda now: now["reason"])
    assert (said["status"], said["reason"]) == ("Unknown", "InternalError")
    assert "KeyError" in said["message"]
    assert "canary" not in said["message"]
    status = await asyncio.to_thread(get, api, "kcms", "odd", namespace)
    assert status["status"]["observedGeneration"] == 1
