"""The engine carries out what is decided for a unit before it writes a status."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.operator.model.errors import (
    KubernetesUnavailableError,
    TerminalError,
    TransientError,
)
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.actions import Delete, GrowClaim, Remember
from kwitness.operator.shapes.facts import (
    Attempt,
    Labelled,
    NamedObject,
)
from kwitness.operator.shapes.work import Need, Note
from kwitness.operator.work_queue import Requeue

from tests.operator.engine_world import FIRST, KIND, UNIT, World, world

__all__ = ["world"]


async def test_what_is_to_be_remembered_is_written_before_any_status_and_read_again(world):
    await world.turn()
    await world.fetch(FIRST)
    world.remember = Remember(FIRST.key, "7", {"k": "v"})
    world.woken.clear()
    assert (await world.turn()).after == 0.0
    assert (world.exchanged, world.patched) == ([(FIRST.key, {"k": "v"}, "7")], [])
    assert (world.engine.facts.get(FIRST), world.woken) == (None, [UNIT])

    world.remember = None
    await world.turn()
    await world.fetch(FIRST)
    await world.turn()
    assert len(world.patched) == 1


async def test_who_was_slower_reads_again_and_says_nothing(world):
    await world.turn()
    await world.fetch(FIRST)
    world.remember = Remember(FIRST.key, None, {"k": "v"})
    world.refusal = KubernetesUnavailableError("changed by someone else")
    with pytest.raises(KubernetesUnavailableError):
        await world.turn()
    assert (world.engine.facts.get(FIRST), world.patched) == (None, [])


async def test_what_may_not_be_remembered_is_said_and_tried_again(world):
    await world.turn()
    await world.fetch(FIRST)
    world.remember = Remember(FIRST.key, None, {"k": "v"})
    world.refusal = TransientError("KubernetesForbidden", "may not")
    with pytest.raises(TransientError, match="may not"):
        await world.turn()
    [(_, patch)] = world.patched
    assert {one["type"]: one["reason"] for one in patch["conditions"]} == dict.fromkeys(
        ("Ready", "Reconciling"), "KubernetesForbidden"
    )


RUNNER = Delete("StatefulSet", Key("n", "first"), "r")
RUNS = Labelled("StatefulSet", "n", (("app", "job"), ("of", "a")))


async def test_what_has_to_go_is_deleted_by_its_uid_before_any_status_and_looked_at_again(world):
    world.also = frozenset({Need(RUNS)})
    await world.turn()
    await world.fetch(FIRST)
    await world.fetch(RUNS)
    world.outcome = {"children": (), "removals": (RUNNER,)}
    assert (await world.turn()).after == 0.0
    assert world.deleted == [("StatefulSet", "n", "first", {"uid": "r", "foreground": True})]
    assert (world.patched, world.engine.facts.get(RUNS)) == ([], None)

    world.outcome = {}
    await world.turn()
    await world.fetch(RUNS)
    await world.turn()
    assert len(world.patched) == 1


async def test_what_may_not_be_deleted_is_said(world):
    await world.turn()
    await world.fetch(FIRST)
    world.outcome = {"children": (), "removals": (RUNNER,)}
    world.refusal = TransientError("KubernetesForbidden", "may not")
    with pytest.raises(TransientError, match="may not"):
        await world.turn()
    [(_, patch)] = world.patched
    assert {one["type"]: one["reason"] for one in patch["conditions"]} == dict.fromkeys(
        ("Ready", "Reconciling"), "KubernetesForbidden"
    )


async def test_nothing_is_deleted_and_no_event_written_for_what_is_paused(world):
    metadata = {"name": "a", "namespace": "n", "uid": "u", "generation": 1, "resourceVersion": "2"}
    paused = {"metadata": {**metadata, "annotations": {"kwitness.dev/pause": "true"}}, "kind": KIND, "apiVersion": "v"}
    world.store.put(KIND, paused)
    await world.turn()
    await world.fetch(FIRST)
    world.outcome = {"children": (), "removals": (RUNNER,), "notes": (Note("NewFindings", "A", "Analyse", "found A"),)}
    await world.turn()
    assert (world.deleted, world.applied) == ([], [])
    [(_, patch)] = world.patched
    assert [one["reason"] for one in patch["conditions"]] == ["Paused"]


async def test_each_thing_that_is_noted_is_one_event(world):
    await world.turn()
    await world.fetch(FIRST)
    notes = [Note("NewFindings", about, "Analyse", f"found {about}") for about in ("A", "B")]
    world.outcome = {"notes": tuple(notes)}
    await world.turn()
    await world.turn()
    assert [(one["reason"], one["note"], one["type"]) for one in world.applied] == [
        ("NewFindings", "found A", "Warning"),
        ("NewFindings", "found B", "Warning"),
    ]


async def test_an_answer_that_a_write_overtook_is_asked_for_again(world, monkeypatch):
    await world.turn()
    real = world.get

    async def overtaken(*arguments: Any) -> Any:
        world.engine.facts.outdate_object("ConfigMap", FIRST.key)
        return await real(*arguments)

    monkeypatch.setattr(world.kubernetes, "get", overtaken)
    assert (await world.fetch(FIRST)).after == 0.0
    assert world.engine.facts.get(FIRST) is None

    monkeypatch.setattr(world.kubernetes, "get", real)
    await world.fetch(FIRST)
    assert world.engine.facts.get(FIRST) is not None


async def test_a_list_is_read_by_its_labels_without_what_most_bytes_are(world):
    world.also = frozenset({Need(RUNS)})
    await world.turn()
    await world.fetch(RUNS)
    assert world.engine.facts.get(RUNS).value == ({"kind": "StatefulSet", "metadata": {"name": "app=job,of=a"}},)


GROWTH = GrowClaim(Key("n", "first"), "claim", "2Gi")
CLAIM = NamedObject("PersistentVolumeClaim", GROWTH.key)


def _growing(world: World) -> None:
    world.also = frozenset({Need(Attempt(GROWTH)), Need(CLAIM)})
    world.outcome = {"children": (), "attempts": (GROWTH,)}


async def _decide(world: World) -> Requeue:
    """A turn with everything known that has to be."""
    await world.turn()
    for fact in (FIRST, CLAIM):
        await world.fetch(fact)
    return await world.turn()


async def test_how_an_attempt_ended_is_known_before_a_status_is_written(world):
    _growing(world)
    world.refusal = TerminalError("NotExpandable", "may not")
    assert (await _decide(world)).after == 0.0
    assert world.patched == []
    answer = world.engine.facts.get(Attempt(GROWTH))
    assert (answer.value, answer.at_ms) == (world.refusal, world.now)
    # The attempt follows from it, and would be forgotten with it.
    assert world.engine.facts.get(CLAIM) is not None

    world.refusal = None
    assert (await world.turn()).after == 0.0
    assert world.grown == [(GROWTH.key, GROWTH.size, GROWTH.uid)]
    answer = world.engine.facts.get(Attempt(GROWTH))
    assert (answer.value, answer.at_ms) == (None, world.now)
    # What was known of the claim is of before.
    assert world.engine.facts.get(CLAIM) is None

    world.outcome = {"children": ()}
    await _decide(world)
    assert len(world.patched) == 1


async def test_an_attempt_that_nobody_asks_about_any_more_was_never_made(world):
    _growing(world)
    await _decide(world)
    world.also, world.outcome = frozenset(), {"children": ()}
    await _decide(world)
    assert world.engine.facts.get(Attempt(GROWTH)).at_ms == 0


async def test_an_attempt_that_the_api_server_did_not_answer_was_none(world):
    _growing(world)
    world.refusal = KubernetesUnavailableError("away")
    with pytest.raises(KubernetesUnavailableError):
        await _decide(world)
    assert world.engine.facts.get(Attempt(GROWTH)).at_ms == 0
    assert world.patched == []


async def test_nothing_is_attempted_for_what_is_paused(world):
    _growing(world)
    body = world.store.get(KIND, UNIT.key)
    body["metadata"]["annotations"] = {"kwitness.dev/pause": "true"}
    await _decide(world)
    assert world.grown == []
    assert len(world.patched) == 1
