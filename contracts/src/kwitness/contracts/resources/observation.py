"""What an observer reports, in typed settings: one entry per observer, one block of settings per type."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.spelling import enum_value

from .contract_model import Contract, Rule, list_set, rules
from .durations import duration_field
from .header_registry import HeaderText

__all__ = ["IdentityTreatment", "ObserverEntry", "ObserverLimits"]

Treatment = Literal["Keep", "Hash", "Drop"]

_SETTINGS = ("traffic", "requests", "latency", "headers", "custom")


class TrafficSettings(Contract):
    """One row per window, api, client, topic and partition."""

    window: str = duration_field("10s", "Length of a window.", minimum="1s", maximum="1h")


class RequestsSettings(Contract):
    """Requests and responses in order, without record keys and values."""

    sample_one_in: int = Field(1, description="Report every n-th connection; 1 reports all.", ge=1, le=1_000_000)


class LatencySettings(Contract):
    """Response times as mergeable sketches."""

    window: str = duration_field("10s", "Length of a window.", minimum="1s", maximum="1h")


class HeadersSettings(Contract):
    """Header keys in use; values only where named."""

    values_of: tuple[HeaderText, ...] = Field(
        (),
        description="Header keys whose values are reported too. Absent: none.",
        max_length=64,
        json_schema_extra=list_set(),
    )


class CustomSettings(Contract):
    """A class of the observer host's image."""

    class_name: str = Field(
        description="Python class, as module:Class, in the host's image.",
        min_length=3,
        max_length=255,
        pattern=r"^[A-Za-z_][A-Za-z0-9_.]*:[A-Za-z_][A-Za-z0-9_]*$",
    )


class ObserverEntry(Contract):
    """One observer and its settings."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            *(
                Rule(
                    f"!has(self.{name}) || self.type == '{enum_value(name)}'",
                    f"{name} is for type {enum_value(name)} only",
                    field_path=f".{name}",
                )
                for name in _SETTINGS
            ),
            Rule(
                "self.type != 'Custom' || has(self.custom)",
                "type Custom needs custom.className",
                field_path=".custom",
            ),
        )
    )
    type: Literal["Connections", "Traffic", "Requests", "Latency", "Headers", "Custom"] = Field(
        description="What is reported."
    )
    traffic: TrafficSettings | None = Field(None, description="Settings of Traffic.")
    requests: RequestsSettings | None = Field(None, description="Settings of Requests.")
    latency: LatencySettings | None = Field(None, description="Settings of Latency.")
    headers: HeadersSettings | None = Field(None, description="Settings of Headers.")
    custom: CustomSettings | None = Field(None, description="Settings of Custom; run by the host (spec.host).")


class ObserverLimits(Contract):
    """Bounds of one observer process."""

    max_series: int = Field(10_000, description="Most series exposed.", ge=100, le=1_000_000)
    max_frame_bytes: int = Field(
        104_857_600,
        description="Longest frame that is read, in bytes; longer ones pass unread.",
        ge=4096,
        le=2_147_483_647,
    )
    max_connections: int = Field(10_000, description="Most client connections at once.", ge=1, le=1_000_000)
    queue_bytes: int = Field(
        67_108_864,
        description="Bytes of events kept while the collector cannot be reached.",
        ge=65_536,
        le=1_099_511_627_776,
    )


class IdentityTreatment(Contract):
    """What happens to each identity field before it leaves the observer; Hash is a keyed HMAC."""

    principal: Treatment = Field("Keep", description="The authenticated user.")
    client_id: Treatment = Field("Keep", description="Client id.")
    client_instance_id: Treatment = Field("Keep", description="Client instance id.")
    client_address: Treatment = Field("Keep", description="Network address.")
    group_id: Treatment = Field("Keep", description="Consumer group.")
    group_member_id: Treatment = Field("Keep", description="Member of the consumer group.")
    transactional_id: Treatment = Field("Keep", description="Transactional id.")
