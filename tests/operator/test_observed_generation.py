"""What a status says is about the generation and the object that it names: `kubectl wait` and GitOps count on it."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest

from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.context import Clock, Context
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.store import Key, Store, Subject
from kwitness.operator.reconcile.status_writer import write_status

from tests.eventually import eventually_beside, patiently
from tests.operator.in_process import operating, settings_of
from tests.operator.served_collector import ServedCollector
from tests.operator.surroundings import apply, cluster, get, ready, subscription

AVAILABLE = Verdict("Ready", "True", "Available", "ready")


def _body(generation: int, *, uid: str = "1", **status: Any) -> dict[str, Any]:
    metadata = {"name": "a", "namespace": "n", "uid": uid, "generation": generation, "resourceVersion": "9"}
    return {"metadata": metadata, "spec": {}, "status": status}


async def _written(
    present: dict[str, Any], judged: dict[str, Any], *, lately: bool = False, **fields: Any
) -> dict[str, Any] | None:
    patches: list[dict[str, Any]] = []

    async def patch_status(_kind: str, _key: Key, patch: dict[str, Any], *, version: str) -> None:
        assert version == present["metadata"]["resourceVersion"]
        patches.append(patch)

    store = Store()
    store.put("TelemetryCollector", present)
    context: Any = SimpleNamespace(
        store=store,
        clock=Clock(),
        status_written={("TelemetryCollector", Subject.of(present).key): time.monotonic()} if lately else {},
        never_ready=set(),
        settings=SimpleNamespace(status_seconds=60),
        kubernetes=SimpleNamespace(patch_status=patch_status),
    )
    await write_status(context, "TelemetryCollector", Subject.of(judged), fields=fields, verdicts=[AVAILABLE])
    return patches[0] if patches else None


async def test_a_status_names_the_generation_that_was_judged_and_not_the_one_that_came_since():
    patch = await _written(_body(2), _body(1))
    assert patch is not None
    assert patch["observedGeneration"] == 1
    assert [one["observedGeneration"] for one in patch["conditions"]] == [1]


async def test_a_verdict_about_an_object_that_was_replaced_is_not_written():
    assert await _written(_body(1, uid="2"), _body(1, uid="1")) is None


async def test_a_status_never_goes_back_to_an_earlier_generation():
    assert await _written(_body(2, observedGeneration=2), _body(1)) is None


async def test_live_numbers_of_an_analysis_wait_and_its_phase_does_not():
    def analyses(phase: str, records: int) -> list[dict[str, Any]]:
        return [{"table": "t", "phase": phase, "lag": {"records": records}}]

    first = await _written(_body(1), _body(1), analyses=analyses("Running", 1))
    assert first is not None
    present = _body(1, **first)

    assert await _written(present, present, lately=True, analyses=analyses("Running", 2)) is None
    patch = await _written(present, present, lately=True, analyses=analyses("Failed", 2))
    assert patch == {"analyses": analyses("Failed", 2)}


async def test_a_part_of_a_status_has_no_field_that_is_empty():
    patch = await _written(_body(1), _body(1), analyses=[{"table": "t", "findings": [], "lag": None}])
    assert patch is not None
    assert patch["analyses"] == [{"table": "t"}]


class SlowKafka(KafkaAdmin):
    """Asks the real broker; the answers are held back while `answering` is not set."""

    def __init__(self) -> None:
        super().__init__()
        self.answering = asyncio.Event()
        self.asked = asyncio.Event()

    async def observe(self, *arguments: Any, **more: Any) -> Any:
        self.asked.set()
        await self.answering.wait()
        return await super().observe(*arguments, **more)

    async def subscriptions(self, *arguments: Any) -> Any:
        await self.answering.wait()
        return await super().subscriptions(*arguments)


def _generation(context: Context, kind: str, key: Key) -> int:
    return int((context.store.get(kind, key) or {"metadata": {}})["metadata"].get("generation", 0))


@pytest.mark.broker
async def test_a_cluster_that_is_changed_while_it_is_connected_to_is_not_called_connected(
    api, namespace, clean_broker, tmp_path
):
    key, kafka, contexts, statuses = Key(namespace, "main"), SlowKafka(), [], []
    apply(api, cluster("main", namespace, clean_broker.bootstrap))

    def slow(context: Context) -> None:
        patch_status = context.kubernetes.patch_status

        async def recording(*arguments: Any, **options: Any) -> Any:
            answer = await patch_status(*arguments, **options)
            statuses.append(answer["status"])
            return answer

        context.kafka, context.kubernetes.patch_status = kafka, recording
        contexts.append(context)

    async with operating(api, settings_of(namespace, tmp_path), slow):
        await patiently(kafka.asked.wait())
        await asyncio.to_thread(apply, api, cluster("main", namespace, "127.0.0.1:1"))
        await eventually_beside(lambda: _generation(contexts[0], "KafkaCluster", key) == 2)
        kafka.answering.set()
        await eventually_beside(lambda: ready(api, "kfc", "main", namespace)["reason"] == "Unreachable")
    said = [(one["observedGeneration"], one["conditions"][0]["reason"]) for one in statuses]
    # What was asked of the former addresses is given up.
    assert set(said) == {(2, "Unreachable")}


@pytest.fixture
async def unanswered(inventory, api, namespace, monkeypatch):
    """A subscription is applied; then the broker answers no more, and the collector still does."""
    held, unanswered = asyncio.Event(), asyncio.Event()
    real = KafkaAdmin.subscriptions

    async def slow(self: KafkaAdmin, *arguments: Any) -> Any:
        answer = None if held.is_set() else await real(self, *arguments)
        if held.is_set():
            unanswered.set()
            await asyncio.Event().wait()
        return answer

    monkeypatch.setattr(KafkaAdmin, "subscriptions", slow)
    apply(api, subscription("a", namespace))
    await eventually_beside(lambda: ready(api, "kcms", "a", namespace)["reason"] == "Applied")
    held.set()
    # Until then the last answer is young enough to write by.
    await patiently(unanswered.wait())
    return inventory


async def _after_more_polls(collector: ServedCollector) -> None:
    asked = len(collector.tokens)
    # The operator's lists see a change within its resync of a second; a poll asks for two answers each half second.
    await eventually_beside(lambda: len(collector.tokens), lambda now: now > asked + 20)


@pytest.mark.broker
async def test_a_poll_of_the_collector_does_not_call_an_edited_subscription_applied(unanswered, api, namespace):
    await asyncio.to_thread(apply, api, subscription("a", namespace, interval="9s"))
    await _after_more_polls(unanswered)
    found = get(api, "kcms", "a", namespace)
    assert found["metadata"]["generation"] == 2
    assert found["status"]["observedGeneration"] == 1
    assert {one["observedGeneration"] for one in found["status"]["conditions"]} == {1}


@pytest.mark.broker
async def test_a_poll_of_the_collector_does_not_call_a_recreated_subscription_applied(unanswered, api, namespace):
    api.objects.delete("kcms", "a", namespace=namespace)
    await asyncio.to_thread(apply, api, subscription("a", namespace))
    await _after_more_polls(unanswered)
    assert "status" not in get(api, "kcms", "a", namespace)
