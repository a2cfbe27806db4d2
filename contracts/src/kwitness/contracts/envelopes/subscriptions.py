"""Subscriptions of a cluster: in numbers, and all of them for observers that answer clients themselves."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Annotated, Final, Literal, Self

from pydantic import Field

from kwitness.contracts.broker_configs import BrokerSubscriptionConfig

from .envelope_model import Count, Envelope, Milliseconds, ReplicasAnswer

__all__ = [
    "ClusterSubscriptions",
    "SilenceWord",
    "SilentSoftwareState",
    "SubscriptionAnswer",
    "SubscriptionClients",
    "SubscriptionList",
    "SubscriptionState",
    "TopClient",
]

_HASH_DIGITS: Final = 16

SilenceWord = Literal[
    "tooOld",
    "subscribedNotPushing",
    "throttled",
    "unknownSubscription",
    "pluginError",
    "instanceLimit",
    "notAsking",
    "unknown",
]


class SubscriptionClients(Envelope):
    """Client instances in numbers; a number that cannot be known is absent."""

    asking: Count | None = Field(None, description="Instances that asked a broker for subscriptions.")
    matching: Count | None = Field(None, description="Instances that match, of those that push.")
    pushing: Count | None = Field(None, description="Instances that push.")
    source: Literal["plugin", "observer"] | None = Field(None, description="Who counted.")


class SilentSoftwareState(Envelope):
    """A software of which no instance pushes."""

    client_software_name: str = Field(description="Software name.")
    client_software_version: str = Field(description="Software version.")
    connections: Count = Field(description="Open connections.")
    reason: SilenceWord = Field(description="Why, as far as can be known.")
    ours: bool = Field(False, description="Whether it is the platform's own.")


class TopClient(Envelope):
    """One of the client instances that match."""

    client_instance_id: str = Field(description="Client instance id.")
    client_id: str | None = Field(None, description="Client id.")
    client_software_name: str | None = Field(None, description="Software name.")
    client_software_version: str | None = Field(None, description="Software version.")
    last_push_ms: Milliseconds | None = Field(None, description="When it last pushed, in milliseconds since 1970.")
    metrics: Count = Field(0, description="How many metrics of this subscription it sends.")


class SubscriptionState(Envelope):
    """One broker subscription, and its clients in numbers."""

    id: str = Field(description="Name of the CLIENT_METRICS configuration in the broker.")
    definition: BrokerSubscriptionConfig | None = Field(
        None, description="What it requests and of which clients, as the brokers have it."
    )
    clients: SubscriptionClients = Field(description="Client instances in numbers.")
    silent_software: tuple[SilentSoftwareState, ...] = Field((), description="Software of which no instance pushes.")
    unsent_prefixes: tuple[str, ...] = Field((), description="Prefixes of which no client sends a metric.")
    top_clients: tuple[TopClient, ...] = Field((), description="Up to 20 instances that match.")


class SubscriptionAnswer(SubscriptionState, ReplicasAnswer):
    """One broker subscription, asked for by name."""


class SubscriptionList(ReplicasAnswer):
    """All subscriptions of the cluster's brokers."""

    items: tuple[SubscriptionState, ...] = Field(description="Subscriptions, by name.")


class ClusterSubscriptions(Envelope):
    """All subscriptions of a cluster, as observers that answer clients themselves need them."""

    hash: Annotated[str, Field(min_length=1, max_length=64)] = Field(
        description="Of the subscriptions: another one means others."
    )
    subscriptions: tuple[BrokerSubscriptionConfig, ...] = Field((), description="All of them, ours and foreign.")

    @classmethod
    def of(cls, subscriptions: Iterable[BrokerSubscriptionConfig]) -> Self:
        """Name subscriptions by a hash that is the same for the same ones, whatever their order."""
        ordered = tuple(sorted(subscriptions, key=lambda one: one.id))
        text = "\n".join(one.model_dump_json() for one in ordered)
        return cls(
            hash=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_HASH_DIGITS], subscriptions=ordered
        )
