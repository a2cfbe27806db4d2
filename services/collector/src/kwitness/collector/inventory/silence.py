"""Who is connected and does not push, and why: gauges, the brokers' sensors, the inventory and observers together.

A gauge counts connections of a software and names nobody. A broker's sensors name instances and not their software. So
a reason is said of a software only where every instance that could be meant agrees, and of an instance where the broker
counts it; what cannot be told apart the detail says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kwitness.collector.inventory.silence_part import BrokerPart, Malformed, Observed, SilencePart
from kwitness.contracts.envelopes import MOST_INSTANCES, SilenceReason, SilentClients, SilentItem
from kwitness.contracts.identity_hashing import HASHED_PREFIX
from kwitness.contracts.reader_rights import ReaderScope
from kwitness.contracts.software import UNANNOUNCED, is_ours, pushes_telemetry
from kwitness.contracts.spelling import quantity
from kwitness.contracts.telemetry_advice import ways_to_telemetry
from kwitness.subscriptions.broker_subscription import BrokerSubscription
from kwitness.subscriptions.matching import matches

__all__ = ["certain_reasons", "silent_clients"]

MAX_ITEMS: Final = 1_000


@dataclass(frozen=True, slots=True)
class _Why:
    reason: SilenceReason
    detail: str


def silent_clients(
    parts: Sequence[SilencePart],
    subscriptions: Sequence[BrokerSubscription],
    missing: Sequence[int],
    *,
    ours: bool,
    scope: ReaderScope | None = None,
    is_proven: bool = False,
) -> SilentClients:
    """Make the answer from all replicas' parts; the platform's own clients are in it if ``ours``.

    A reader with a scope is told of clients that are known one by one, since software and instances that brokers count
    are in no scope; the parts have those of its scope alone. An answer about clients with a proven namespace is made
    as for these readers, since it is for them.
    """
    silence = _Silence(parts, subscriptions, is_scoped=is_proven or scope is not None)
    found = [item for item in silence.items() if ours or not item.ours]
    found.sort(
        key=lambda one: (
            one.ours,
            -(one.connections or 0),
            one.client_software_name,
            one.client_software_version,
            one.client_id or "",
            one.client_instance_id or "",
        )
    )
    return SilentClients(
        items=tuple(found[:MAX_ITEMS]),
        left_out=max(0, len(found) - MAX_ITEMS),
        missing=tuple(sorted(missing)),
        scope=scope,
    )


def certain_reasons(
    parts: Sequence[SilencePart], subscriptions: Sequence[BrokerSubscription]
) -> Mapping[tuple[str, str], SilenceReason]:
    """Return why software is silent, where that does not hang on which of several has asked."""
    return _Silence(parts, subscriptions).certain()


class _Silence:
    """The parts together, and what follows from them."""

    def __init__(
        self, parts: Sequence[SilencePart], subscriptions: Sequence[BrokerSubscription], *, is_scoped: bool = False
    ) -> None:
        self._subscriptions = subscriptions
        self._is_scoped = is_scoped
        self._brokers = _newest(one for part in parts for one in part.brokers)
        heard = {one for part in parts for one in part.heard}
        self._pushing = {one for part in parts for one in part.pushing}
        self._malformed = [one for part in parts for one in part.malformed]
        self._observed = [one for part in parts for one in part.observed]
        self._asked_of: dict[str, list[BrokerPart]] = {}
        for broker in self._brokers:
            for instance in broker.asking:
                if instance not in heard:
                    self._asked_of.setdefault(instance, []).append(broker)
        self._shows_asking = bool(self._brokers) and all(one.shows_asking for one in self._brokers)
        self._connected: dict[tuple[str, str], int] = {}
        for name, version, count in (one for part in parts for one in part.connected):
            # Only one replica has a cluster's brokers; after a change of owner the other one's count is old.
            self._connected[name, version] = max(count, self._connected.get((name, version), 0))
        pushing_software = {(name, version) for _, name, version in self._pushing}
        self._silent_software = {
            software: count for software, count in self._connected.items() if software not in pushing_software
        }
        self._asking_software = [
            software
            for software in self._silent_software
            if pushes_telemetry(*software) == "yes" and not is_ours(None, *software)
        ]

    def items(self) -> Iterator[SilentItem]:
        """All of them, one by one where they are known so."""
        yield from map(_of_malformed, self._malformed)
        told: set[str] = {one.client_instance_id for one in self._malformed}
        seen: Counter[tuple[str, str]] = Counter()
        for one in self._observed:
            seen[one.name, one.version] += one.connections
            if (one.client_id or "", one.name, one.version) not in self._pushing:
                if one.client_instance_id is not None:
                    told.add(one.client_instance_id)
                yield self._of_observed(one)
        if self._is_scoped:
            return
        for (name, version), count in self._silent_software.items():
            unseen = count - seen[name, version]
            if unseen > 0:
                yield self._of_software(name, version, unseen)
        for instance in self._asked_of:
            if instance not in told:
                yield self._of_instance(instance)

    def certain(self) -> dict[tuple[str, str], SilenceReason]:
        """Reasons by software, as in `certain_reasons`."""
        sure = self._asking_software if len(self._asking_software) == 1 else []
        return {
            (name, version): self._why({"client_software_name": name, "client_software_version": version}).reason
            for name, version in self._silent_software
            if not self._asked_of or (name, version) in sure
        }

    def _of_observed(self, one: Observed) -> SilentItem:
        keys = {"client_software_name": one.name, "client_software_version": one.version}
        if one.client_id is not None and not one.client_id.startswith(HASHED_PREFIX):
            keys["client_id"] = one.client_id
        asked = one.client_instance_id is not None and one.client_instance_id in self._asked_of
        why = self._why_instance(one.client_instance_id or "") if asked else self._why(keys, is_observed=True)
        return SilentItem(
            k8s_namespace=one.k8s_namespace,
            client_id=one.client_id,
            client_instance_id=one.client_instance_id,
            principal=one.principal,
            client_address=one.client_address,
            client_software_name=one.name,
            client_software_version=one.version,
            connections=one.connections,
            ours=is_ours(one.client_id, one.name, one.version),
            seen_by="observer",
            reason=why.reason,
            detail=why.detail,
        )

    def _of_software(self, name: str, version: str, connections: int) -> SilentItem:
        why = self._why({"client_software_name": name, "client_software_version": version})
        return SilentItem(
            client_software_name=name,
            client_software_version=version,
            connections=connections,
            ours=is_ours(None, name, version),
            seen_by="plugin",
            reason=why.reason,
            detail=why.detail,
        )

    def _of_instance(self, instance: str) -> SilentItem:
        why = self._why_instance(instance)
        # A broker does not say of which software an instance is: that is certain when one alone can be meant.
        name, version = self._asking_software[0] if len(self._asking_software) == 1 else (UNANNOUNCED, UNANNOUNCED)
        return SilentItem(
            client_instance_id=instance,
            client_software_name=name,
            client_software_version=version,
            seen_by="plugin",
            reason=why.reason,
            detail=why.detail,
        )

    def _why(self, keys: Mapping[str, str], *, is_observed: bool = False) -> _Why:
        name, version = keys["client_software_name"], keys["client_software_version"]
        able = pushes_telemetry(name, version)
        # An observer may have missed what a client announced; brokers have not.
        if able == "tooOld" and (name != UNANNOUNCED or (name, version) in self._connected):
            return _Why("TooOld", f"{ways_to_telemetry(name, version, is_observed=is_observed)}.")
        if not any(_may_reach(one, keys) for one in self._subscriptions):
            return _Why(
                "NoSubscriptionMatches",
                "No subscription asks it for metrics: make one, or widen spec.match of one that is there.",
            )
        if not self._shows_asking:
            return self._unknown()
        return self._why_asked(name, version, is_observed=is_observed)

    def _why_asked(self, name: str, version: str, *, is_observed: bool) -> _Why:
        if not self._asked_of:
            return self._not_asking(name, version)
        if self._is_scoped:
            # Which instances asked, and what brokers count of them, is about others.
            return _Why(
                "SubscribedNotPushing",
                "Instances asked a broker without a push, and a broker does not name their software: this one may not "
                "have asked.",
            )
        whys = [self._why_instance(one) for one in self._asked_of]
        if self._asking_software == [(name, version)]:
            [(reason, _)] = Counter(one.reason for one in whys).most_common(1)
            return next(one for one in whys if one.reason == reason)
        return _Why(
            "SubscribedNotPushing",
            f"{quantity(len(whys), 'instance')} asked without a push; a broker does not name their software, so this "
            + ("one may not have asked." if is_observed else "one may not have asked: put an observer in front of it."),
        )

    def _unknown(self) -> _Why:
        return _Why(
            "Unknown",
            "Brokers of Kafka 3.7 do not show who asked for subscriptions: upgrade them to know more."
            if self._brokers
            else "No broker's plugin reports, which would know more: see the warnings of the KafkaCluster.",
        )

    def _not_asking(self, name: str, version: str) -> _Why:
        full = [one.broker_id for one in self._brokers if one.is_full]
        if full:
            return _full(full)
        able = pushes_telemetry(name, version) == "yes"
        return _Why(
            "NotAsking",
            "Every instance that asked a broker pushes, so this one asked none: "
            + (
                "set enable.metrics.push=true there (an admin client of Java has no telemetry)."
                if able
                else f"whether {name} has client telemetry is not known; observe it."
            ),
        )

    def _why_instance(self, instance: str) -> _Why:
        brokers = self._asked_of[instance]
        sensors = [one for broker in brokers for one in broker.worst if one.client_instance_id == instance]
        throttled = sum(one.throttled for one in sensors)
        errors = sum(one.plugin_errors for one in sensors)
        names = ", ".join(sorted(one.broker_id for one in brokers))
        if errors and errors >= throttled:
            return _Why(
                "PluginError",
                f"A telemetry receiver of broker {names} threw an error upon {errors} of its pushes: see that log.",
            )
        if throttled:
            return _Why(
                "Throttled",
                f"Broker {names} refused {throttled} of its pushes as too early: see whether several clients share the "
                "instance id, or one restarts its pushes over and over.",
            )
        if full := [one.broker_id for one in brokers if one.is_full]:
            return _full(full)
        if any(one.refused_of_late > max(1, len(one.asking)) for one in brokers):
            return _Why(
                "UnknownSubscription",
                f"Broker {names} refuses pushes, as they name a subscription that it does not have, more often than "
                "changes explain: see whether subscriptions change all the time, or a proxy mixes up brokers.",
            )
        if not any(one.metrics for one in self._subscriptions):
            return _Why("NoSubscriptionMatches", "No subscription asks for metrics: make one.")
        return _Why(
            "SubscribedNotPushing",
            f"It asked broker {names} and nothing of it came: no subscription may match it, its interval may not be "
            "over, or it is gone.",
        )


def _full(brokers: Collection[str]) -> _Why:
    return _Why(
        "InstanceLimit",
        f"Broker {', '.join(sorted(brokers))} remembers {MOST_INSTANCES} client instances and can no more: spread "
        "clients over more brokers, or turn telemetry off for short-lived ones.",
    )


def _of_malformed(one: Malformed) -> SilentItem:
    because = f" ({one.reason})" if one.reason else ""
    return SilentItem(
        k8s_namespace=one.k8s_namespace,
        client_id=one.client_id,
        client_instance_id=one.client_instance_id or None,
        principal=one.principal,
        client_address=one.client_address,
        client_software_name=one.name,
        client_software_version=one.version,
        ours=is_ours(one.client_id, one.name, one.version),
        seen_by="plugin",
        reason="Malformed",
        detail=f"It pushes, and none of its {one.pushes} pushes could be read{because}: report it to those who make "
        f"{one.name}.",
    )


def _may_reach(subscription: BrokerSubscription, keys: Mapping[str, str]) -> bool:
    known = tuple((key, pattern) for key, pattern in subscription.match if key in keys)
    narrowed = BrokerSubscription(id=subscription.id, match=known)
    return bool(subscription.metrics) and matches(narrowed, keys) is not False


def _newest(brokers: Iterable[BrokerPart]) -> list[BrokerPart]:
    newest: dict[str, BrokerPart] = {}
    for one in brokers:
        if one.broker_id not in newest or one.heard_ms > newest[one.broker_id].heard_ms:
            newest[one.broker_id] = one
    return [newest[one] for one in sorted(newest)]
