"""The engine: what wakes a unit follows from what it needs, and nothing is decided before it is known."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import pytest

from kwitness.contracts.resources.meta import Status
from kwitness.operator.context import ClusterFacts
from kwitness.operator.engine.engine import Engine
from kwitness.operator.model.conditions import ready
from kwitness.operator.model.errors import (
    KubernetesUnavailableError,
    OvertakenError,
    TerminalError,
    TransientError,
)
from kwitness.operator.model.store import Key, Store
from kwitness.operator.shapes.actions import AlterConfigs, ConfigChange, Delete, GrowClaim, Remember
from kwitness.operator.shapes.facts import (
    Answer,
    Attempt,
    BrokersSeen,
    Every,
    Fact,
    KafkaState,
    Labelled,
    NamedObject,
    Watched,
)
from kwitness.operator.shapes.subscription_facts import BrokerConfigs, BrokerWrites, SetConfigs
from kwitness.operator.shapes.work import Decision, KindSpec, Need, Note, Outcome, Unit, View
from kwitness.operator.work_queue import Requeue

KIND = "HeaderRegistry"
UNIT = Unit(KIND, Key("n", "a"))
OWN = Watched(KIND, UNIT.key)
FIRST = NamedObject("ConfigMap", Key("n", "first"))
SECOND = NamedObject("ConfigMap", Key("n", "second"))


class World:
    """An engine with one kind, the objects that it may ask for, and what it did."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}
        self.asked: list[Fact[Any]] = []
        self.again: list[Fact[Any]] = []
        self.woken: list[Unit] = []
        self.decided: list[Any] = []
        self.patched: list[Any] = []
        self.uid = "u"
        self.now = 1_000_000
        self.max_age_s = 60.0
        self.also: frozenset[Need] = frozenset()
        self.alter: AlterConfigs | None = None
        self.trouble: Exception | None = None
        self.remember: Remember | None = None
        self.exchanged: list[Any] = []
        self.refusal: Exception | None = None
        self.outcome: dict[str, Any] = {}
        self.deleted: list[Any] = []
        self.applied: list[Any] = []
        self.grown: list[Any] = []
        self.clusters: dict[Key, ClusterFacts] = {}
        self.store = Store()
        metadata = {"name": "a", "namespace": "n", "uid": "u", "generation": 1, "resourceVersion": "1"}
        self.store.put(KIND, {"kind": KIND, "apiVersion": "v", "metadata": metadata})
        clock = SimpleNamespace(now_ms=lambda: self.now, rfc3339=lambda _ms=None: "2026-01-01T00:00:00Z")
        self.kubernetes = SimpleNamespace(
            get=self.get,
            patch_status=self.patch,
            exchange=self.exchange,
            delete=self.delete,
            apply=self.apply,
            list=self.list,
            grow_claim=self.grow,
        )
        context: Any = SimpleNamespace(
            store=self.store,
            clusters=self.clusters,
            clock=clock,
            settings=SimpleNamespace(status_seconds=0, resync_seconds=600),
            kubernetes=self.kubernetes,
            status_written={},
            event_written={},
            never_ready=set(),
            children_applied={},
            removed={},
            installation="inst",
            enqueue=lambda *woken: self.woken.append(woken),
            ask_again=self.again.append,
            kafka=SimpleNamespace(subscriptions=self.read, alter=self.write),
            children_touched={},
            children_watched=set(),
        )
        self.configs: dict[str, Any] = {}
        self.written: list[Any] = []
        self.answers: dict[str, Any] = {}
        spec = KindSpec(kind=KIND, unit=lambda key: Unit(KIND, key), needs=self.needs, decide=self.decide)
        self.context, self.spec = context, spec
        self.engine = Engine(context, {KIND: spec}, ask=self.asked.append, wake=self.woken.append)

    async def get(self, _kind: str, _namespace: str, name: str) -> Any:
        found = self.objects.get(name)
        if isinstance(found, Exception):
            raise found
        return found

    async def patch(self, _kind: str, _key: Key, patch: Any, *, version: str) -> None:
        self.patched.append((version, patch))

    async def read(self, _connection: Any) -> Any:
        return dict(self.configs)

    async def write(self, _connection: Any, changes: Any, *, holds: Any) -> Any:
        if self.refusal is not None:
            raise self.refusal
        if not holds():
            raise OvertakenError
        self.written.append(dict(changes))
        return {name: self.answers.get(name) for name in changes}

    async def exchange(self, at: Key, data: Any, *, version: str | None) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.exchanged.append((at, dict(data), version))

    async def delete(self, *arguments: Any, **options: Any) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.deleted.append((*arguments, options))

    async def apply(self, wanted: Any) -> str:
        self.applied.append(wanted)
        return "unchanged"

    async def grow(self, at: Key, size: str, *, uid: str) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.grown.append((at, size, uid))

    async def list(self, kind: str, _namespace: str, *, labels: str) -> list[Any]:
        return [{"kind": kind, "metadata": {"name": labels, "managedFields": [{}]}}]

    def needs(self, _unit: Unit, view: View) -> frozenset[Need]:
        """The second object is needed if the first one says so."""
        found = {Need(OWN), Need(FIRST, self.max_age_s), *self.also}
        first = view.get(FIRST)
        return frozenset(found | {Need(SECOND)} if first is not None and first.value == "more" else found)

    def decide(self, _unit: Unit, view: View) -> Decision:
        first = view[FIRST]
        self.decided.append((first.value, first.failure.reason if first.failure else None))
        if self.trouble is not None:
            raise self.trouble
        if view[OWN].value is None:
            return Decision(again="forget")
        outcome = Outcome(self.uid, 1, Status(), (ready("Available", "m"),), **self.outcome)
        return Decision({UNIT.key: outcome}, remember=self.remember, alter=self.alter)

    async def turn(self) -> Requeue:
        return await self.engine.turn(UNIT)

    async def fetch(self, fact: Fact[Any]) -> Requeue:
        return await self.engine.facts.fetch(fact)


@pytest.fixture
def world() -> World:
    return World()


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
