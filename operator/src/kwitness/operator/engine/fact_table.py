"""Answers by fact, and who needs them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, TypeVar

from kwitness.operator.context import Context
from kwitness.operator.engine.sources import fetch, is_in_memory, is_known, recall
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError, OvertakenError
from kwitness.operator.model.ownership import MANAGED
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.unexpected import as_operator_error
from kwitness.operator.shapes.facts import Answer, Attempt, Ending, Fact, Labelled, LivePods, NamedObject
from kwitness.operator.shapes.work import Need, Unit
from kwitness.operator.work_queue import Requeue

__all__ = ["FactTable"]

_WATCHED_SECONDS: Final = 60.0
"""Between looks at what a watch tells of, should it have missed something."""

T = TypeVar("T")


class FactTable:
    """What is known, and which units to wake when it changes.

    Parameters
    ----------
    context
        Where facts in memory are.
    ask
        Has a fact fetched; it may be asked for many times and is fetched once.
    wake
        Has a unit looked at.
    """

    def __init__(self, context: Context, *, ask: Callable[[Fact[Any]], None], wake: Callable[[Unit], None]) -> None:
        self._context = context
        self._ask = ask
        self._wake = wake
        self._answers: dict[Fact[Any], Answer[Any]] = {}
        self._needed: dict[Unit, frozenset[Fact[Any]]] = {}
        self._units: defaultdict[Fact[Any], set[Unit]] = defaultdict(set)
        self._asking: set[Fact[Any]] = set()
        self._overtaken: set[Fact[Any]] = set()
        self._begun: dict[Fact[Any], Callable[[], Awaitable[Any]]] = {}
        self._of_brokers: dict[Fact[Any], asyncio.Future[Any]] = {}

    def get(self, fact: Fact[T]) -> Answer[T] | None:
        """What is known of a fact; None if nothing is."""
        if is_in_memory(fact):
            return Answer(recall(self._context, fact), self._context.clock.now_ms())
        if isinstance(fact, Ending):
            return self._answers.get(fact) or Answer(None, 0)
        return self._answers.get(fact)

    def subscribe(self, unit: Unit, facts: Iterable[Fact[Any]]) -> None:
        """Have ``unit`` woken by these facts and no others; answers that nobody needs any more are forgotten."""
        before, now = self._needed.get(unit, frozenset()), frozenset(facts)
        for fact in now - before:
            self._units[fact].add(unit)
        for fact in before - now:
            self._units[fact].discard(unit)
            if not self._units[fact]:
                self._forget(fact)
        self._needed[unit] = now
        if not now:
            del self._needed[unit]

    def awaited(self, needs: Iterable[Need]) -> bool:
        """Ask for the answers that are missing or too old; return whether any of them has to be awaited.

        What could not be found out last time is tried again in its own time, and counts as answered until then.
        """
        now = self._context.clock.now_ms()
        missing = [need for need in needs if not self._is_current(need, now)]
        for need in missing:
            if not is_in_memory(need.fact) and need.fact not in self._asking:
                self._ask(need.fact)
        return any(need.awaited for need in missing)

    def ask_again(self, fact: Fact[Any]) -> None:
        """Ask for a fact that is in doubt, if anybody needs it; until it is answered the last answer counts."""
        if fact in self._units and fact not in self._asking:
            self._ask(fact)

    def begin(self, fact: Ending[T], work: Callable[[], Awaitable[T]]) -> None:
        """Have something done beside the workers, once at a time; how it ended is ``fact``, as long as it is needed."""
        if fact in self._units and fact not in self._begun:
            self._begun[fact] = work
            self._ask(fact)

    def told(self, fact: Fact[Any]) -> None:
        """Wake those who need a fact that has changed."""
        for unit in list(self._units.get(fact, ())):
            self._wake(unit)

    def tried(self, fact: Attempt, refusal: OperatorError | None) -> None:
        """Remember how an attempt ended, as long as somebody needs to know."""
        if fact in self._units:
            self._answers[fact] = Answer(refusal, self._context.clock.now_ms())

    def outdate(self, facts: Iterable[Fact[Any]]) -> None:
        """Forget answers that our own writes made untrue."""
        for fact in facts:
            self._answers.pop(fact, None)
            if fact in self._asking:
                self._overtaken.add(fact)

    def touched(self, kind: str, key: Key) -> None:
        """Wake those who need to know of an object that somebody changed, so that it is read again."""
        for fact in self.outdate_object(kind, key):
            self.told(fact)

    def patience(self, need: Need) -> float:
        """Seconds after which an answer is too old: where a watch tells of changes, it need not be asked for often."""
        rarely = min(_WATCHED_SECONDS, self._context.settings.resync_seconds / 2)
        return rarely if need.max_age_s < rarely and self._is_watched(need.fact) else need.max_age_s

    def _is_watched(self, fact: Fact[Any]) -> bool:
        answer = self._answers.get(fact)
        if answer is None or not isinstance(fact, NamedObject | Labelled):
            return False
        namespace = fact.key.namespace if isinstance(fact, NamedObject) else fact.namespace
        if not {(fact.kind, namespace), (fact.kind, None)} & self._context.children_watched:
            return False
        found = answer.value if isinstance(fact, Labelled) else (answer.value,)
        # What is not there yet may be made by an operator of another version, without the label.
        return all(one is not None and MANAGED in one["metadata"].get("labels", {}) for one in found or (None,))

    def outdate_object(self, kind: str, key: Key) -> tuple[Fact[Any], ...]:
        """Forget what is known of an object that was written or deleted: by its name, among others, and of its pods."""
        about = []
        for fact in [*self._answers, *self._asking]:
            among = isinstance(fact, Labelled) and (fact.kind, fact.namespace) == (kind, key.namespace)
            pods = isinstance(fact, LivePods) and fact.namespace == key.namespace
            if among or pods or fact == NamedObject(kind, key):
                about.append(fact)
        self.outdate(about)
        return tuple(about)

    async def fetch(self, fact: Fact[Any]) -> Requeue:
        """Find out a fact and wake those who need it; what fails is remembered beside the last value and raised."""
        if fact not in self._units:
            return Requeue.never()
        self._asking.add(fact)
        try:
            value = await self._find_out(fact)
        except asyncio.CancelledError:
            if (ours := asyncio.current_task()) is None or ours.cancelling():
                raise
            # It was given up, and perhaps needed again meanwhile.
            return Requeue(after=0.0) if fact in self._units else Requeue.never()
        except OvertakenError:
            # What it was asked for holds no longer, so whoever needs it has to look at what holds now.
            self._begun.pop(fact, None)
            self.told(fact)
            return Requeue.never()
        except Exception as caught:
            failure = as_operator_error(caught, type(fact).__name__, fact)
            self._failed(fact, failure)
            raise failure from caught
        finally:
            self._asking.discard(fact)
            overtaken = fact in self._overtaken
            self._overtaken.discard(fact)
        if overtaken:
            # It may be of before our own write.
            return Requeue(after=0.0)
        self._begun.pop(fact, None)
        self._answers[fact] = Answer(value, self._context.clock.now_ms())
        self.told(fact)
        return Requeue.never()

    async def _find_out(self, fact: Fact[Any]) -> Any:
        work = self._begun.get(fact)
        found = fetch(self._context, fact) if work is None else work()
        if not fact.of_brokers:
            return await found
        # By whom nobody should be waited for longer than somebody needs to.
        self._of_brokers[fact] = asyncio.ensure_future(found)
        try:
            return await self._of_brokers[fact]
        finally:
            del self._of_brokers[fact]

    def _forget(self, fact: Fact[Any]) -> None:
        del self._units[fact]
        self._answers.pop(fact, None)
        self._begun.pop(fact, None)
        if fact in self._of_brokers:
            self._of_brokers[fact].cancel()

    def _is_current(self, need: Need, now_ms: int) -> bool:
        if isinstance(need.fact, Ending):
            return True
        if is_in_memory(need.fact):
            return is_known(self._context, need.fact)
        answer = self._answers.get(need.fact)
        if answer is None or isinstance(answer.failure, KubernetesUnavailableError):
            # An API server that is away says nothing about any resource.
            return False
        return answer.failure is not None or now_ms - answer.at_ms <= self.patience(need) * 1000

    def _failed(self, fact: Fact[Any], failure: OperatorError) -> None:
        before = self._answers.get(fact)
        value = None if before is None else before.value
        self._answers[fact] = Answer(value, self._context.clock.now_ms(), failure)
        if before is None or before.failure is None or before.failure.message != failure.message:
            self.told(fact)
