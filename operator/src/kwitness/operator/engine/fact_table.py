"""Answers by fact, and who needs them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from kwitness.operator.context import Context
from kwitness.operator.engine.sources import fetch, is_in_memory, is_known, recall
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.unexpected import as_operator_error
from kwitness.operator.shapes.facts import Answer, Attempt, Fact, Labelled, LivePods, NamedObject
from kwitness.operator.shapes.work import Need, Unit
from kwitness.operator.work_queue import Requeue

__all__ = ["FactTable"]

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

    def get(self, fact: Fact[T]) -> Answer[T] | None:
        """What is known of a fact; None if nothing is."""
        if is_in_memory(fact):
            return Answer(recall(self._context, fact), self._context.clock.now_ms())
        if isinstance(fact, Attempt):
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
                del self._units[fact]
                self._answers.pop(fact, None)
        self._needed[unit] = now
        if not now:
            del self._needed[unit]

    def awaited(self, needs: Iterable[Need]) -> bool:
        """Ask for the answers that are missing or too old; return whether there are any.

        What could not be found out last time is tried again in its own time, and counts as answered until then.
        """
        now = self._context.clock.now_ms()
        missing = [need.fact for need in needs if not self._is_current(need, now)]
        for fact in missing:
            if not is_in_memory(fact):
                self._ask(fact)
        return bool(missing)

    def awaited_before_writing(self, needs: Iterable[Need], began_ms: int) -> bool:
        """Ask for the answers that are too old for a write decided on at ``began_ms``; return whether there are any.

        Those that came since then count, however long others take, or slow ones would be asked for in turn for ever.
        """
        old = [need.fact for need in needs if not self._is_young(need, began_ms)]
        for fact in old:
            self._ask(fact)
        return bool(old)

    def told(self, fact: Fact[Any]) -> None:
        """Wake those who need a fact that has changed; one that has to be asked for is asked for again."""
        if not is_in_memory(fact):
            self.outdate((fact,))
        self._wake_units(fact)

    def learned(self, fact: Fact[T], value: T, at_ms: int) -> None:
        """Take what our own write, which ended at ``at_ms``, made true for the answer to a fact that somebody needs."""
        self.outdate((fact,))
        if fact in self._units:
            self._answers[fact] = Answer(value, at_ms)

    def _wake_units(self, fact: Fact[Any]) -> None:
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

    def outdate_object(self, kind: str, key: Key) -> None:
        """Forget what is known of an object that we wrote or deleted: by its name, among others, and of its pods."""
        for fact in [*self._answers, *self._asking]:
            among = isinstance(fact, Labelled) and (fact.kind, fact.namespace) == (kind, key.namespace)
            pods = isinstance(fact, LivePods) and fact.namespace == key.namespace
            if among or pods or fact == NamedObject(kind, key):
                self.outdate((fact,))

    async def fetch(self, fact: Fact[Any]) -> Requeue:
        """Find out a fact and wake those who need it; what fails is remembered beside the last value and raised."""
        if fact not in self._units:
            return Requeue.never()
        self._asking.add(fact)
        try:
            value = await fetch(self._context, fact)
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
        self._answers[fact] = Answer(value, self._context.clock.now_ms())
        self._wake_units(fact)
        return Requeue.never()

    def _is_current(self, need: Need, now_ms: int) -> bool:
        if isinstance(need.fact, Attempt):
            return True
        if is_in_memory(need.fact):
            return is_known(self._context, need.fact)
        answer = self._answers.get(need.fact)
        if answer is None or isinstance(answer.failure, KubernetesUnavailableError):
            # An API server that is away says nothing about any resource.
            return False
        return answer.failure is not None or now_ms - answer.at_ms <= need.max_age_s * 1000

    def _is_young(self, need: Need, began_ms: int) -> bool:
        if need.before_write_s is None:
            return True
        answer = self._answers.get(need.fact)
        if answer is None or isinstance(answer.failure, KubernetesUnavailableError):
            return False
        return answer.failure is not None or began_ms - answer.at_ms <= need.before_write_s * 1000

    def _failed(self, fact: Fact[Any], failure: OperatorError) -> None:
        before = self._answers.get(fact)
        value = None if before is None else before.value
        self._answers[fact] = Answer(value, self._context.clock.now_ms(), failure)
        if before is None or before.failure is None or before.failure.message != failure.message:
            self._wake_units(fact)
