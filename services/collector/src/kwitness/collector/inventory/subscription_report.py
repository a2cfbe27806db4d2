"""Broker subscriptions in numbers: what can be known with the plugin alone, and nothing that would be a guess.

Connections are not clients, and a client that asked and does not push is known only by its instance id. So silent
software is software with connections of which no instance pushes; why, is said only where it is certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from kwitness.collector.inventory.brokers import Brokers
from kwitness.collector.inventory.client_record import ClientRecord
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.silence import certain_reasons
from kwitness.collector.inventory.silence_part import SilencePart, silence_part
from kwitness.collector.inventory.survey import TOP, Survey
from kwitness.contracts.envelopes import (
    SilenceWord,
    SilentSoftwareState,
    SubscriptionClients,
    SubscriptionState,
    TopClient,
)
from kwitness.contracts.software import is_ours, pushes_telemetry
from kwitness.subscriptions.broker_subscription import BrokerSubscription, to_message
from kwitness.subscriptions.matching import matches, requests_metric

_SILENT: Final = 20
_COMPARED: Final = 1_000
"""Instances that are compared one by one, of those that asked and of those that push at one replica. The operator asks
every few seconds: in a larger cluster counts must do here, and `/v1/silent` says more."""
_WORDS: Final[Mapping[str, SilenceWord]] = {
    "SubscribedNotPushing": "subscribedNotPushing",
    "Throttled": "throttled",
    "UnknownSubscription": "unknownSubscription",
    "PluginError": "pluginError",
    "InstanceLimit": "instanceLimit",
    "NotAsking": "notAsking",
}
"""Reasons that can stand beside a software of which it is not known whom else it matches."""
_SOFTWARE_KEYS: Final = ("client_software_name", "client_software_version")


class Connected(BaseModel):
    """Open connections of one software."""

    model_config = ConfigDict(frozen=True)

    name: str
    version: str
    connections: int


class SubscriptionPart(BaseModel):
    """What one replica knows about one subscription."""

    model_config = ConfigDict(frozen=True)

    matching: int = 0
    unknown: int = 0
    pushing: int = 0
    sent_prefixes: tuple[str, ...] = ()
    top: tuple[TopClient, ...] = ()


class SubscriptionsPart(BaseModel):
    """What one replica knows about all of them, by id; exchanged between replicas of the same version."""

    model_config = ConfigDict(frozen=True)

    asking: int | None = None
    pushing_at_all: int = 0
    connected: tuple[Connected, ...] = ()
    pushing_software: tuple[tuple[str, str], ...] = ()
    subscriptions: dict[str, SubscriptionPart] = Field(default_factory=dict)
    silence: SilencePart | None = None
    """Absent where instances are too many to be compared."""


def part(survey: Survey, clients: Clients, brokers: Brokers, cluster_id: str) -> SubscriptionsPart:
    """Make this replica's part of what its clients and its brokers show."""
    comparable = len(clients) <= _COMPARED and (brokers.asking(cluster_id) or 0) <= _COMPARED
    connected = brokers.connected_software(cluster_id)
    return SubscriptionsPart(
        asking=brokers.asking(cluster_id),
        pushing_at_all=survey.clients,
        connected=tuple(
            Connected(name=name, version=version, connections=count) for (name, version), count in connected.items()
        ),
        pushing_software=tuple(sorted(survey.software)),
        subscriptions=_subscriptions(survey),
        silence=silence_part(clients, brokers, (), 0, cluster_id) if comparable else None,
    )


def scoped_part(survey: Survey) -> SubscriptionsPart:
    """Make this replica's part for a reader with a scope, whose clients the survey has: brokers count all others."""
    return SubscriptionsPart(pushing_at_all=survey.clients, subscriptions=_subscriptions(survey))


def scoped_list(
    subscriptions: Iterable[BrokerSubscription], parts: Sequence[SubscriptionsPart]
) -> tuple[SubscriptionState, ...]:
    """Make the answer for a reader with a scope: subscriptions that match clients of it.

    Definitions are absent, since they name the clients that they match.
    """
    states = (merge(subscription, parts) for subscription in subscriptions)
    return tuple(
        state.model_copy(update={"definition": None})
        for state in states
        if state.clients.matching is None or state.clients.matching > 0
    )


