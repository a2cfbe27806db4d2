"""The engine writes to brokers what is decided from answers of a moment ago."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import pytest

from kwitness.operator.context import ClusterFacts
from kwitness.operator.engine.engine import Engine
from kwitness.operator.model.errors import (
    OvertakenError,
    TerminalError,
    TransientError,
)
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.actions import AlterConfigs, ConfigChange
from kwitness.operator.shapes.facts import (
    Answer,
    BrokersSeen,
    Every,
)
from kwitness.operator.shapes.subscription_facts import BrokerConfigs, BrokerWrites, SetConfigs
from kwitness.operator.shapes.work import Need, Unit

from tests.operator.engine_world import FIRST, KIND, UNIT, World, world

__all__ = ["world"]

CLUSTER = Key("n", "main")
CONFIGS = BrokerConfigs(CLUSTER)
WANTED = {"metrics": "", "interval.ms": "5000", "match": ""}


def _writing(world: World) -> None:
    """Something is to be written to the brokers of a cluster, decided from what they have and from the first object."""
    metadata = {"name": "main", "namespace": "n", "uid": "c", "generation": 1, "resourceVersion": "1"}
    world.store.put("KafkaCluster", {"kind": "KafkaCluster", "apiVersion": "v", "metadata": metadata})
    world.clusters[CLUSTER] = ClusterFacts(checked=True, connection=SimpleNamespace())
    world.also = frozenset(
        {Need(CONFIGS, before_write_s=2.0), Need(FIRST, before_write_s=2.0), Need(BrokerWrites(CLUSTER))}
    )
    world.alter = AlterConfigs(CLUSTER, "c", {"ours": ConfigChange(WANTED, UNIT.key)})


async def _known(world: World) -> None:
    await world.turn()
    for fact in (FIRST, CONFIGS):
        await world.fetch(fact)
    world.asked.clear()


async def test_what_a_write_is_decided_from_is_read_once_more_where_it_is_not_of_a_moment_ago(world):
    _writing(world)
    await _known(world)
    world.now += 5_000
    await world.turn()
    assert (set(world.asked), world.written, world.patched) == ({FIRST, CONFIGS}, [], [])

    # However long the second takes, the first is not asked for again on its account.
    await world.fetch(CONFIGS)
    world.asked.clear()
    world.now += 30_000
    await world.turn()
    assert (world.asked, world.written) == ([FIRST], [])
    await world.fetch(FIRST)
    assert (await world.turn()).after == 0.0
    assert (world.written, world.patched) == ([{"ours": WANTED}], [])


async def test_what_stays_unanswered_for_long_makes_the_rest_too_old(world):
    _writing(world)
    await _known(world)
    world.now += 5_000
    await world.turn()
    await world.fetch(CONFIGS)
    world.now += 61_000
    await world.fetch(FIRST)
    world.asked.clear()
    await world.turn()
    assert (world.asked, world.written) == ([CONFIGS], [])


async def test_what_was_written_is_known_without_asking_and_only_then_is_a_status_written(world):
    _writing(world)
    world.configs = {"foreign": {"metrics": "a."}}
    await _known(world)
    world.answers = {"refused": TerminalError("InvalidPattern", "no")}
    world.alter = AlterConfigs(CLUSTER, "c", {name: ConfigChange(WANTED, UNIT.key) for name in ("ours", "refused")})
    await world.turn()
    assert world.engine.facts.get(CONFIGS) == Answer(
        SetConfigs({"foreign": {"metrics": "a."}, "ours": WANTED}), world.now
    )
    record = world.engine.facts.get(BrokerWrites(CLUSTER)).value
    assert {name: one.error for name, one in record.results.items()} == {"ours": None, **world.answers}
    assert (record.at_ms, record.failures, world.patched) == (world.now, 0, [])

    world.alter = None
    await world.turn()
    assert (world.asked, len(world.patched)) == ([], 1)


async def test_telling_of_a_write_takes_time_and_makes_the_answer_no_younger_than_the_write(world):
    _writing(world)
    await _known(world)
    real = world.apply

    async def slow(wanted: Any) -> str:
        world.now += 500
        return await real(wanted)

    world.kubernetes.apply = slow
    world.answers = {"refused": TerminalError("InvalidPattern", "no")}
    changes = {"gone": ConfigChange(None, UNIT.key, swept=True), "refused": ConfigChange(WANTED, UNIT.key)}
    world.alter = AlterConfigs(CLUSTER, "c", changes)
    await world.turn()
    assert [one["reason"] for one in world.applied] == ["Swept"]
    # Else it would look as if the brokers had been read since, and what they refused would be tried again at once.
    configs, writes = world.engine.facts.get(CONFIGS), world.engine.facts.get(BrokerWrites(CLUSTER)).value
    assert configs.at_ms == writes.at_ms < world.now


async def test_a_write_that_failed_as_a_whole_is_counted_and_the_cluster_is_looked_at(world):
    _writing(world)
    await _known(world)
    world.woken.clear()
    world.refusal = TransientError("Unreachable", "away")
    for failures in (1, 2):
        await world.turn()
        record = world.engine.facts.get(BrokerWrites(CLUSTER)).value
        assert (record.failure, record.failures, record.at_ms) == (world.refusal, failures, world.now)
    assert world.again == [BrokersSeen.of(world.store.get("KafkaCluster", CLUSTER))] * 2
    assert world.engine.facts.get(CONFIGS).value == SetConfigs()


async def test_a_write_that_was_overtaken_is_decided_again_from_what_is_there_then(world):
    _writing(world)
    await _known(world)
    world.refusal = OvertakenError()
    assert (await world.turn()).after == 0.0
    assert (world.engine.facts.get(CONFIGS), world.patched) == (None, [])


async def test_nothing_is_sent_for_a_later_cluster_of_the_same_name(world):
    _writing(world)
    await _known(world)
    world.alter = AlterConfigs(CLUSTER, "of-one-that-is-gone", {"ours": ConfigChange(WANTED, UNIT.key)})
    assert (await world.turn()).after == 0.0
    assert (world.written, world.engine.facts.get(BrokerWrites(CLUSTER)).value.at_ms) == ([], 0)


async def test_whoever_says_that_an_answer_is_out_of_date_has_it_asked_for_again(world):
    _writing(world)
    await _known(world)
    world.woken.clear()
    world.engine.facts.told(CONFIGS)
    assert (world.engine.facts.get(CONFIGS), world.woken) == (None, [UNIT])


async def test_an_exception_over_a_unit_of_many_is_told_each_of_them(world):
    metadata = {"name": "b", "namespace": "n", "uid": "v", "generation": 1, "resourceVersion": "2"}
    world.store.put(KIND, {"kind": KIND, "apiVersion": "v", "metadata": metadata})
    spec = dataclasses.replace(world.spec, members=lambda _unit: Every(KIND))
    world.engine = Engine(world.context, {KIND: spec}, ask=world.asked.append, wake=world.woken.append)
    together = Unit(KIND, CLUSTER)
    await world.engine.turn(together)
    await world.fetch(FIRST)
    world.trouble = ValueError("secret words")
    with pytest.raises(TransientError, match="InternalError"):
        await world.engine.turn(together)
    assert [version for version, _ in world.patched] == ["1", "2"]
    assert {patch["conditions"][0]["reason"] for _, patch in world.patched} == {"InternalError"}
