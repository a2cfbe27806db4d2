"""One interceptor of an InterceptorProfile and its settings, by type."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.interceptors import AttributeName, InterceptorName
from kwitness.contracts.spelling import enum_value

from .contract_model import Contract, Rule, list_map, list_set, rules
from .durations import duration_field
from .header_registry import HeaderText

__all__ = ["InterceptorEntry", "Stamp"]

SettingName = Annotated[str, Field(min_length=1, max_length=128)]
SettingText = Annotated[str, Field(max_length=1024, description="The value of the setting.")]
_SETTINGS = ("cardinality", "custom", "headers", "stamp", "tracing", "checksum")


class CardinalitySettings(Contract):
    """Number of distinct keys, estimated."""

    window: str = duration_field("1m", "Length of a window of distinct keys.", minimum="1s", maximum="1h")


class CustomSettings(Contract):
    """A class that is already in the application's image."""

    class_name: str = Field(
        description="Class name, as the runtime writes it (org.example.Audit, example.audit:Audit).",
        min_length=3,
        max_length=255,
        pattern=r"^[A-Za-z_][A-Za-z0-9_.$]*(:[A-Za-z_][A-Za-z0-9_]*)?$",
    )
    settings: dict[SettingName, SettingText] = Field(
        default_factory=dict,
        description="Settings that the class's configure gets beside the client's own. No passwords: they are readable "
        "in the pod. Those of all interceptors have at most 65536 characters.",
        max_length=64,
    )


class HeadersSettings(Contract):
    """Which headers' values are counted."""

    values_of: tuple[HeaderText, ...] = Field(
        (),
        description="Keys whose values are counted, up to 32 different ones of 64 bytes for each window, topic and "
        "client. Those of a key that is not registered or registered as Secret never are.",
        max_length=16,
        json_schema_extra=list_set(),
    )


class Stamp(Contract):
    """A header that records get."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            *(
                Rule(
                    f"has(self.{name}) == (self.from == '{enum_value(name)}')",
                    f"{name} is for from: {enum_value(name)}, which needs it",
                    field_path=f".{name}",
                )
                for name in ("value", "attribute")
            )
        )
    )
    key: HeaderText = Field(description="The header's key. A record that has it already is left as it is.")
    from_: Literal["ClientId", "ClusterId", "Pod", "Namespace", "Workload", "UniqueId", "Value", "Attribute"] = Field(
        alias="from",
        description="Where the value comes from: the client, the cluster, the pod, what made the pod, a UUID of "
        "version 7 for each record, or what value or attribute says. Where it is unknown, records do not get the "
        "header.",
    )
    value: str | None = Field(
        None, description="The text, for from: Value, which needs it.", min_length=1, max_length=1024
    )
    attribute: AttributeName | None = Field(
        None, description="Name of one of spec.attributes, for from: Attribute, which needs it."
    )


class StampSettings(Contract):
    """Headers that records get when they are sent."""

    stamps: tuple[Stamp, ...] = Field(
        description="The headers. Keys and values of all interceptors' stamps have at most 4096 bytes.",
        min_length=1,
        max_length=32,
        json_schema_extra=list_map("key"),
    )


class TracingSettings(Contract):
    """W3C Trace Context in the header traceparent."""

    header: HeaderText | None = Field(
        None, description="A header that gets the trace's id as well, as 32 hex digits. Absent: none does."
    )


class ChecksumSettings(Contract):
    """A checksum of serialised key and value."""

    header: HeaderText = Field("kwitness.checksum", description="The header that holds it.")


class InterceptorEntry(Contract):
    """One interceptor and its settings."""

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
            Rule("self.type != 'Stamp' || has(self.stamp)", "type Stamp needs stamp.stamps", field_path=".stamp"),
        )
    )
    name: InterceptorName = Field(description="What metrics and rows call it, such as audit.")
    type: Literal[
        "Audit", "Latency", "Sizes", "Cardinality", "Stats", "Custom", "Headers", "Stamp", "Tracing", "Checksum"
    ] = Field(description="What the interceptor does.")
    cardinality: CardinalitySettings | None = Field(None, description="Settings of Cardinality.")
    custom: CustomSettings | None = Field(None, description="Settings of Custom, which needs them.")
    headers: HeadersSettings | None = Field(None, description="Settings of Headers.")
    stamp: StampSettings | None = Field(None, description="Settings of Stamp, which needs them.")
    tracing: TracingSettings | None = Field(None, description="Settings of Tracing.")
    checksum: ChecksumSettings | None = Field(None, description="Settings of Checksum.")
