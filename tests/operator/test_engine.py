"""The engine: what wakes a unit follows from what it needs, and nothing is decided before it is known."""

from __future__ import annotations

import pytest

from kwitness.operator.context import ClusterFacts
from kwitness.operator.model.errors import (
    KubernetesUnavailableError,
    TransientError,
)
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import (
    KafkaState,
    Watched,
)
from kwitness.operator.shapes.work import Need

from tests.operator.engine_world import FIRST, KIND, OWN, SECOND, UNIT, world

__all__ = ["world"]


async def test_nothing_is_decided_before_everything_is_known(world):
    await world.turn()
    assert (world.asked, world.decided) == ([FIRST], [])

    world.objects["first"] = "more"
    await world.fetch(FIRST)
    assert world.woken == [UNIT]

    await world.turn()
    assert (world.asked, world.decided) == ([FIRST, SECOND], [])
    await world.fetch(SECOND)
    await world.turn()
    assert world.decided == [("more", None)]
    assert len(world.patched) == 1


async def test_a_process_that_has_just_started_decides_nothing_before_it_has_tried_to_reach_the_cluster(world):
    cluster = Key("n", "main")
    world.also = frozenset({Need(KafkaState(cluster))})
    await world.turn()
    await world.fetch(FIRST)
    metadata = {"name": "main", "namespace": "n", "uid": "c", "generation": 1, "resourceVersion": "1"}
    world.store.put("KafkaCluster", {"kind": "KafkaCluster", "apiVersion": "v", "metadata": metadata})
    world.clusters[cluster] = ClusterFacts()
    await world.turn()
    assert (world.asked, world.decided) == ([FIRST], [])

    world.woken.clear()
    world.clusters[cluster].checked = True
    world.engine.facts.told(KafkaState(cluster))
    assert world.woken == [UNIT]
    await world.turn()
    assert world.decided == [(None, None)]


async def test_a_cluster_that_is_not_there_is_not_waited_for(world):
    world.also = frozenset({Need(KafkaState(Key("n", "main")))})
    await world.turn()
    await world.fetch(FIRST)
    await world.turn()
    assert world.decided == [(None, None)]


async def test_an_answer_that_is_too_old_is_asked_for_again(world):
    await world.turn()
    await world.fetch(FIRST)
    requeue = await world.turn()
    assert requeue.after == world.max_age_s

    world.now += 61_000
    await world.turn()
    assert (world.asked, len(world.decided)) == ([FIRST, FIRST], 1)


async def test_a_failure_is_an_answer_and_leaves_the_last_value_beside_it(world):
    await world.turn()
    world.objects["first"] = "value"
    await world.fetch(FIRST)
    world.objects["first"] = TransientError("KubernetesForbidden", "may not")
    with pytest.raises(TransientError):
        await world.fetch(FIRST)
    world.now += 61_000
    await world.turn()
    assert world.decided == [("value", "KubernetesForbidden")]
    assert world.asked == [FIRST]


async def test_the_same_failure_again_wakes_nobody(world):
    await world.turn()
    world.objects["first"] = TransientError("KubernetesForbidden", "may not")
    for _ in range(3):
        with pytest.raises(TransientError):
            await world.fetch(FIRST)
    assert world.woken == [UNIT]


async def test_an_api_server_that_is_away_says_nothing(world):
    await world.turn()
    world.objects["first"] = KubernetesUnavailableError("away")
    with pytest.raises(KubernetesUnavailableError):
        await world.fetch(FIRST)
    await world.turn()
    assert (world.decided, world.patched) == ([], [])


async def test_a_fact_wakes_those_who_need_it_and_nobody_else(world):
    await world.turn()
    world.engine.facts.told(OWN)
    world.engine.facts.told(Watched(KIND, Key("n", "b")))
    assert world.woken == [UNIT]


async def test_what_nobody_needs_any_more_is_forgotten_and_not_fetched(world):
    await world.turn()
    world.objects["first"] = "more"
    await world.fetch(FIRST)
    await world.turn()
    await world.fetch(SECOND)
    assert world.engine.facts.get(SECOND) is not None

    world.engine.facts.outdate([FIRST])
    world.objects["first"] = "enough"
    await world.turn()
    await world.fetch(FIRST)
    await world.turn()
    assert world.engine.facts.get(SECOND) is None
    world.woken.clear()
    assert (await world.fetch(SECOND)).forget
    assert world.woken == []


async def test_a_resource_that_is_gone_needs_nothing(world):
    await world.turn()
    await world.fetch(FIRST)
    world.store.remove(KIND, UNIT.key, "u")
    assert (await world.turn()).forget
    world.woken.clear()
    world.engine.facts.told(OWN)
    assert world.woken == []


async def test_an_outcome_is_not_written_to_a_later_resource_of_the_same_name(world):
    world.uid = "of-one-that-is-gone"
    await world.turn()
    await world.fetch(FIRST)
    await world.turn()
    assert world.patched == []


async def test_an_exception_that_nobody_foresaw_is_told_once_and_raised(world):
    await world.turn()
    world.objects["first"] = ValueError("secret words")
    with pytest.raises(TransientError, match="InternalError"):
        await world.fetch(FIRST)
    await world.turn()
    assert world.decided == [(None, "InternalError")]
