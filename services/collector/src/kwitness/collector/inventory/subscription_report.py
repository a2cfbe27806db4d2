"""One broker subscription in numbers: what can be known with the plugin alone, and nothing that would be a guess.

Connections are not clients, and a client that asked and does not push is known only by its instance id. So silent
software is software with connections of which no instance pushes; why, is said only where it is certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from kwitness.collector.inventory.brokers import Brokers
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.reports import matching
from kwitness.contracts.envelopes import SilentSoftwareState, SubscriptionAnswer, SubscriptionClients, TopClient
from kwitness.contracts.software import is_ours, pushes_telemetry
from kwitness.subscriptions.broker_subscription import BrokerSubscription
from kwitness.subscriptions.matching import matches, requests_metric

_TOP: Final = 20
_SILENT: Final = 20
_SOFTWARE_KEYS: Final = ("client_software_name", "client_software_version")


class Connected(BaseModel):
    """Open connections of one software."""

    model_config = ConfigDict(frozen=True)

    name: str
    version: str
    connections: int


class SubscriptionPart(BaseModel):
    """What one replica knows about one subscription; exchanged between replicas of the same version."""

    model_config = ConfigDict(frozen=True)

    asking: int | None = None
    matching: int = 0
    unknown: int = 0
    """Clients of which it is not known until their next push."""
    pushing: int = 0
    pushing_at_all: int = 0
    sent_prefixes: tuple[str, ...] = ()
    connected: tuple[Connected, ...] = ()
    pushing_software: tuple[tuple[str, str], ...] = ()
    top: tuple[TopClient, ...] = ()


def part(clients: Clients, brokers: Brokers, subscription: BrokerSubscription, cluster_id: str) -> SubscriptionPart:
    """Evaluate a subscription against this replica's clients and brokers."""
    found = unknown = pushing = at_all = 0
    sent: set[str] = set()
    software: set[tuple[str, str]] = set()
    top: list[TopClient] = []
    for record in clients.records():
        if record.terminated or record.identity.get("cluster_id") != cluster_id:
            continue
        at_all += 1
        identity = record.identity
        software.add((identity.get("client_software_name", ""), identity.get("client_software_version", "")))
        verdict = matching(subscription, record)
        if verdict is False:
            continue
        wanted = [name for name in record.metrics if requests_metric(subscription.metrics, name)]
        sent.update(
            prefix for prefix in subscription.metrics if any(requests_metric([prefix], name) for name in wanted)
        )
        if verdict is None:
            unknown += 1
            continue
        found += 1
        pushing += bool(wanted)
        top.append(
            TopClient(
                client_instance_id=identity.get("client_instance_id", ""),
                client_id=identity.get("client_id"),
                client_software_name=identity.get("client_software_name"),
                client_software_version=identity.get("client_software_version"),
                last_push_ms=record.last_push_ms,
                metrics=len(wanted),
            )
        )
    connected = brokers.connected_software(cluster_id)
    return SubscriptionPart(
        asking=brokers.asking(cluster_id),
        matching=found,
        unknown=unknown,
        pushing=pushing,
        pushing_at_all=at_all,
        sent_prefixes=tuple(sorted(sent)),
        connected=tuple(
            Connected(name=name, version=version, connections=count) for (name, version), count in connected.items()
        ),
        pushing_software=tuple(sorted(software)),
        top=tuple(sorted(top, key=_newest_first)[:_TOP]),
    )


def _newest_first(client: TopClient) -> tuple[int, str]:
    return -(client.last_push_ms or 0), client.client_instance_id


def merge(
    subscription: BrokerSubscription, parts: Sequence[SubscriptionPart], missing: tuple[int, ...]
) -> SubscriptionAnswer:
    """Make the answer from all replicas' parts; ``missing`` are the ordinals of those without one."""
    asking = [one.asking for one in parts if one.asking is not None]
    sent = {prefix for one in parts for prefix in one.sent_prefixes}
    unknown = any(one.unknown for one in parts)
    clients = SubscriptionClients(
        asking=max(asking) if asking else None,
        matching=None if unknown else sum(one.matching for one in parts),
        pushing=None if unknown else sum(one.pushing for one in parts),
        source="plugin",
    )
    top = sorted((client for one in parts for client in one.top), key=_newest_first)
    return SubscriptionAnswer(
        id=subscription.id,
        clients=clients,
        silent_software=_silent(subscription, parts, max(asking, default=0)),
        unsent_prefixes=tuple(prefix for prefix in subscription.metrics if prefix not in sent),
        top_clients=tuple(top[:_TOP]),
        missing=missing,
    )


def _silent(
    subscription: BrokerSubscription, parts: Sequence[SubscriptionPart], asking: int
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
    capable = [software for software in silent if pushes_telemetry(*software) == "yes"]
    # Instances carry no software name until they push: whose they are is certain only when one software is left.
    asked = asking > sum(one.pushing_at_all for one in parts) and len(capable) == 1
    found = [
        SilentSoftwareState(
            client_software_name=name,
            client_software_version=version,
            connections=count,
            reason=_reason(name, version, asked=asked and (name, version) in capable),
            ours=is_ours(None, name),
        )
        for (name, version), count in silent.items()
    ]
    found.sort(key=lambda one: (one.ours, -one.connections, one.client_software_name, one.client_software_version))
    return tuple(found[:_SILENT])


def _may_match(subscription: BrokerSubscription, name: str, version: str) -> bool:
    software = tuple((key, pattern) for key, pattern in subscription.match if key in _SOFTWARE_KEYS)
    narrowed = BrokerSubscription(id=subscription.id, match=software)
    return matches(narrowed, {"client_software_name": name, "client_software_version": version}) is not False


def _reason(name: str, version: str, *, asked: bool) -> Literal["tooOld", "askedButNotPushing", "unknown"]:
    if pushes_telemetry(name, version) == "tooOld":
        return "tooOld"
    return "askedButNotPushing" if asked else "unknown"
