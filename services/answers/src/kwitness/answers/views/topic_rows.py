"""Adds up traffic of clients by topic, and makes a line of each topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from kwitness.contracts.envelopes import ClientOwner, TrafficItem

from .amounts import amount_text, lag_text
from .client_rows import team_of

__all__ = [
    "CLIENT_FIELDS",
    "TOPIC_FIELDS",
    "TOPIC_HEADINGS",
    "TOPIC_ORDERS",
    "TopicRow",
    "client_of",
    "topic_cells",
    "topic_rows",
]

TOPIC_HEADINGS: Final = (
    "TOPIC",
    "WRITERS",
    "READERS",
    "BYTES IN/S",
    "BYTES OUT/S",
    "RECORDS IN/S",
    "RECORDS OUT/S",
    "LAG",
    "OWNER",
)
CLIENT_FIELDS: Final = (
    "principal",
    "client_id",
    "client_software_name",
    "client_software_version",
    "k8s_namespace",
    "k8s_workload",
    "k8s_pod",
)
"""Fields by which traffic tells clients apart."""
_FETCHES: Final = frozenset({"Fetch", "ShareFetch"})
TOPIC_FIELDS: Final = (
    "cluster_id",
    "api",
    "topic",
    *CLIENT_FIELDS,
    "topic_owner",
    "records_per_s",
    "record_bytes_per_s",
    "fetch_lag",
    "fetch_lag_ms",
    "until_ms",
)
"""Fields of traffic that topics are put together from."""


class TopicRow(BaseModel):
    """Traffic of one topic, of all clients that fit."""

    model_config = ConfigDict(frozen=True)

    cluster_id: str
    topic: str
    topic_owner: ClientOwner | None
    writers: int
    readers: int
    bytes_in_per_s: float
    bytes_out_per_s: float
    records_in_per_s: float
    records_out_per_s: float
    fetch_lag: int | None
    fetch_lag_ms: int | None


TOPIC_ORDERS: Final = tuple(name for name in TopicRow.model_fields if name not in {"cluster_id", "topic_owner"})


def client_of(item: TrafficItem) -> tuple[str | None, ...]:
    """Return the fields that tell its client from others."""
    return tuple(getattr(item, name) for name in CLIENT_FIELDS)


def topic_rows(items: Iterable[TrafficItem]) -> Iterator[TopicRow]:
    """Yield a row for each topic of items that come by cluster and topic, as without an order; others are left out."""
    for (cluster_id, topic), of_topic in groupby(items, key=lambda item: (item.cluster_id, item.topic)):
        if topic is not None:
            yield _row(cluster_id, topic, list(of_topic))


def _row(cluster_id: str, topic: str, items: Sequence[TrafficItem]) -> TopicRow:
    written = [item for item in items if item.api == "Produce"]
    read = [item for item in items if item.api in _FETCHES]
    return TopicRow(
        cluster_id=cluster_id,
        topic=topic,
        topic_owner=items[0].topic_owner,
        writers=len({client_of(item) for item in written}),
        readers=len({client_of(item) for item in read}),
        bytes_in_per_s=sum(item.record_bytes_per_s or 0 for item in written),
        bytes_out_per_s=sum(item.record_bytes_per_s or 0 for item in read),
        records_in_per_s=sum(item.records_per_s or 0 for item in written),
        records_out_per_s=sum(item.records_per_s or 0 for item in read),
        fetch_lag=max((item.fetch_lag for item in read if item.fetch_lag is not None), default=None),
        fetch_lag_ms=max((item.fetch_lag_ms for item in read if item.fetch_lag_ms is not None), default=None),
    )


def topic_cells(row: TopicRow) -> Sequence[Any]:
    """Return a line for `TOPIC_HEADINGS`."""
    rates = (row.bytes_in_per_s, row.bytes_out_per_s, row.records_in_per_s, row.records_out_per_s)
    return (
        row.topic,
        row.writers,
        row.readers,
        *map(amount_text, rates),
        lag_text(row.fetch_lag_ms, row.fetch_lag),
        team_of(row.topic_owner),
    )
