"""One client instance and everything that it sends."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from kwitness.collector.core import ClientValue
from kwitness.collector.inventory.client_record import ClientRecord
from kwitness.collector.inventory.client_report import ClientItems
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.visible import everything
from kwitness.contracts.envelopes import ClientItem, ClientMetrics, ClientMetricValue
from kwitness.contracts.reader_rights import ReaderScope

MAX_METRICS: Final = 5_000
"""Metrics in one answer; a real client sends some hundred, one that makes names up could send any number."""


class MetricsPart(BaseModel):
    """What one replica knows of the client; exchanged between replicas of the same version."""

    model_config = ConfigDict(frozen=True)

    client: ClientItem | None = None
    metrics: tuple[ClientMetricValue, ...] = ()
    left_out: int = 0


def find_client(
    clients: Clients,
    instance: str,
    cluster_id: str,
    shows: Callable[[ClientRecord], bool] = everything,
) -> tuple[str, ClientRecord] | None:
    """Return key and record of an instance that the reader may see, of the collector's own cluster before others."""
    own = f"{cluster_id}/{instance}"
    record = clients.get(own)
    if record is not None and shows(record):
        return own, record
    return next(
        (
            (key, one)
            for key, one in clients.items()
            if (key.partition("/")[2] == instance or one.identity.get("client_instance_id") == instance) and shows(one)
        ),
        None,
    )


def metrics_part(key: str, record: ClientRecord, items: ClientItems, values: Iterable[ClientValue]) -> MetricsPart:
    """Write what is known here."""
    known = list(values)
    shown = heapq.nsmallest(MAX_METRICS, known, key=lambda one: (one.name, one.attributes))
    return MetricsPart(
        client=ClientItem.model_validate(items.item(key, record)),
        metrics=tuple(_metric(one, record) for one in shown),
        left_out=len(known) - len(shown),
    )


def _metric(one: ClientValue, record: ClientRecord) -> ClientMetricValue:
    return ClientMetricValue(
        name=one.name,
        prometheus_name=one.exposed,
        type=one.type,
        unit=one.unit,
        attributes=dict(one.attributes),
        value=one.value,
        count=one.counted,
        sum=one.total,
        at_ms=record.last_read_ms if one.is_newest and record.last_read_ms else None,
    )


def merge(
    parts: Sequence[MetricsPart], missing: tuple[int, ...], scope: ReaderScope | None = None
) -> ClientMetrics | None:
    """Take the part of the replica that heard of the client last; None where no replica knows it."""
    known = [(part.client.last_push_ms or 0, part, part.client) for part in parts if part.client is not None]
    if not known:
        return None
    _, part, client = max(known, key=lambda one: one[0])
    return ClientMetrics(
        client=client, metrics=part.metrics, metrics_left_out=part.left_out, missing=missing, scope=scope
    )
