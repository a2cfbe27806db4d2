"""From ClientMetricsSubscriptions and a broker's CLIENT_METRICS configs to what must be written there.

One plan covers all subscriptions of one Kafka cluster, since one can protect clients from another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from kwitness.contracts.reasons import remedy
from kwitness.contracts.resources.client_metrics_subscription import ClientMetricsSubscription
from kwitness.contracts.resources.meta import parse_duration
from kwitness.operator.desired.subscription_reach import Narrowing
from kwitness.operator.model.errors import TerminalError
from kwitness.operator.model.observed_software import ObservedSoftware
from kwitness.operator.model.store import Key
from kwitness.subscriptions import risk
from kwitness.subscriptions.broker_names import SELECTORS, own_prefix, resource_of
from kwitness.subscriptions.broker_subscription import (
    DEFAULT_INTERVAL_MS,
    INTERVAL,
    MATCH,
    METRICS,
    BrokerSubscription,
    UnreadableSubscriptionError,
    parse,
    to_configs,
)
from kwitness.subscriptions.patterns import InvalidPatternError, to_broker
from kwitness.subscriptions.risk_rule import RiskRule

__all__ = [
    "ObservedSoftware",
    "SubscriptionPlan",
    "Wanted",
    "broker_name",
    "config_hash",
    "desired_subscription",
    "own_key",
    "plan",
]

_MILLISECOND: Final = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A subscription that its resource asks for, and what becomes of it when it would crash clients.

    ``suspended`` and ``expired`` both keep it off the broker.
    """

    key: Key
    subscription: BrokerSubscription
    risk: RiskRule
    suspended: bool = False
    expired: bool = False


@dataclass(frozen=True, slots=True)
class SubscriptionPlan:
    """What to write, and what each resource is told.

    ``changes`` maps broker names to configs, None meaning removal. ``drifted`` are names whose broker config is not
    what was last applied. ``held`` maps names to the software that they would crash. ``retained`` are orphans that
    stay, because someone else's subscription would crash clients without them. ``waiting`` are names whose change could
    crash somebody, as long as it is not known who is connected; what stands under them stays.
    """

    changes: Mapping[str, Mapping[str, str] | None] = field(default_factory=dict)
    drifted: frozenset[str] = frozenset()
    held: Mapping[str, tuple[ObservedSoftware, ...]] = field(default_factory=dict)
    retained: frozenset[str] = frozenset()
    waiting: frozenset[str] = frozenset()


def broker_name(installation: str, key: Key) -> str:
    """Name of a resource's CLIENT_METRICS config."""
    return f"{own_prefix(installation)}{key.namespace}.{key.name}"


def own_key(installation: str, name: str) -> Key | None:
    """The resource behind a broker config of this installation; None for anybody else's."""
    found = resource_of(own_prefix(installation), name)
    return None if found is None else Key(*found)


def desired_subscription(
    name: str,
    resource: ClientMetricsSubscription,
    *,
    restrictions: Iterable[Narrowing | None] = (),
    min_interval: str,
) -> BrokerSubscription:
    """Translate a resource into the broker's terms.

    Raises
    ------
    TerminalError
        Reasons IntervalTooShort, InvalidPattern, Restricted.
    """
    spec = resource.spec
    interval = parse_duration(spec.interval)
    if interval < parse_duration(min_interval):
        raise TerminalError(
            "IntervalTooShort",
            f"spec.interval is {spec.interval}, below this installation's minimum of {min_interval}:"
            f" {remedy('IntervalTooShort')}",
        )
    narrowed = _narrowed(restrictions)
    match = {SELECTORS[selector]: restriction.pattern for selector, restriction in narrowed.items()}
    for entry in spec.match:
        restriction = narrowed.get(entry.selector)
        if restriction is not None and not restriction.holds(entry.pattern):
            raise TerminalError(
                "Restricted",
                f"the KafkaCluster narrows this namespace to clients whose {entry.selector} starts with"
                f" {restriction.prefix!r}: let the pattern of that selector in spec.match begin with"
                f" {restriction.beginning}, or remove it, since the restriction is added by itself",
            )
        try:
            match[SELECTORS[entry.selector]] = to_broker(entry.pattern)
        except InvalidPatternError as error:
            raise TerminalError("InvalidPattern", f"spec.match {entry.selector}: {error}") from error
    return BrokerSubscription(
        id=name,
        metrics=spec.metrics,
        interval_ms=round(interval.total_seconds() * 1000),
        match=tuple(sorted(match.items())),
    )


def _narrowed(restrictions: Iterable[Narrowing | None]) -> dict[str, Narrowing]:
    """Return by selector the longest prefix, which all others of that selector must begin."""
    found: dict[str, Narrowing] = {}
    for restriction in sorted(filter(None, restrictions), key=lambda found: len(found.prefix)):
        shorter = found.get(restriction.selector)
        if shorter is not None and not restriction.prefix.startswith(shorter.prefix):
            raise TerminalError(
                "Restricted",
                f"no client's {restriction.selector} starts with {shorter.prefix!r} and {restriction.prefix!r}, as the"
                " KafkaCluster and the one that rules the same Kafka cluster restrict this namespace: have one changed",
            )
        found[restriction.selector] = restriction
    return found


