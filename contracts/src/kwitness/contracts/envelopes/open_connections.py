"""GET /v1/connections, and the list in an observer's heartbeat that it is answered from."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.identity import Identity
from kwitness.contracts.observers import ObserverMode

from .client_owner import ClientOwner
from .envelope_model import Count, Envelope, Milliseconds, ReplicasAnswer

__all__ = [
    "MAX_COUNTED_VALUES",
    "MAX_OPEN_CONNECTIONS",
    "ConnectionItem",
    "ConnectionPage",
    "ConnectionState",
    "CountedValue",
    "ObserverListing",
    "OpenConnection",
    "OpenConnections",
]

MAX_OPEN_CONNECTIONS = 2_000
"""Most connections that one observer lists."""

MAX_COUNTED_VALUES: Final = 500
"""Most values of an answer that observers and interceptors counted."""

LONGEST_VALUE = 256
"""Characters of an identity key's value."""

ConnectionState = Literal["sniff", "observed", "opaque", "relay_only"]
_Text = Annotated[str, Field(max_length=64)]


class OpenConnection(Identity):
    """One open connection, as an observer lists it; identity keys that are not known are absent."""

    model_config = ConfigDict(str_max_length=LONGEST_VALUE)

    connection_id: Annotated[str, Field(min_length=1, max_length=256)] = Field(
        description="The observer's name of the connection, as in kwitness.connections."
    )
    opened_at_ms: Milliseconds = Field(description="Since when it is open, in milliseconds since 1970.")
    state: ConnectionState = Field(description="What is done with it: sniff, observed, opaque, relay_only.")
    opaque: _Text | None = Field(None, description="Why nothing of it can be read, where it is opaque.")
    security_protocol: _Text | None = Field(
        None, description="How the client speaks to the observer, by Kafka's name such as SASL_SSL."
    )


class OpenConnections(Envelope):
    """All open connections of an observer, when the collector asked for them."""

    connections: tuple[OpenConnection, ...] = Field(
        (), description="The oldest ones first.", max_length=MAX_OPEN_CONNECTIONS
    )
    left_out: dict[_Text, Count] = Field(
        default_factory=dict,
        description="Open connections that are not listed, by reason: too_many, not_reported (the ObserverDeployment "
        "does not report connections).",
        max_length=16,
    )


class ConnectionItem(OpenConnection):
    """One open connection, and who sees it."""

    observer_mode: ObserverMode = Field(description="How the observer comes between client and broker.")
    observer: str = Field(description="The ObserverDeployment: <namespace>/<name>.")
    observer_pod: str = Field(description="The observer's pod: <namespace>/<pod>.")
    listed_at_ms: Milliseconds = Field(description="When the observer listed it, in milliseconds since 1970.")
    owner: ClientOwner | None = Field(None, description="Owner of the client; absent where no entry matches.")


class ObserverListing(Envelope):
    """What one observer has answered."""

    observer: str = Field(description="The ObserverDeployment: <namespace>/<name>.")
    observer_pod: str = Field(description="The observer's pod: <namespace>/<pod>.")
    answer: Literal["listed", "awaited", "silent"] = Field(
        description="listed: its connections are among the items. awaited: it is asked with its next heartbeat, within "
        "five seconds. silent: nothing was heard of it for 30 seconds."
    )
    listed_at_ms: Milliseconds | None = Field(None, description="When it listed its connections.")
    left_out: dict[str, Count] = Field(
        default_factory=dict,
        description="Open connections that are not among the items, by reason: too_many, not_reported, no_room (in the "
        "collector).",
    )


class CountedValue(Envelope):
    """Value of a metric of observers or interceptors, as it is now."""

    name: str = Field(description="Name of the metric.")
    labels: dict[str, str] = Field(description="Its labels but cluster_id, those that are known.")
    value: float = Field(description="Of a counter since the collector counts it, of a gauge now.")


class ConnectionPage(ReplicasAnswer):
    """One page of the open connections."""

    items: tuple[ConnectionItem, ...] = Field(description="Connections, by `order`, else by observer's pod and age.")
    matched: Count | None = Field(None, description="Connections that fit the filters, of all replicas that answered.")
    observers: tuple[ObserverListing, ...] = Field((), description="All observers, and what each has answered.")
    awaited: bool | None = Field(
        None,
        description="With `scope`, whose readers see observers of their namespaces alone: true where observers have "
        "not listed their connections yet. Ask again.",
    )
    counted: tuple[CountedValue, ...] | None = Field(
        None,
        description="With the filter client_id, on the first page: how connections ended "
        "(kafka_client_connection_ends_total), and statistics of librdkafka (kafka_client_interceptor_*), of clients "
        "that fit all filters, by name and labels, at most 500. Series that share the labels other are left out.",
        max_length=MAX_COUNTED_VALUES,
    )
    continue_: str | None = Field(
        None, alias="continue", description="Token for the next page; absent when this is the last."
    )
