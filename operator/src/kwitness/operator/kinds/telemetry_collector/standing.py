"""What stands of a collector: its StatefulSet, its claims, and how attempts at what may be refused ended."""

from __future__ import annotations

from dataclasses import dataclass

from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.environment.needs import PROGRESS_SECONDS, settled_seconds
from kwitness.operator.kinds.telemetry_collector.objects import service_monitor
from kwitness.operator.kinds.telemetry_collector.status import is_settled
from kwitness.operator.kinds.telemetry_collector.storage import (
    StandingStorage,
    claim_names,
    growths,
    is_larger,
    standing_storage,
    storage_verdict,
)
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.fingerprints import fingerprint
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.actions import ApplyAlone, GrowClaim
from kwitness.operator.shapes.facts import Answer, Applied, Attempt, Body, NamedObject
from kwitness.operator.shapes.work import Need, View
from kwitness.runtime.child_names import collector_name

__all__ = ["Standing", "standing_needs"]

_AFTER_REFUSAL_SECONDS = 300.0
"""Between attempts at what was refused: quotas, classes and Roles are not watched."""


@dataclass(frozen=True, slots=True)
class Standing:
    """As much of it as is known by now."""

    collector: TelemetryCollector
    stateful_set: Body | None
    storage: StandingStorage | None
    claims: tuple[Body, ...]
    hidden: tuple[str, ...]
    """Names of claims that could not be read."""

    @classmethod
    def of(cls, collector: TelemetryCollector, view: View) -> Standing:
        """Read it."""
        answer = view.get(_stateful_set(collector))
        stateful_set = answer.value if answer is not None else None
        storage = standing_storage(collector, stateful_set)
        found = {fact.key.name: view.get(fact) for fact in _claims(collector, storage)}
        claims = tuple(one.value for one in found.values() if one is not None and one.value is not None)
        hidden = tuple(name for name, one in found.items() if one is not None and one.failure is not None)
        return cls(collector, stateful_set, storage, claims, hidden)

    @property
    def grown(self) -> tuple[GrowClaim, ...]:
        """Claims that are to grow."""
        return growths(self.collector, self.storage, self.claims)

    def storage_verdict(self, view: View) -> Verdict | None:
        """Whether storage is as asked, as far as is known by now."""
        answers = {one.key.name: view.get(Attempt(one)) for one in self.grown}
        refused = [name for name, one in answers.items() if one is not None and one.value is not None]
        if self.storage is not None and is_larger(self.collector, self.storage):
            # Without the right to look there is none to write.
            refused.extend(self.hidden)
        return storage_verdict(self.collector, self.storage, self.claims, refused)

    def attempts(self, view: View) -> tuple[GrowClaim | ApplyAlone, ...]:
        """What is to be tried now."""
        grown = [one for one in self.grown if _is_due(view[Attempt(one)], view)]
        monitor, fact = service_monitor(self.collector), monitor_attempt(self.collector, view)
        if monitor is None or fact is None or not _is_due(view[fact], view, again_s=settled_seconds(view)):
            return tuple(grown)
        return (*grown, ApplyAlone(monitor))


def standing_needs(collector: TelemetryCollector, view: View) -> set[Need]:
    """What must be known of it."""
    standing = Standing.of(collector, view)
    settled = settled_seconds(view)
    patience = min(PROGRESS_SECONDS, settled)
    body = standing.stateful_set
    is_own = body is not None and _owner_uid(body) == collector.metadata.uid
    age = settled if is_own and is_settled(collector, body) else patience
    found = {Need(_stateful_set(collector), age)}
    verdict = standing.storage_verdict(view)
    # Claims come with their pods.
    age = patience if verdict is not None and verdict.reason == "Growing" else age
    found |= {Need(fact, age) for fact in _claims(collector, standing.storage)}
    attempts = [Attempt(one) for one in standing.grown]
    monitor = monitor_attempt(collector, view)
    return found | {Need(one, settled) for one in (*attempts, *([monitor] if monitor is not None else ()))}


def monitor_attempt(collector: TelemetryCollector, view: View) -> Attempt | None:
    """How making the ServiceMonitor ended; None where none is wanted or none is allowed."""
    wanted = service_monitor(collector)
    if wanted is None or not view.settings.collector.service_monitors:
        return None
    key = Key(collector.metadata.namespace, wanted["metadata"]["name"])
    return Attempt(Applied(wanted["kind"], key, fingerprint(wanted)))


def _stateful_set(collector: TelemetryCollector) -> NamedObject:
    return NamedObject("StatefulSet", Key(collector.metadata.namespace, collector_name(collector.metadata.name)))


def _claims(collector: TelemetryCollector, storage: StandingStorage | None) -> tuple[NamedObject, ...]:
    if storage is None or storage.size is None:
        return ()
    namespace = collector.metadata.namespace
    return tuple(NamedObject("PersistentVolumeClaim", Key(namespace, name)) for name in claim_names(collector))


def _owner_uid(body: Body) -> str | None:
    owners = body["metadata"].get("ownerReferences", ())
    return next((one["uid"] for one in owners if one.get("controller")), None)


def _is_due(answer: Answer[OperatorError], view: View, *, again_s: float = 0.0) -> bool:
    """Whether to try: never tried, or long ago; what went well is tried again after ``again_s``, if that is given."""
    refused = min(_AFTER_REFUSAL_SECONDS, view.settings.resync_seconds / 2)
    patience = again_s if answer.value is None else refused
    return answer.at_ms == 0 or view.now_ms - answer.at_ms >= patience * 1000
