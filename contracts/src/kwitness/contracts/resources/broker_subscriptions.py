"""Subscriptions to client metrics as brokers hold them: part of a KafkaCluster's status."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from .contract_model import Contract, list_map

__all__ = ["BrokerMatch", "BrokerSubscriptionState", "BrokerSubscriptions", "SubscriptionResource"]


class BrokerMatch(Contract):
    """One property of a client and the pattern that the whole of it must match, as the broker holds them."""

    selector: str = Field(description="The property, as spec.match of a subscription spells it.", max_length=64)
    pattern: str = Field(description="The pattern, in the broker's form.", max_length=1024)


class SubscriptionResource(Contract):
    """The ClientMetricsSubscription of this installation that a broker's subscription is made from."""

    namespace: str = Field(description="Its namespace.", max_length=63)
    name: str = Field(description="Its name.", max_length=253)


class BrokerSubscriptionState(Contract):
    """One subscription to client metrics that the brokers hold, whoever made it."""

    name: str = Field(description="Name of the CLIENT_METRICS configuration in the broker.", max_length=400)
    owner: Literal["Ours", "OtherInstallation", "Foreign"] = Field(
        description="Ours: made by this installation. OtherInstallation: by another one of kwitness. Foreign: by "
        "something else, such as kafka-client-metrics.sh."
    )
    resource: SubscriptionResource | None = Field(None, description="What it is made from, where it is ours.")
    interval: str = Field(description="How often it asks clients to push, such as 30s.", max_length=32)
    metrics: tuple[Annotated[str, Field(description="A prefix of metric names, or *.", max_length=255)], ...] = Field(
        (), description="The first 16 prefixes of metric names that it asks for; '*' is every metric.", max_length=16
    )
    metrics_left_out: int | None = Field(None, description="How many more prefixes it has.", ge=1)
    match: tuple[BrokerMatch, ...] = Field(
        (),
        description="Which clients it reaches: all entries must match. Without entries, every client.",
        max_length=6,
        json_schema_extra=list_map("selector"),
    )

    @model_serializer(mode="wrap")
    def _without_what_is_empty(self, dumped: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in dumped(self).items() if value not in ((), [], None)}


class BrokerSubscriptions(Contract):
    """Subscriptions to client metrics that the brokers hold: how many by owner, and the first ten of them."""

    ours: int = Field(0, description="How many this installation made.", ge=0)
    other_installations: int = Field(0, description="How many other installations of kwitness made.", ge=0)
    foreign: int = Field(0, description="How many something else made, such as kafka-client-metrics.sh.", ge=0)
    prefix: str | None = Field(
        None, description="What the names of those begin with that this installation made.", max_length=300
    )
    first: tuple[BrokerSubscriptionState, ...] = Field(
        (),
        description="The first ten, those of others before ours, each by name. `kwitness subscriptions` shows all.",
        max_length=10,
        json_schema_extra=list_map("name"),
    )
