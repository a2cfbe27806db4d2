"""Events tell when a resource ceases to be ready and when it is ready again, and of a new one nothing before that."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.e2e.api_server import ApiServer
from kwitness.operator.context import Context
from kwitness.operator.handlers.lists import fill_store
from kwitness.operator.reconcile import events

from tests.eventually import eventually, eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import apply, cluster, ready, until_reason


def _registry(name: str, namespace: str, key: str) -> dict[str, Any]:
    keys = [{"name": key, "description": "Whose record it is.", "type": "String"}]
    metadata = {"name": name, "namespace": namespace}
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "HeaderRegistry",
        "metadata": metadata,
        "spec": {"keys": keys},
    }


def _events(api: ApiServer, namespace: str) -> list[tuple[str, str, str]]:
    found = api.objects.items("events.events.k8s.io", namespace)
    return [(one["regarding"]["name"], one["type"], one["reason"]) for one in sorted(found, key=_moment)]


def _moment(event: dict[str, Any]) -> str:
    return str(event["eventTime"])


def _judged(api: ApiServer, namespace: str, reason: str) -> None:
    """Let `b` ask for a key of its own, or for the one that `a` has, and wait for the verdict."""
    apply(api, _registry("b", namespace, "own" if reason == "Registered" else "taken"))
    until_reason(api, "headerregistries", "b", namespace, reason)


def test_an_event_tells_when_ready_is_lost_and_one_when_it_is_back(api, namespace, start_operator):
    operator = start_operator()
    apply(api, cluster("main", namespace, "127.0.0.1:1"), _registry("a", namespace, "taken"))
    until_reason(api, "headerregistries", "a", namespace, "Registered")
    _judged(api, namespace, "KeyTaken")
    _judged(api, namespace, "Registered")
    assert _events(api, namespace) == []
    _judged(api, namespace, "KeyTaken")
    _judged(api, namespace, "Registered")
    lost, back = ("b", "Warning", "KeyTaken"), ("b", "Normal", "Registered")
    assert eventually(lambda: _events(api, namespace), lambda found: len(found) > 1) == [lost, back]
    # What changes all the time is told once in five minutes.
    _judged(api, namespace, "KeyTaken")
    _judged(api, namespace, "Registered")
    api.objects.annotate("headerregistries", "b", namespace, {"kwitness.dev/pause": "true"})
    until_reason(api, "headerregistries", "b", namespace, "Paused")
    assert operator.stop() == 0
    assert _events(api, namespace) == [lost, back]


@pytest.fixture
def contexts() -> list[Context]:
    return []


async def test_after_a_restart_it_is_told_too_and_again_after_five_minutes(
    api, namespace, tmp_path, contexts, monkeypatch
):
    settings = settings_of(namespace, tmp_path, resync_seconds=600)
    apply(api, cluster("main", namespace, "127.0.0.1:1"), _registry("a", namespace, "taken"))
    async with operating(api, settings, contexts.append):
        await eventually_beside(lambda: ready(api, "headerregistries", "a", namespace)["reason"] == "Registered")
        apply(api, _registry("b", namespace, "taken"))
        await fill_store(contexts[-1])
        await _until(api, namespace, "KeyTaken")
    apply(api, _registry("b", namespace, "own"))
    # Whether it has ever been ready the next process cannot know.
    async with operating(api, settings, contexts.append):
        await _until(api, namespace, "Registered")
        await _told(api, namespace, ("b", "Normal", "Registered"), 1)
        monkeypatch.setattr(events, "_LEAST_SECONDS", 0.0)
        for key, event, count in (
            ("taken", ("b", "Warning", "KeyTaken"), 2),
            ("own", ("b", "Normal", "Registered"), 3),
        ):
            apply(api, _registry("b", namespace, key))
            await fill_store(contexts[-1])
            await _until(api, namespace, event[-1])
            await _told(api, namespace, event, count)


async def _until(api: ApiServer, namespace: str, reason: str) -> None:
    await eventually_beside(lambda: ready(api, "headerregistries", "b", namespace)["reason"] == reason)


async def _told(api: ApiServer, namespace: str, last: tuple[str, str, str], count: int) -> None:
    found = await eventually_beside(lambda: _events(api, namespace), lambda now: len(now) == count)
    assert found[-1] == last
