"""What running observers are told at once: whether to read."""

from __future__ import annotations

from collections.abc import Iterable

from kwitness.contracts.envelopes import Directives, ObserverState
from kwitness.operator.environment.collectors import ServingCollector
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.actions import TellObservers

__all__ = ["directives"]


def directives(
    key: Key, own: Iterable[ObserverState], collector: ServingCollector, *, settings: str, suspend: bool
) -> tuple[TellObservers, ...]:
    """Tell the observers of ``key`` to suspend or not, while one of them reports otherwise; ``settings`` is a hash."""
    if all(one.suspended == suspend for one in own):
        return ()
    of = collector.resource
    return (
        TellObservers(
            observers=key,
            collector=Key(of.metadata.namespace, of.metadata.name),
            encrypted=of.spec.ingest.tls.secret_ref is not None,
            authority=collector.authority,
            directives=Directives(settings=settings, suspend=suspend),
        ),
    )
