"""What an observer reports, and within which bounds."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.observers import ReportableApi

from .contract_model import Contract, Rule, list_atomic, list_set, rules
from .durations import duration_field
from .references import HeaderRegistryRef

__all__ = ["EVENTS_PER_SECOND", "HeaderSampling", "ObserverEntry", "ObserverLimits"]

EVENTS_PER_SECOND: Final = 1_000
"""Of one observer process, unless the entry says otherwise."""


class HeaderSampling(Contract):
    """By which registers headers are judged, how many batches of records are looked into, and what that may take."""

    registries: tuple[HeaderRegistryRef, ...] = Field(
        (),
        description="Registers that headers are judged by. Of entries for the same key or prefix the first register's "
        "counts. Empty: headers are counted as of keys that are not registered.",
        max_length=16,
        json_schema_extra=list_atomic(),
    )
    sample_every: int = Field(
        100,
        description="One batch in so many is looked into, by chance, and the first of each connection.",
        ge=1,
        le=1_000_000,
    )
    cpu_percent: int = Field(
        1,
        description="Most of a CPU core that one observer process spends on it, in percent; beyond it batches are left "
        "out and counted.",
        ge=1,
        le=100,
    )


class ObserverEntry(Contract):
    """One kind of report."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "self.type == 'Requests' || !has(self.apis)",
                "apis is of type Requests alone: remove it, or set type to Requests",
                field_path=".apis",
            ),
            Rule(
                "self.type == 'Requests' || !has(self.eventsPerSecond)",
                "eventsPerSecond is of type Requests alone: remove it, or set type to Requests",
                field_path=".eventsPerSecond",
            ),
            Rule(
                "self.type == 'Headers' || !has(self.headers)",
                "headers is of type Headers alone: remove it, or set type to Headers",
                field_path=".headers",
            ),
        )
    )
    type: Literal["Connections", "Traffic", "Latency", "Requests", "Headers"] = Field(
        description="What is reported. Connections: opened, closed, and how. Traffic: requests, records, bytes and "
        "errors by api, client, topic and partition. Latency: response times. Requests: requests and answers one by "
        "one, in the order of their connection. Headers: keys of record headers (KIP-82), of a sample of the batches."
    )
    apis: tuple[Annotated[ReportableApi, Field(description="Kafka's name of an API.")], ...] | None = Field(
        None,
        description="Of Requests: the APIs whose fields are reported, by Kafka's names; never record data. Those of "
        "administrative requests are reported besides, by a list.",
        min_length=1,
        max_length=10,
        json_schema_extra=list_set(),
    )
    events_per_second: int | None = Field(
        None,
        description="Of Requests: most requests and answers that one observer process reports in a second; beyond it "
        f"whole exchanges are left out and counted. Absent: {EVENTS_PER_SECOND}.",
        ge=1,
        le=1_000_000,
    )
    headers: HeaderSampling | None = Field(
        None, description="Of Headers: its registers, and how large the sample is. Absent: its defaults."
    )

    @property
    def header_sampling(self) -> HeaderSampling:
        """Registers and sample, with defaults."""
        return self.headers or HeaderSampling()


class ObserverLimits(Contract):
    """Bounds of one observer process."""

    max_series: int = Field(
        10_000,
        description="Most rows of one window; what is beyond is summed in rows without client.",
        ge=100,
        le=1_000_000,
    )
    max_frame_bytes: int = Field(
        104_857_600,
        description="Longest request that is read, in bytes; a longer one ends its connection.",
        ge=4096,
        le=2_147_483_647,
    )
    max_connections: int = Field(10_000, description="Most client connections at once.", ge=1, le=1_000_000)
    max_connections_per_address: int | None = Field(
        None,
        description="Of a gateway: most connections of one address at once. Absent: half of maxConnections; no limit "
        "where service.externalTrafficPolicy is Cluster, since nodes' addresses are seen then.",
        ge=1,
        le=1_000_000,
    )
    max_connection_rate_per_address: int | None = Field(
        None,
        description="Of a gateway: most new connections of one address in a second. Absent: as with "
        "maxConnectionsPerAddress.",
        ge=1,
        le=1_000_000,
    )
    sign_in_timeout: str = duration_field(
        "30s",
        "Of a gateway in front of a listener with SASL: how long a client may take to authenticate.",
        minimum="1s",
        maximum="1h",
    )
    idle_timeout: str = duration_field(
        "1h",
        "Of a gateway: how long a connection may be silent that waits for no answer. Brokers have "
        "connections.max.idle.ms beside it.",
        minimum="1s",
        maximum="24h",
    )
    queue_bytes: int = Field(
        67_108_864,
        description="Bytes of events kept while the collector cannot be reached.",
        ge=65_536,
        le=17_179_869_184,
    )
    max_rewrite_bytes: int = Field(
        16_777_216,
        description="Longest response whose addresses are rewritten, in bytes; a longer one ends its connection.",
        ge=65_536,
        le=1_073_741_824,
    )
    max_buffer_bytes: int | None = Field(
        None,
        description="Bytes that all connections together may keep: responses held while they are rewritten, requests "
        "without response, bytes that a peer does not take. Without room connections are read more slowly. Absent: a "
        "quarter of the container's memory limit, or 256 MiB without one.",
        ge=1_048_576,
        le=17_179_869_184,
    )
    max_telemetry_instances: int = Field(
        16_384,
        description="Most client instances that are remembered with telemetry Terminate, as in a broker; the one that "
        "was silent the longest gives way. Each takes up to 256 bytes.",
        ge=1,
        le=4_000_000,
    )
    max_telemetry_bytes: int = Field(
        1_048_576,
        description="Longest push that is taken with telemetry Terminate, compressed, in bytes, as a broker's "
        "telemetry.max.bytes; clients are told.",
        ge=1_024,
        le=16_777_216,
    )
