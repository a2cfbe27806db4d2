"""What running observers are told at once: whether to read, and what clients are asked for."""

from __future__ import annotations

from collections.abc import Iterable

from kwitness.contracts.envelopes import ClusterSubscriptions, ObserverState, ResourceDirectives
from kwitness.operator.environment.collectors import ServingCollector
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.actions import TellObservers, TellSubscriptions
from kwitness.subscriptions.broker_subscription import BrokerSubscription, to_message

__all__ = ["directives", "subscriptions"]


def directives(
    key: Key,
    own: Iterable[ObserverState],
    collector: ServingCollector,
    *,
    settings: str,
    suspend: bool,
    other_namespaces: tuple[str, ...] = (),
) -> tuple[TellObservers, ...]:
    """Tell the observers of ``key`` to suspend or not, while one of them reports otherwise; ``settings`` is a hash.

    ``other_namespaces`` are those, beside its own, in which the resource may act.
    """
    if all(one.suspended == suspend for one in own):
        return ()
    return (
        TellObservers(
            observers=key,
            collector=collector.key,
            encrypted=collector.encrypted,
            authority=collector.authority,
            directives=ResourceDirectives(settings=settings, suspend=suspend, other_namespaces=other_namespaces),
        ),
    )


def subscriptions(
    key: Key,
    own: Iterable[ObserverState],
    collector: ServingCollector,
    requested: tuple[BrokerSubscription, ...] | None,
) -> tuple[TellSubscriptions, ...]:
    """Tell the observers of ``key`` what clients are asked for, while one that answers clients reports something else.

    The collector's mounted file says so a minute and a half later. While that is not known nothing is told, nor to
    those that have heard of nothing: they are about to ask the collector.
    """
    if requested is None:
        return ()
    wanted = ClusterSubscriptions.of(map(to_message, requested))
    if all(one.telemetry is None or one.telemetry.subscriptions in {None, wanted.hash} for one in own):
        return ()
    return (
        TellSubscriptions(
            observers=key,
            collector=collector.key,
            encrypted=collector.encrypted,
            authority=collector.authority,
            subscriptions=wanted,
        ),
    )
