"""What the collector answers about clients, as it is read here: what an older collector leaves out has a default."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from kwitness.contracts.envelopes import ClientItem
from kwitness.contracts.envelopes.envelope_model import Envelope

__all__ = [
    "Client",
    "ClientMetrics",
    "Clients",
    "Effective",
    "MetricPoint",
    "OwnerOfClient",
    "Silent",
    "SilentClients",
]


class Effective(Envelope):
    """What a client instance is asked for, all subscriptions that match it together."""

    interval_ms: int
    metrics: tuple[str, ...] = ()
    subscriptions: tuple[str, ...] = ()


class OwnerOfClient(Envelope):
    """Whose client it is."""

    team: str
    contact: str | None = None


class Client(ClientItem):
    """One client instance; times in milliseconds since 1970."""

    effective: Effective | None = None
    owner: OwnerOfClient | None = None
    malformed: int = 0
    malformed_reason: str | None = None


class Clients(Envelope):
    """One page of `GET /v1/clients`; `missing` are the ordinals of replicas that did not answer."""

    items: tuple[Client, ...] = ()
    continue_: str | None = Field(None, alias="continue")
    missing: tuple[int, ...] = ()


class MetricPoint(Envelope):
    """The newest value of one metric with one set of attributes; a histogram has count and sum instead of a value."""

    name: str
    prometheus_name: str | None = None
    type: Literal["gauge", "counter", "histogram"] = "gauge"
    unit: str = ""
    attributes: dict[str, str] = Field(default_factory=dict)
    value: float | None = None
    count: float | None = None
    sum: float | None = None
    at_ms: int | None = None


class ClientMetrics(Envelope):
    """`GET /v1/clients/{client_instance_id}/metrics`."""

    client: Client
    metrics: tuple[MetricPoint, ...] = ()
    missing: tuple[int, ...] = ()


class Silent(Envelope):
    """A client, or the clients of one software, that does not push; `detail` says in one sentence what to do."""

    client_id: str | None = None
    client_instance_id: str | None = None
    principal: str | None = None
    client_address: str | None = None
    client_software_name: str = "unknown"
    client_software_version: str = "unknown"
    connections: int | None = None
    ours: bool = False
    seen_by: str | None = None
    reason: str
    detail: str = ""


class SilentClients(Envelope):
    """`GET /v1/silent`."""

    items: tuple[Silent, ...] = ()
    missing: tuple[int, ...] = ()
