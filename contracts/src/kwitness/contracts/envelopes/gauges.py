"""POST /v1/gauges: the plugin's heartbeat, every 10 s: the broker's connection gauges and the plugin's own ledger."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .envelope_model import BrokerId, ClientText, ClusterId, Count, Envelope, Milliseconds

__all__ = [
    "MAX_LISTED_INSTANCES",
    "MOST_INSTANCES",
    "ConnectionCount",
    "GaugeSnapshot",
    "InstanceSensors",
    "PluginLedger",
    "TelemetrySensors",
]

MOST_INSTANCES = 16_384
"""Client instances that a broker remembers; one more, and it forgets the one that asked least recently. Source:
`ClientMetricsManager.CM_CACHE_MAX_SIZE` of Kafka 3.7 to 4.3."""

MAX_LISTED_INSTANCES = 100
"""Instances that a heartbeat lists: those with the largest numbers."""

ShortText = Annotated[str, Field(max_length=64)]


class ConnectionCount(Envelope):
    """Open connections of one software on one listener."""

    listener: Annotated[str, Field(max_length=255)] = Field(description="Listener.")
    client_software_name: ClientText = Field(description="Software name.")
    client_software_version: ClientText = Field(description="Software version.")
    connections: Count = Field(description="Open connections now.")


class PluginLedger(Envelope):
    """The plugin's own ledger within its epoch: accepted = delivered + queued + dropped."""

    accepted: Count = Field(0, description="Pushes taken from the broker.")
    delivered: Count = Field(0, description="Pushes that a collector acknowledged.")
    queued: Count = Field(0, description="Pushes waiting.")
    dropped: dict[str, Count] = Field(default_factory=dict, description="Pushes given up, by reason.")


class InstanceSensors(Envelope):
    """What went wrong with one client instance since the broker knows it."""

    client_instance_id: Annotated[str, Field(max_length=64)] = Field(description="Client instance id.")
    throttled: Count = Field(0, description="Pushes that the broker refused because they came too early.")
    plugin_errors: Count = Field(0, description="Pushes upon which a receiver in the broker threw an error.")
    exported: Count = Field(0, description="Pushes that the broker handed to its receivers.")


class TelemetrySensors(Envelope):
    """The broker's own sensors of the group `client-metrics`, since the plugin's start; Kafka 3.7 has none."""

    instances: Count | None = Field(
        None, description=f"Client instances that the broker remembers; it has room for {MOST_INSTANCES}."
    )
    throttled: Count = Field(0, description="Pushes that the broker refused because they came too early.")
    unknown_subscription: Count = Field(
        0, description="Pushes that the broker refused because they name another subscription than its own."
    )
    plugin_errors: Count = Field(0, description="Pushes upon which a receiver in the broker threw an error.")
    exported: Count = Field(0, description="Pushes that the broker handed to its receivers.")
    slowest_export_ms: Count | None = Field(
        None, description="Longest time that the receivers took for one push of late, in milliseconds."
    )
    worst: tuple[InstanceSensors, ...] = Field(
        (),
        description="Instances with refused or failed pushes, those with most of them.",
        max_length=MAX_LISTED_INSTANCES,
    )


class GaugeSnapshot(Envelope):
    """One heartbeat of one broker's plugin."""

    schema_: Literal["kwitness.gauges/1"] = Field("kwitness.gauges/1", alias="schema", description="Name and version.")
    source: Annotated[str, Field(min_length=1, max_length=256)] = Field(description="<cluster id>/<broker id>.")
    epoch: Milliseconds = Field(description="Start of the source, in milliseconds since 1970.")
    seq: Count = Field(description="Number of the heartbeat within the epoch.")
    cluster_id: ClusterId = Field(description="Cluster id.")
    broker_id: BrokerId = Field(description="Broker id.")
    plugin_version: ShortText | None = Field(None, description="Version of the plugin.")
    kafka_version: ShortText | None = Field(None, description="Version of the broker.")
    java_version: ShortText | None = Field(None, description="Version of the broker's Java.")
    listeners: Annotated[str, Field(max_length=4096)] | None = Field(
        None, description="The broker's configuration `listeners`."
    )
    inter_broker_listener: Annotated[str, Field(max_length=255)] | None = Field(
        None, description="Listener that brokers use among themselves; left out of the counts."
    )
    push_sharing_inter_broker_listener: bool = Field(
        False, description="Whether clients push on that listener, so that counts miss them."
    )
    gauge_truncated: bool = Field(
        False, description="Whether a network processor had its most of 100 entries, so that counts are incomplete."
    )
    sent_at_ms: Milliseconds = Field(description="When it was sent, in milliseconds since 1970.")
    connections: tuple[ConnectionCount, ...] = Field((), description="Open connections.", max_length=100_000)
    asking: tuple[Annotated[str, Field(max_length=64)], ...] = Field(
        (), description="Client instances that asked for subscriptions.", max_length=100_000
    )
    sensors: TelemetrySensors | None = Field(
        None, description="What the broker counts of client telemetry; absent where it shows none."
    )
    ledger: PluginLedger = Field(default_factory=PluginLedger, description="The plugin's own ledger.")
    warnings: tuple[ShortText, ...] = Field((), description="What is wrong with the configuration.", max_length=64)
