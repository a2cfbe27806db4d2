"""What brokers are asked for: nobody waits for it, it is given up in time, and what is begun there ends as a fact."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from kwitness.operator.context import ClusterFacts, Slots
from kwitness.operator.engine import fact_table
from kwitness.operator.engine.fact_table import FactTable
from kwitness.operator.model.cluster_description import WantedTopic
from kwitness.operator.model.errors import OvertakenError, TerminalError, TransientError
from kwitness.operator.model.store import Key, Store
from kwitness.operator.reconcile.cluster_looks import look_again
from kwitness.operator.reconcile.topics import create_topics
from kwitness.operator.shapes.actions import CreateTopics
from kwitness.operator.shapes.facts import Answer, BrokersSeen, Fact, HeldBack, KafkaState, SameKafka, TopicsCreated
from kwitness.operator.shapes.work import Need, Unit
from kwitness.operator.work_queue import Requeue

AT = Key("n", "main")
UNIT = Unit("KafkaCluster", AT)
LOOK = BrokersSeen(AT, "u", 1)
CREATION = CreateTopics(AT, "u", "c", (WantedTopic("t", 1, 1, {"retention.ms": "1"}),))
CREATED = TopicsCreated(CREATION)


class Brokers:
    """Brokers that answer when a test lets them, a table of facts over them, and what it did."""

    def __init__(self) -> None:
        self.asked: list[Fact[Any]] = []
        self.woken: list[Unit] = []
        self.now = 1000
        self.seen = 0
        self.answering = asyncio.Event()
        self.answering.set()
        self.given_up = 0
        clock, settings = SimpleNamespace(now_ms=lambda: self.now), SimpleNamespace(resync_seconds=600)
        context: Any = SimpleNamespace(clock=clock, settings=settings, store=Store(), clusters={})
        self.facts = FactTable(context, ask=self.asked.append, wake=self.woken.append)

    async def look(self, *_: Any) -> int:
        try:
            await self.answering.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        self.seen += 1
        return self.seen


@pytest.fixture
def brokers(monkeypatch) -> Brokers:
    found = Brokers()
    monkeypatch.setattr(fact_table, "fetch", found.look)
    found.facts.subscribe(UNIT, (LOOK, CREATED))
    return found


async def test_it_is_decided_without_what_is_not_awaited_and_with_what_is_too_old_of_it(brokers):
    need = Need(LOOK, 60.0, awaited=False)
    assert brokers.facts.awaited([need]) is False
    assert brokers.asked == [LOOK]
    await brokers.facts.fetch(LOOK)
    assert brokers.woken == [UNIT]

    brokers.now += 61_000
    assert brokers.facts.awaited([need]) is False
    assert brokers.asked == [LOOK, LOOK]
    assert brokers.facts.get(LOOK) == Answer(1, 1000)


async def test_who_is_being_asked_is_not_asked_once_more(brokers):
    brokers.answering.clear()
    asking = asyncio.create_task(brokers.facts.fetch(LOOK))
    await asyncio.sleep(0)
    assert brokers.facts.awaited([Need(LOOK)]) is True
    brokers.facts.ask_again(LOOK)
    assert brokers.asked == []
    brokers.answering.set()
    await asking


async def test_a_look_that_nobody_needs_any_more_is_given_up(brokers):
    brokers.answering.clear()
    asking = asyncio.create_task(brokers.facts.fetch(LOOK))
    await asyncio.sleep(0.01)
    later = BrokersSeen(AT, "u", 2)
    brokers.facts.subscribe(UNIT, (later,))
    assert await asking == Requeue.never()
    assert (brokers.given_up, brokers.facts.get(LOOK), brokers.woken) == (1, None, [])


async def test_one_that_is_needed_again_meanwhile_is_begun_once_more(brokers):
    brokers.answering.clear()
    asking = asyncio.create_task(brokers.facts.fetch(LOOK))
    await asyncio.sleep(0.01)
    brokers.facts.subscribe(UNIT, ())
    brokers.facts.subscribe(UNIT, (LOOK,))
    assert await asking == Requeue(after=0.0)


async def test_the_end_of_the_process_ends_a_look_too(brokers):
    brokers.answering.clear()
    asking = asyncio.create_task(brokers.facts.fetch(LOOK))
    await asyncio.sleep(0.01)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert brokers.given_up == 1


async def test_a_look_in_doubt_is_asked_for_where_it_is_needed(brokers):
    store = Store()
    context: Any = SimpleNamespace(store=store, ask_again=brokers.facts.ask_again)
    look_again(context, AT)
    metadata = {"name": "main", "namespace": "n", "uid": "u", "generation": 2, "resourceVersion": "1"}
    store.put("KafkaCluster", {"metadata": metadata})
    look_again(context, AT)
    assert brokers.asked == []
    brokers.facts.subscribe(UNIT, (BrokersSeen(AT, "u", 2),))
    look_again(context, AT)
    assert brokers.asked == [BrokersSeen(AT, "u", 2)]


async def test_what_is_begun_is_done_once_and_its_end_is_told(brokers):
    done = []

    async def work() -> dict[str, None]:
        done.append(1)
        return {"t": None}

    for _ in range(2):
        brokers.facts.begin(CREATED, work)
    assert (brokers.asked, brokers.facts.get(CREATED)) == ([CREATED], Answer(None, 0))
    # It is no question, so nobody waits for an answer.
    assert brokers.facts.awaited([Need(CREATED)]) is False
    await brokers.facts.fetch(CREATED)
    assert (done, brokers.woken) == ([1], [UNIT])
    assert brokers.facts.get(CREATED) == Answer({"t": None}, 1000)


async def test_what_fails_altogether_is_told_and_tried_again_by_its_queue(brokers):
    failure = TransientError("Unreachable", "away")

    async def work() -> dict[str, None]:
        if failure is not None:
            raise failure
        return {}

    brokers.facts.begin(CREATED, work)
    with pytest.raises(TransientError):
        await brokers.facts.fetch(CREATED)
    assert brokers.facts.get(CREATED) == Answer(None, 1000, failure)
    failure = None
    await brokers.facts.fetch(CREATED)
    assert brokers.facts.get(CREATED) == Answer({}, 1000)


async def test_what_holds_no_longer_is_decided_again(brokers):
    async def work() -> dict[str, None]:
        raise OvertakenError

    brokers.facts.begin(CREATED, work)
    assert await brokers.facts.fetch(CREATED) == Requeue.never()
    assert (brokers.woken, brokers.facts.get(CREATED)) == ([UNIT], Answer(None, 0))
    brokers.facts.begin(CREATED, work)
    assert brokers.asked == [CREATED, CREATED]


class Kafka:
    """Brokers with a cluster id that create topics, or refuse."""

    def __init__(self, refusal: Exception | None = None) -> None:
        self.refusal = refusal
        self.made: list[str] = []

    async def create_topics(self, connection: Any, topics: tuple[WantedTopic, ...], *, holds: Any) -> Any:
        assert connection.cluster_id == "c"
        if not holds():
            raise OvertakenError
        if self.refusal is not None:
            raise self.refusal
        self.made = [topic.name for topic in topics]
        return dict.fromkeys(self.made)


def _context(kafka: Kafka, *, cluster_id: str = "c", **annotations: str) -> Any:
    store = Store()
    metadata = {"name": "main", "namespace": "n", "uid": "u", "generation": 1, "resourceVersion": "1"}
    store.put("KafkaCluster", {"metadata": {**metadata, "annotations": annotations}})
    connection: Any = SimpleNamespace(cluster_id=cluster_id)
    return SimpleNamespace(store=store, kafka=kafka, slots=Slots(), clusters={AT: ClusterFacts(connection=connection)})


async def test_topics_are_created_on_the_cluster_that_was_seen_and_on_no_other():
    kafka = Kafka()
    assert await create_topics(_context(kafka), CREATION) == {"t": None}
    assert kafka.made == ["t"]
    for context in (
        _context(kafka, cluster_id="another"),
        _context(kafka, **{"kwitness.dev/pause": "true"}),
        SimpleNamespace(clusters={}),
    ):
        kafka.made = []
        with pytest.raises(OvertakenError):
            await create_topics(context, CREATION)
        assert kafka.made == []


async def test_what_the_brokers_say_of_topics_is_an_answer_and_what_they_say_of_all_is_not():
    refusal = TerminalError("TopicsRefused", "no")
    assert await create_topics(_context(Kafka(refusal)), CREATION) == {"t": refusal}
    with pytest.raises(TransientError):
        await create_topics(_context(Kafka(TransientError("Unreachable", "away"))), CREATION)


def test_who_leads_to_the_same_kafka_is_told_by_what_was_seen_and_else_by_the_status():
    store, looked = Store(), Key("n", "looked")
    for name, status in (("looked", "old"), ("other", "c"), ("third", "d")):
        metadata = {"name": name, "namespace": "n", "uid": name, "resourceVersion": "1"}
        store.put("KafkaCluster", {"metadata": metadata, "status": {"clusterId": status}})
    context: Any = SimpleNamespace(
        store=store,
        clusters={looked: ClusterFacts(cluster_id="c", deletion_held=("x",))},
        clock=SimpleNamespace(now_ms=lambda: 1),
    )
    table = FactTable(context, ask=[].append, wake=[].append)
    known = table.get(SameKafka("c"))
    assert known is not None
    assert known.value == (looked, Key("n", "other"))
    assert [table.get(HeldBack(key)).value for key in (looked, AT)] == [("x",), None]


def test_brokers_of_a_cluster_that_this_process_has_not_reached_are_those_of_its_status():
    store = Store()
    metadata = {"name": AT.name, "namespace": AT.namespace, "uid": "a", "resourceVersion": "1"}
    status = {"clusterId": "c", "brokers": {"total": 3, "nodeIds": [30, 1, 2], "first": []}}
    store.put("KafkaCluster", {"metadata": metadata, "status": status})
    clusters = {AT: ClusterFacts(checked=True, trouble="away")}
    context: Any = SimpleNamespace(store=store, clusters=clusters, clock=SimpleNamespace(now_ms=lambda: 1))
    known = FactTable(context, ask=[].append, wake=[].append).get(KafkaState(AT))
    assert known is not None
    assert known.value is not None
    assert (known.value.cluster_id, known.value.node_ids, known.value.trouble) == ("c", (1, 2, 30), "away")
