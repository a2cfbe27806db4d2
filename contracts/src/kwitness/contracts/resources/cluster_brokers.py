"""Brokers of a Kafka cluster: part of a KafkaCluster's status."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .contract_model import Contract, list_map, list_set

__all__ = ["Broker", "Brokers"]


class Broker(Contract):
    """One broker, as metadata and the plugin's heartbeat show it."""

    id: int = Field(description="Node id.")
    host: str = Field(description="Advertised host.", max_length=255)
    port: int = Field(description="Advertised port.", ge=0, le=65535)
    rack: str | None = Field(None, description="Rack, where configured.", max_length=255)
    telemetry: bool | None = Field(
        None, description="Whether the broker answers clients' telemetry requests (API keys 71 and 72)."
    )
    plugin: str | None = Field(None, description="Version of our plugin, from its heartbeat.", max_length=64)
    version: str | None = Field(None, description="Version of the broker, from the plugin's heartbeat.", max_length=64)


class Brokers(Contract):
    """The brokers in numbers, and the first ten of them."""

    total: int = Field(0, description="How many brokers the cluster has.", ge=0)
    telemetry: int = Field(0, description="How many answer clients' telemetry requests (API keys 71 and 72).", ge=0)
    plugin: int = Field(0, description="Of how many our plugin's heartbeats arrive.", ge=0)
    node_ids: tuple[Annotated[int, Field(description="A node id.")], ...] = Field(
        (), description="Their node ids, the first 1000.", max_length=1000, json_schema_extra=list_set()
    )
    first: tuple[Broker, ...] = Field(
        (),
        description="The first ten by node id. `kwitness brokers` shows all.",
        max_length=10,
        json_schema_extra=list_map("id"),
    )
