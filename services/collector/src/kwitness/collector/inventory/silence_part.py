"""What one replica knows of silence: who pushes, what brokers count, what observers have open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from pydantic import BaseModel, ConfigDict

from kwitness.collector.inventory.brokers import Broker, Brokers
from kwitness.collector.inventory.client_record import ClientRecord
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.visible import everything
from kwitness.contracts.envelopes import InstanceSensors, OpenConnection
from kwitness.contracts.software import UNANNOUNCED

__all__ = ["BrokerPart", "ClientOfSoftware", "Malformed", "Observed", "SilencePart", "silence_part"]

MAX_OBSERVED = 5_000
"""Clients at observers that one replica tells apart; the rest of their connections stand in the gauges alone."""

ClientOfSoftware = tuple[str, str, str]
"""Client id, software name, software version."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class BrokerPart(_Part):
    """One broker: who asked it, and what it counts."""

    broker_id: str
    heard_ms: int
    shows_asking: bool
    is_full: bool
    refused_of_late: int
    asking: tuple[str, ...]
    worst: tuple[InstanceSensors, ...]


class Malformed(_Part):
    """An instance of which no push could be read."""

    k8s_namespace: str | None = None
    client_id: str | None = None
    client_instance_id: str
    principal: str | None = None
    client_address: str | None = None
    name: str
    version: str
    pushes: int
    reason: str | None = None


class Observed(_Part):
    """Open connections of one client, as observers have it."""

    k8s_namespace: str | None = None
    client_id: str | None = None
    client_instance_id: str | None = None
    principal: str | None = None
    client_address: str | None = None
    name: str
    version: str
    connections: int


class SilencePart(_Part):
    """One replica's part; exchanged between replicas of the same version."""

    heard: tuple[str, ...] = ()
    pushing: tuple[ClientOfSoftware, ...] = ()
    malformed: tuple[Malformed, ...] = ()
    brokers: tuple[BrokerPart, ...] = ()
    connected: tuple[tuple[str, str, int], ...] = ()
    observed: tuple[Observed, ...] = ()
    awaited: int = 0


def silence_part(
    clients: Clients,
    brokers: Brokers,
    open_: Iterable[tuple[OpenConnection, str]],
    awaited: int,
    cluster_id: str,
    *,
    shows: Callable[[ClientRecord], bool] = everything,
    is_proven: bool = False,
) -> SilencePart:
    """Collect what this replica knows of a cluster; ``awaited`` observers have not listed their connections yet.

    Clients of which no push could be read are those that the reader may see. With ``is_proven`` clients are those with
    a proven namespace alone, and apart by it; open connections have it beside them.
    """
    found = {key: one for key, one in clients.items() if one.identity.get("cluster_id") == cluster_id}
    records = found.values()
    return SilencePart(
        # By what heartbeats name them, too, where the identity does not say it.
        heard=tuple(key.removeprefix(f"{cluster_id}/") for key in found),
        pushing=tuple(sorted({_client(one) for one in records if not one.terminated})),
        malformed=tuple(
            _malformed(record, is_proven=is_proven)
            for record in records
            if _is_malformed(record) and shows(record) and (record.shows_proven_namespace or not is_proven)
        ),
        brokers=tuple(_broker(one) for one in brokers.of_cluster(cluster_id)),
        connected=tuple((*software, count) for software, count in brokers.connected_software(cluster_id).items()),
        observed=tuple(_observed(open_, is_proven=is_proven)),
        awaited=awaited,
    )


def _is_malformed(record: ClientRecord) -> bool:
    return record.malformed > 0 and not record.last_read_ms


def _client(record: ClientRecord) -> ClientOfSoftware:
    return record.identity.get("client_id", ""), *_software(record)


def _software(record: ClientRecord) -> tuple[str, str]:
    identity = record.identity
    return identity.get("client_software_name", UNANNOUNCED), identity.get("client_software_version", UNANNOUNCED)


def _malformed(record: ClientRecord, *, is_proven: bool) -> Malformed:
    name, version = _software(record)
    return Malformed(
        k8s_namespace=record.identity.get("k8s_namespace") if is_proven else None,
        client_id=record.identity.get("client_id"),
        client_instance_id=record.identity.get("client_instance_id", ""),
        principal=record.identity.get("principal"),
        client_address=record.identity.get("client_address"),
        name=name,
        version=version,
        pushes=record.malformed,
        reason=record.malformed_reason,
    )


def _broker(broker: Broker) -> BrokerPart:
    snapshot = broker.snapshot
    return BrokerPart(
        broker_id=snapshot.broker_id,
        heard_ms=broker.heard_ms,
        shows_asking=broker.shows_asking,
        is_full=broker.is_full,
        refused_of_late=broker.refused_of_late,
        asking=snapshot.asking,
        worst=() if snapshot.sensors is None else snapshot.sensors.worst,
    )


def _observed(connections: Iterable[tuple[OpenConnection, str]], *, is_proven: bool) -> list[Observed]:
    counts: Counter[tuple[str | None, ...]] = Counter()
    for one, namespace in connections:
        if is_proven and not namespace:
            continue
        # A connection of which nothing can be read is in the brokers' gauges, with its software.
        if one.client_id is None and one.client_software_name is None:
            continue
        key = (
            namespace if is_proven else None,
            one.client_id,
            one.client_instance_id,
            one.principal,
            one.client_address,
            one.client_software_name or UNANNOUNCED,
            one.client_software_version or UNANNOUNCED,
        )
        if key in counts or len(counts) < MAX_OBSERVED:
            counts[key] += 1
    return [
        Observed(
            k8s_namespace=namespace,
            client_id=client_id,
            client_instance_id=instance,
            principal=principal,
            client_address=address,
            name=name or UNANNOUNCED,
            version=version or UNANNOUNCED,
            connections=count,
        )
        for (namespace, client_id, instance, principal, address, name, version), count in counts.items()
    ]