def plan(
    *,
    wanted: Collection[Wanted],
    present: Mapping[str, Mapping[str, str]],
    orphans: Collection[str],
    applied: Mapping[str, str],
    seen: Collection[ObservedSoftware],
    now_ms: int,
    retention: timedelta,
    cluster_id: str = "",
    known: bool = True,
) -> SubscriptionPlan:
    """Decide what to write.

    Parameters
    ----------
    wanted
        Every subscription that is asked of this cluster by a resource of this installation.
    present
        Every CLIENT_METRICS config that the broker has.
    orphans
        Names in ``present`` that are this installation's and whose resource is certainly gone.
    applied
        For names that this installation applied before: the hash of what it applied (`config_hash`).
    seen
        Software of the range at risk, whenever it was seen.
    now_ms
        The time, in milliseconds since 1970.
    retention
        For how long software at risk keeps in place what protects it from a subscription that is not ours:
        ``spec.riskWindow`` of the KafkaCluster.
    cluster_id
        The Kafka cluster that this is about.
    known
        Whether all clients that are connected are among those seen. If not, nothing is written that could crash one
        that was not seen; what was seen holds and withdraws as ever.
    """
    asked = {one.subscription.id: one for one in wanted if not (one.suspended or one.expired)}
    managed = {one.subscription.id for one in wanted} | set(orphans)
    leaving = [name for name in present if name in managed and name not in asked]
    at_risk = {
        name: [one for one in seen if one.last_seen_ms >= now_ms - entry.risk.window // _MILLISECOND]
        for name, entry in asked.items()
        if not entry.risk.accepts
    }
    decision = risk.plan(
        foreign=[_readable(name, present[name]) for name in present if name not in managed],
        accepted=[one.subscription for one in asked.values() if one.risk.accepts],
        candidates=[one.subscription for one in asked.values() if not one.risk.accepts],
        leaving=[_readable(name, present[name]) for name in leaving],
        at_risk={name: _softwares(found) for name, found in at_risk.items()},
        seen=_softwares([one for one in seen if one.last_seen_ms >= now_ms - retention // _MILLISECOND]),
    )
    changes: dict[str, Mapping[str, str] | None] = {}
    for name, entry in asked.items():
        target = None if name in decision.held else to_configs(entry.subscription)
        if not _equal(present.get(name), target):
            changes[name] = target
    changes.update((name, None) for name in leaving if name not in decision.retained)
    waiting = frozenset() if known else _waiting(changes, present, asked, decision)
    for name in waiting:
        del changes[name]
    drifted = {
        name
        for name, target in changes.items()
        if target is not None and applied.get(name) == config_hash(target, cluster_id)
    }
    return SubscriptionPlan(
        changes=changes,
        drifted=frozenset(drifted),
        held={
            name: tuple(one for one in at_risk[name] if risk.Software(one.name, one.version) in culprits)
            for name, culprits in decision.culprits.items()
        },
        retained=decision.retained,
        waiting=waiting,
    )


def _waiting(
    changes: Mapping[str, Mapping[str, str] | None],
    present: Mapping[str, Mapping[str, str]],
    asked: Mapping[str, Wanted],
    decision: risk.Plan,
) -> frozenset[str]:
    # A sighting withdraws, whatever else is not known.
    accepted = {name for name, entry in asked.items() if entry.risk.accepts} | decision.held
    targets = {name: None if target is None else _readable(name, target) for name, target in changes.items()}
    return risk.waiting(targets, {name: _readable(name, found) for name, found in present.items()}, accepted)


def config_hash(configs: Mapping[str, str], cluster_id: str = "") -> str:
    """Return a hash of what was applied, and to which Kafka cluster."""
    text = "\n".join(f"{key}={value}" for key, value in sorted(configs.items()))
    return hashlib.sha256((text + cluster_id).encode()).hexdigest()[:16]


def _softwares(found: Collection[ObservedSoftware]) -> list[risk.Software]:
    return [risk.Software(one.name, one.version) for one in found]


def _readable(name: str, configs: Mapping[str, str]) -> BrokerSubscription:
    try:
        return parse(name, configs)
    except UnreadableSubscriptionError:
        # Kafka would not have taken it; should it ever happen, count it as one that reaches everybody.
        return BrokerSubscription(id=name, metrics=tuple(configs.get(METRICS, "").split(",")))


def _equal(left: Mapping[str, str] | None, right: Mapping[str, str] | None) -> bool:
    if left is None or right is None:
        return left is right
    defaults = {METRICS: "", INTERVAL: str(DEFAULT_INTERVAL_MS), MATCH: ""}
    return {**defaults, **left} == {**defaults, **right}