def _subscriptions(survey: Survey) -> dict[str, SubscriptionPart]:
    return {
        subscription.id: SubscriptionPart(
            matching=found.matching,
            unknown=found.unknown,
            pushing=found.pushing,
            sent_prefixes=tuple(sorted(found.sent_prefixes)),
            top=tuple(sorted((_top_client(record, subscription) for record in found.newest), key=_newest_first)),
        )
        for subscription, found in zip(survey.subscriptions, survey.found, strict=True)
    }


def _top_client(record: ClientRecord, subscription: BrokerSubscription) -> TopClient:
    identity = record.identity
    return TopClient(
        client_instance_id=identity.get("client_instance_id", ""),
        client_id=identity.get("client_id"),
        client_software_name=identity.get("client_software_name"),
        client_software_version=identity.get("client_software_version"),
        last_push_ms=record.last_push_ms,
        metrics=sum(requests_metric(subscription.metrics, name) for name in record.metrics),
    )


def _newest_first(client: TopClient) -> tuple[int, str]:
    return -(client.last_push_ms or 0), client.client_instance_id


def merge(subscription: BrokerSubscription, parts: Sequence[SubscriptionsPart]) -> SubscriptionState:
    """Make the answer about one subscription from all replicas' parts."""
    asking = [one.asking for one in parts if one.asking is not None]
    known = [one.subscriptions[subscription.id] for one in parts if subscription.id in one.subscriptions]
    sent = {prefix for one in known for prefix in one.sent_prefixes}
    # A number that some clients' next push decides is absent, not small.
    are_known = not any(one.unknown for one in known)
    clients = SubscriptionClients(
        asking=max(asking) if asking else None,
        matching=sum(one.matching for one in known) if are_known else None,
        pushing=sum(one.pushing for one in known) if are_known else None,
        source="plugin",
    )
    top = sorted((client for one in known for client in one.top), key=_newest_first)
    return SubscriptionState(
        id=subscription.id,
        definition=to_message(subscription),
        clients=clients,
        silent_software=_silent(subscription, parts, max(asking, default=0)),
        unsent_prefixes=tuple(prefix for prefix in subscription.metrics if prefix not in sent),
        top_clients=tuple(top[:TOP]),
    )


def _silent(
    subscription: BrokerSubscription, parts: Sequence[SubscriptionsPart], asking: int
) -> tuple[SilentSoftwareState, ...]:
    pushing = {software for one in parts for software in one.pushing_software}
    counts: dict[tuple[str, str], int] = {}
    for one in (entry for part_ in parts for entry in part_.connected):
        counts[one.name, one.version] = max(counts.get((one.name, one.version), 0), one.connections)
    silent = {
        software: count
        for software, count in counts.items()
        if software not in pushing and _may_match(subscription, *software)
    }
    certain = _certain(subscription, parts)
    if certain is None:
        certain = _by_counts(silent, asking - sum(one.pushing_at_all for one in parts))
    found = [
        SilentSoftwareState(
            client_software_name=name,
            client_software_version=version,
            connections=count,
            reason="tooOld" if pushes_telemetry(name, version) == "tooOld" else certain.get((name, version), "unknown"),
            ours=is_ours(None, name, version),
        )
        for (name, version), count in silent.items()
    ]
    found.sort(key=lambda one: (one.ours, -one.connections, one.client_software_name, one.client_software_version))
    return tuple(found[:_SILENT])


def _certain(
    subscription: BrokerSubscription, parts: Sequence[SubscriptionsPart]
) -> Mapping[tuple[str, str], SilenceWord] | None:
    """The reasons that every instance bears out; None where they are too many to be compared."""
    known = [one.silence for one in parts if one.silence is not None]
    if len(known) < len(parts):
        return None
    found = certain_reasons(known, [subscription])
    return {software: _WORDS[reason] for software, reason in found.items() if reason in _WORDS}


def _by_counts(silent: Mapping[tuple[str, str], int], not_pushing: int) -> Mapping[tuple[str, str], SilenceWord]:
    # Instances carry no software name until they push: whose they are is certain only when one software is left.
    capable = [software for software in silent if pushes_telemetry(*software) == "yes" and not is_ours(None, *software)]
    return {capable[0]: "subscribedNotPushing"} if not_pushing > 0 and len(capable) == 1 else {}


def _may_match(subscription: BrokerSubscription, name: str, version: str) -> bool:
    software = tuple((key, pattern) for key, pattern in subscription.match if key in _SOFTWARE_KEYS)
    narrowed = BrokerSubscription(id=subscription.id, match=software)
    return matches(narrowed, {"client_software_name": name, "client_software_version": version}) is not False
