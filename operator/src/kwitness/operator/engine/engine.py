"""One turn of a unit: read facts, decide, apply what is shared and children, write statuses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

from kwitness.contracts.resources.meta import Status
from kwitness.operator.context import Context
from kwitness.operator.engine.fact_table import FactTable
from kwitness.operator.engine.performing import attempt, attempt_of, perform, tell
from kwitness.operator.engine.reading import Reading
from kwitness.operator.model.conditions import Verdict, failure
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError, OvertakenError
from kwitness.operator.model.pause import paused, stands_still
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.reconcile.broker_configs import write_configs
from kwitness.operator.reconcile.children import apply_children, children_are_due, remove_child
from kwitness.operator.reconcile.events import emit
from kwitness.operator.reconcile.status_writer import write_status
from kwitness.operator.reconcile.topics import create_topics
from kwitness.operator.reconcile.unexpected import as_operator_error
from kwitness.operator.shapes.actions import AlterConfigs, GrowClaim, Remember
from kwitness.operator.shapes.facts import Body, Fact, NamedObject, TopicsCreated
from kwitness.operator.shapes.subscription_facts import BrokerConfigs
from kwitness.operator.shapes.work import KindSpec, Need, Outcome, Unit
from kwitness.operator.work_queue import Requeue

__all__ = ["Engine"]

_MOST_ROUNDS: Final = 4
"""Of asking what a unit needs: what is needed may follow from what was found, but not for ever."""
_AT_ONCE: Final = 8
"""Resources of one unit; the API server answers each within a few milliseconds."""
_LONGEST_ROUND_MS: Final = 60_000
"""What was asked for before a write is asked for again if the rest has not come since."""


class Engine:
    """Runs kinds.

    Parameters
    ----------
    context
        Settings, store and adapters.
    specs
        The kinds, by name.
    ask, wake
        As in `FactTable`.
    """

    def __init__(
        self,
        context: Context,
        specs: Mapping[str, KindSpec],
        *,
        ask: Callable[[Fact[Any]], None],
        wake: Callable[[Unit], None],
    ) -> None:
        self._context = context
        self._specs = specs
        self.facts = FactTable(context, ask=ask, wake=wake)
        self._writing: dict[Unit, int] = {}

    async def turn(self, unit: Unit) -> Requeue:
        """Work on a unit once; while a fact is missing nothing is decided, and its arrival wakes the unit.

        Raises
        ------
        OperatorError
            A child could not be applied; it is in the status already, unless the API server is away.
        """
        spec = self._specs[unit.kind]
        try:
            needs, view = self._read(spec, unit)
            if self.facts.awaited(needs):
                return Requeue()
            decision = spec.decide(unit, view)
        except Exception as caught:
            error = as_operator_error(caught, unit.kind, unit.key)
            for key in self._members(spec, unit):
                await self._report(Unit(unit.kind, key), error)
            raise error from caught
        if decision.alter is not None:
            return await self._alter(unit, decision.alter, needs)
        self._writing.pop(unit, None)
        for what in decision.tells:
            tell(self._context, what)
        if decision.again == "forget":
            self.facts.subscribe(unit, ())
            return Requeue.never()
        if decision.remember is not None:
            await self._remember(unit, decision.remember, decision.outcomes)
            return Requeue(after=0.0)
        if decision.creates is not None:
            self.facts.begin(TopicsCreated(decision.creates), partial(create_topics, self._context, decision.creates))
            return Requeue()
        if decision.shared and children_are_due(self._context, unit.kind, unit.key, decision.shared):
            await self._share(unit, decision.shared)
        waits = [decision.after_s, *await self._carry_out_all(spec, unit.kind, decision.outcomes)]
        ages = [age for age in map(self.facts.patience, needs) if age != float("inf")]
        return Requeue(after=min((*ages, *(wait for wait in waits if wait is not None)), default=None))

    def _read(self, spec: KindSpec, unit: Unit) -> tuple[frozenset[Need], Reading]:
        needs: frozenset[Need] = frozenset()
        view = self._reading(needs)
        for _ in range(_MOST_ROUNDS):
            found = spec.needs(unit, view)
            if found == needs:
                break
            needs = found
            view = self._reading(needs)
        self.facts.subscribe(unit, (need.fact for need in needs))
        return needs, view

    def _reading(self, needs: frozenset[Need]) -> Reading:
        facts = frozenset(need.fact for need in needs)
        return Reading(self.facts.get, facts, now_ms=self._context.clock.now_ms(), settings=self._context.settings)

    async def _alter(self, unit: Unit, action: AlterConfigs, needs: frozenset[Need]) -> Requeue:
        """Write to brokers once all that it was decided from is young enough; the status is about what came of it."""
        now = self._context.clock.now_ms()
        began = self._writing.get(unit, now)
        if now - began > _LONGEST_ROUND_MS:
            began = now
        self._writing[unit] = began
        if self.facts.awaited_before_writing(needs, began):
            return Requeue()
        del self._writing[unit]
        fact = BrokerConfigs(action.cluster)
        known = self.facts.get(fact)
        if known is None or known.value is None:
            return Requeue(after=0.0)
        try:
            written = await write_configs(self._context, action, known.value)
        except OvertakenError:
            self.facts.outdate((fact,))
            return Requeue(after=0.0)
        if written is not None:
            self.facts.learned(fact, written.configs, written.at_ms)
        return Requeue(after=0.0)

    async def _carry_out_all(self, spec: KindSpec, kind: str, outcomes: Mapping[Key, Outcome]) -> list[float | None]:
        turns = asyncio.Semaphore(_AT_ONCE)

        async def carry_out(key: Key, outcome: Outcome) -> float | None:
            if outcome.unexpected is not None:
                as_operator_error(outcome.unexpected, kind, key)
            async with turns:
                return await self._carry_out(spec, kind, key, outcome)

        found = await asyncio.gather(*(carry_out(*one) for one in outcomes.items()), return_exceptions=True)
        for one in found:
            if isinstance(one, BaseException):
                raise one
        return [one for one in found if not isinstance(one, BaseException)]

    async def _carry_out(self, spec: KindSpec, kind: str, key: Key, outcome: Outcome) -> float | None:
        """Apply children, then write the status; return the seconds until something is due, None at the resync."""
        body = self._context.store.get(kind, key)
        if body is None or body["metadata"].get("uid") != outcome.uid or "deletionTimestamp" in body["metadata"]:
            return None
        verdicts, trouble = outcome.verdicts, None
        late: OperatorError | None = None
        if outcome.children is not None:
            if stands_still(body):
                verdicts = _with_ready(verdicts, paused("its pods and what belongs to them are left as they are"))
            else:
                try:
                    if await self._write(spec, kind, key, outcome, outcome.children):
                        # What was written is a fact of the next turn, and the status is about that one.
                        return 0.0
                except KubernetesUnavailableError:
                    raise
                except Exception as caught:  # noqa: BLE001 - an unexpected one becomes a condition too
                    trouble = as_operator_error(caught, kind, key)
                    verdicts = _with_ready(verdicts, failure(trouble))
                else:
                    late = await self._perform(kind, key, outcome)
        subject = Subject(key, outcome.uid, outcome.generation)
        wait = await write_status(self._context, kind, subject, fields=_fields(outcome.status), verdicts=verdicts)
        for note in () if stands_still(body) else outcome.notes:
            await emit(
                self._context,
                kind,
                key,
                reason=note.reason,
                about=note.about,
                action=note.action,
                note=note.message,
                type_=note.type,
            )
        if (error := trouble or late) is not None:
            raise error
        return wait

    async def _write(self, spec: KindSpec, kind: str, key: Key, outcome: Outcome, children: tuple[Body, ...]) -> bool:
        """Make objects as they are to be; return whether there was anything to do."""
        removed = await self._remove(outcome)
        applied = await self._apply(spec, kind, key, outcome, children)
        return removed or applied or await self._attempt(kind, key, outcome)

    async def _remove(self, outcome: Outcome) -> bool:
        for one in outcome.removals:
            try:
                await self._context.kubernetes.delete(
                    one.kind, one.key.namespace, one.key.name, uid=one.uid, foreground=True
                )
            finally:
                self.facts.outdate_object(one.kind, one.key)
        return bool(outcome.removals)

    async def _share(self, unit: Unit, objects: tuple[Body, ...]) -> None:
        for one in await apply_children(self._context, unit.kind, unit.key, objects):
            written = NamedObject(one["kind"], Key(one["metadata"]["namespace"], one["metadata"]["name"]))
            self.facts.outdate((written,))
            self.facts.told(written)

    async def _remember(self, unit: Unit, what: Remember, outcomes: Iterable[Key]) -> None:
        written = NamedObject("ConfigMap", what.at)
        try:
            data = {"data": dict(what.data)}
            await self._context.kubernetes.exchange("ConfigMap", what.at, data, version=what.version)
        except Exception as caught:
            error = as_operator_error(caught, unit.kind, unit.key)
            if not isinstance(error, KubernetesUnavailableError):
                for key in outcomes:
                    await self._report(Unit(unit.kind, key), error)
            raise error from caught
        finally:
            # Whoever was first, what we know is not what is there.
            self.facts.outdate((written,))
        self.facts.told(written)

    async def _attempt(self, kind: str, key: Key, outcome: Outcome) -> bool:
        """Carry out what may be refused without harm; how it ended is a fact of the next turn."""
        for one in outcome.attempts:
            error: OperatorError | None = None
            try:
                await attempt(self._context, one)
            except KubernetesUnavailableError:
                raise
            except Exception as caught:  # noqa: BLE001 - an unexpected one becomes a condition too
                error = as_operator_error(caught, kind, key)
            self.facts.tried(attempt_of(one), error)
            if error is None and isinstance(one, GrowClaim):
                # Not after a refusal: the attempt follows from what is known of the claim, and would be forgotten.
                self.facts.outdate_object("PersistentVolumeClaim", one.key)
        return bool(outcome.attempts)

    async def _perform(self, kind: str, key: Key, outcome: Outcome) -> OperatorError | None:
        try:
            for action in outcome.actions:
                await perform(self._context, action)
        except Exception as caught:  # noqa: BLE001 - whatever it was, it is tried again
            return as_operator_error(caught, kind, key)
        return None

    async def _apply(self, spec: KindSpec, kind: str, key: Key, outcome: Outcome, children: tuple[Body, ...]) -> bool:
        if not children_are_due(self._context, kind, key, children):
            return False
        written: list[Body] | None = None
        try:
            written = await apply_children(self._context, kind, key, children)
        finally:
            # Where it broke off, some of them may have been written.
            for one in children if written is None else written:
                self.facts.outdate_object(one["kind"], Key(one["metadata"]["namespace"], one["metadata"]["name"]))
        made = {(child["kind"], child["metadata"]["name"]) for child in children}
        made |= {(one.kind, one.key.name) for one in outcome.kept}
        for optional in spec.optional:
            name = optional.name(key.name)
            if (optional.kind, name) not in made:
                await remove_child(self._context, optional.kind, Key(key.namespace, name), outcome.uid)
        return bool(written)

    def _members(self, spec: KindSpec, unit: Unit) -> list[Key]:
        answer = None if spec.members is None else self.facts.get(spec.members(unit))
        return [unit.key] if answer is None else [Subject.of(one).key for one in answer.value or ()]

    async def _report(self, unit: Unit, error: OperatorError) -> None:
        body = self._context.store.get(unit.kind, unit.key)
        if body is None:
            return
        kept = {name: value for name, value in (body.get("status") or {}).items() if name not in _ENGINES}
        await write_status(self._context, unit.kind, Subject.of(body), fields=kept, verdicts=[failure(error)])


_ENGINES: Final = frozenset({"conditions", "observedGeneration"})


def _with_ready(verdicts: tuple[Verdict, ...], ready: Verdict) -> tuple[Verdict, ...]:
    return (ready, *(one for one in verdicts if one.type != "Ready"))


def _fields(status: Status) -> dict[str, Any]:
    return status.model_dump(
        mode="json", by_alias=True, exclude_none=True, exclude={"observed_generation", "conditions"}
    )
