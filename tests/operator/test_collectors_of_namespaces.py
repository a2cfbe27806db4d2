"""The KafkaCluster names the collector that is believed about all of it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kwitness.operator.context import Context

from tests.eventually import eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.served_collector import ServedCollector
from tests.operator.surroundings import apply, cluster, collector, condition, ready, subscription

pytestmark = pytest.mark.broker
DEADLY = {"metrics": ["org.apache.kafka.producer.request.latency."]}


class Two(NamedTuple):
    """The collector of the KafkaCluster's namespace, and one of another with the highest priority."""

    own: ServedCollector
    others: ServedCollector


@pytest.fixture
async def two(api, namespace, another_namespace, clean_broker) -> AsyncIterator[Two]:
    found = Two(*(ServedCollector(clean_broker.cluster_id) for _ in range(2)))
    there = {"clusterRef": {"name": "main", "namespace": namespace}}
    apply(
        api,
        cluster("main", namespace, clean_broker.bootstrap, allowedNamespaces={"from": "All"}),
        collector("main", namespace),
        collector("mine", another_namespace, priority=1000, **there),
    )
    async with contextlib.AsyncExitStack() as stack:
        urls = {
            namespace: await stack.enter_async_context(found.own.serving()),
            another_namespace: await stack.enter_async_context(found.others.serving()),
        }

        def prepare(context: Context) -> None:
            context.collector_url = lambda key, _encrypted: urls[key.namespace]

        settings = settings_of(namespace, Path(), watch_namespaces=[namespace, another_namespace])
        await stack.enter_async_context(operating(api, settings, prepare))
        yield found


async def test_a_collector_of_another_namespace_holds_no_subscription(two, api, namespace, another_namespace):
    two.others.see()
    apply(api, subscription("deadly", namespace, **DEADLY))

    await eventually_beside(lambda: ready(api, "kcms", "deadly", namespace)["reason"] == "Applied")
    reasons = await eventually_beside(
        lambda: [
            condition(api, "ktc", name, its_namespace, "ActsForCluster")["reason"]
            for name, its_namespace in (("mine", another_namespace), ("main", namespace))
        ],
        all,
    )
    assert reasons == ["ActsForNamespace", "ActsForCluster"]
    assert two.others.directives == []


async def test_the_kafkacluster_names_its_collector_and_shows_a_reference_that_differs(
    two, api, namespace, another_namespace, clean_broker
):
    def reported() -> dict[str, Any]:
        return condition(api, "kfc", "main", namespace, "InventoryAvailable")

    def choose(name: str) -> None:
        reference = {"name": name, "namespace": another_namespace}
        apply(
            api,
            cluster(
                "main",
                namespace,
                clean_broker.bootstrap,
                allowedNamespaces={"from": "All"},
                collectorRef=reference,
            ),
        )

    choose("mine")
    await eventually_beside(lambda: reported()["message"] == "TelemetryCollector mine reports")
    await eventually_beside(
        lambda: [
            condition(api, "ktc", name, at, "ActsForCluster")["reason"]
            for name, at in (("mine", another_namespace), ("main", namespace))
        ],
        lambda now: now == ["ActsForCluster", "ActsForNamespace"],
    )

    choose("none")
    await eventually_beside(lambda: reported()["reason"] == "CollectorDiffers")
    assert f"{another_namespace}/none" in reported()["message"]
