"""Makes a line for each client of a topic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from kwitness.contracts.envelopes import TrafficItem

from .amounts import amount_text, lag_text
from .client_rows import pod_of, software_of, team_of
from .elapsed import span
from .error_counts import error_counts
from .topic_rows import CLIENT_FIELDS, client_of

__all__ = ["THROTTLE_FIELDS", "TRAFFIC_HEADINGS", "TRAFFIC_ORDERS", "throttled", "traffic_cells"]

TRAFFIC_HEADINGS: Final = (
    "CLIENT ID",
    "DOES",
    "API",
    "SOFTWARE",
    "PRINCIPAL",
    "POD",
    "OWNER",
    "BYTES/S",
    "RECORDS/S",
    "LAG",
    "ERRORS",
    "THROTTLED",
    "TOPIC",
)
TRAFFIC_ORDERS: Final = ("requests_per_s", "records_per_s", "record_bytes_per_s", "fetch_lag", "fetch_lag_ms")
"""Fields that order the clients of a topic."""
THROTTLE_FIELDS: Final = ("cluster_id", "api", "topic", *CLIENT_FIELDS, "throttle_ms", "until_ms")
"""Fields of requests to all topics that `throttled` needs."""
_DOES: Final = {"Produce": "writes", "Fetch": "reads", "ShareFetch": "reads", "OffsetCommit": "commits"}


def throttled(items: Iterable[TrafficItem], of_requests: Iterable[TrafficItem]) -> tuple[TrafficItem, ...]:
    """Return items of topics with the throttle time of all requests of the same client and API."""
    times = {(item.api, client_of(item)): item.throttle_ms for item in of_requests if item.topic is None}
    return tuple(item.model_copy(update={"throttle_ms": times.get((item.api, client_of(item)))}) for item in items)


def traffic_cells(item: TrafficItem) -> Sequence[Any]:
    """Return a line for `TRAFFIC_HEADINGS`."""
    return (
        item.client_id,
        _DOES.get(item.api),
        item.api,
        software_of(item),
        item.principal,
        pod_of(item),
        team_of(item.owner),
        amount_text(item.record_bytes_per_s),
        amount_text(item.records_per_s),
        lag_text(item.fetch_lag_ms, item.fetch_lag),
        ", ".join(error_counts(item.errors)) or None,
        span(item.throttle_ms) if item.throttle_ms else None,
        item.topic,
    )
