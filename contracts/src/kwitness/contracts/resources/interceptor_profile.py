"""InterceptorProfile: interceptors (KIP-42) for the producers and consumers of selected pods."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.spelling import enum_value

from .contract_model import Contract, Rule, list_map, list_set, rules
from .durations import duration_field
from .meta import API_VERSION, ObjectMeta, Status, child_name_rule
from .references import ClusterRef, LabelSelector
from .standstill import suspend_field

__all__ = ["InterceptorEntry", "InterceptorProfile", "InterceptorProfileSpec", "InterceptorProfileStatus", "SkippedPod"]

Runtime = Literal["Auto", "Python", "Java", "Librdkafka"]
_SETTINGS = ("audit", "tracing", "latency", "sizes", "cardinality", "headers", "custom")


class WindowSettings(Contract):
    """Counts by window."""

    window: str = duration_field("10s", "Length of a window.", minimum="1s", maximum="1h")


class TracingSettings(Contract):
    """Trace context in record headers."""

    sample_one_in: int = Field(100, description="Begin a trace for every n-th record without one.", ge=1, le=1_000_000)


class CardinalitySettings(Contract):
    """Number of distinct keys, estimated."""

    window: str = duration_field("1m", "Length of a window.", minimum="1s", maximum="1h")
    precision_bits: int = Field(12, description="Size of the sketch: 2 to this power registers.", ge=4, le=16)


class HeadersSettings(Contract):
    """Header keys checked against a register."""

    registry: str = Field(
        description="HeaderRegistry, in the same namespace, whose policy applies.",
        min_length=1,
        max_length=253,
        pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
    )


class CustomSettings(Contract):
    """A class that is already in the application's image."""

    class_name: str = Field(
        description="Class name, as the runtime writes it (org.example.Audit, example.audit:Audit).",
        min_length=3,
        max_length=255,
        pattern=r"^[A-Za-z_][A-Za-z0-9_.$]*(:[A-Za-z_][A-Za-z0-9_]*)?$",
    )


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
            *(
                Rule(
                    f"self.type != '{enum_value(name)}' || has(self.{name})",
                    f"type {enum_value(name)} needs {needed}",
                    field_path=f".{name}",
                )
                for name, needed in (("headers", "headers.registry"), ("custom", "custom.className"))
            ),
        )
    )
    type: Literal["Audit", "Tracing", "Latency", "Sizes", "Cardinality", "Headers", "Custom"] = Field(
        description="What the interceptor does."
    )
    audit: WindowSettings | None = Field(None, description="Settings of Audit.")
    tracing: TracingSettings | None = Field(None, description="Settings of Tracing.")
    latency: WindowSettings | None = Field(None, description="Settings of Latency.")
    sizes: WindowSettings | None = Field(None, description="Settings of Sizes.")
    cardinality: CardinalitySettings | None = Field(None, description="Settings of Cardinality.")
    headers: HeadersSettings | None = Field(None, description="Settings of Headers.")
    custom: CustomSettings | None = Field(None, description="Settings of Custom.")


class InterceptorProfileSpec(Contract):
    """Which pods get which interceptors."""

    selector: LabelSelector = Field(description="Pods whose clients get the interceptors.")
    cluster_ref: ClusterRef = Field(description="The cluster that gets what the interceptors report.")
    interceptors: tuple[InterceptorEntry, ...] = Field(
        description="Interceptors, in the order in which they are called.", min_length=1, max_length=16
    )
    runtimes: tuple[Runtime, ...] = Field(
        ("Auto",),
        description="Runtimes to act in; Auto looks at the image.",
        min_length=1,
        max_length=3,
        json_schema_extra={
            **list_set(),
            **rules(Rule("!('Auto' in self) || size(self) == 1", "Auto stands alone: leave out Auto or the others")),
        },
    )
    suspend: bool = suspend_field("nothing is injected and interceptors that run do nothing")


class SkippedPod(Contract):
    """A pod that matches and was left as it is."""

    pod: str = Field(description="Name of the pod.", max_length=253)
    reason: str = Field(description="Why, as one stable CamelCase word.", max_length=64)


class InterceptorProfileStatus(Status):
    """Which pods have the interceptors."""

    matched: int | None = Field(None, description="Pods that match.", ge=0)
    injected: int | None = Field(None, description="Pods that have the interceptors.", ge=0)
    skipped: tuple[SkippedPod, ...] = Field(
        (), description="Pods left as they are, up to 20.", max_length=20, json_schema_extra=list_map("pod")
    )
    reporting: int | None = Field(None, description="Instances heard from in the last two windows.", ge=0)


class InterceptorProfile(Contract):
    """Puts interceptors into the Kafka clients of selected pods."""

    model_config = ConfigDict(json_schema_extra=child_name_rule(40))
    api_version: Literal["kwitness.dev/v1alpha1"] = API_VERSION
    kind: Literal["InterceptorProfile"] = "InterceptorProfile"
    metadata: ObjectMeta
    spec: InterceptorProfileSpec = Field(description="Which pods get which interceptors.")
    status: InterceptorProfileStatus | None = Field(None, description="Which pods have the interceptors.")
