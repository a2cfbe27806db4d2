"""An engine with one kind, and the world around it, in memory."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kwitness.contracts.resources.meta import Status
from kwitness.operator.context import ClusterFacts
from kwitness.operator.engine.engine import Engine
from kwitness.operator.model.conditions import ready
from kwitness.operator.model.errors import (
    OvertakenError,
)
from kwitness.operator.model.store import Key, Store
from kwitness.operator.shapes.actions import AlterConfigs, Remember
from kwitness.operator.shapes.facts import (
    Fact,
    NamedObject,
    Watched,
)
from kwitness.operator.shapes.work import Decision, KindSpec, Need, Outcome, Unit, View
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

    async def exchange(self, kind: str, at: Key, content: Any, *, version: str | None) -> None:
        if self.refusal is not None:
            raise self.refusal
        assert kind == "ConfigMap"
        self.exchanged.append((at, content["data"], version))

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
