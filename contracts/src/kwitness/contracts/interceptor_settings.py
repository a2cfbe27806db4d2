"""The file that an interceptor of any runtime reads: interceptors.json.

The variable `KWITNESS_INTERCEPTORS` names it. Interceptors are programs in Python, Java and Rust;
`contracts/vectors/interceptor_settings.json` holds examples that all of them read.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from kwitness.contracts.dns_label import DnsLabel
from kwitness.contracts.observers import ResourceName

from .interceptors import AttributeName, AttributeText, InterceptorName
from .observer_settings import CollectorAddress, WorkloadSettings

__all__ = [
    "CONTAINER_VARIABLE",
    "OFF_VARIABLE",
    "POD_NAMESPACE_VARIABLE",
    "POD_NAME_VARIABLE",
    "SETTINGS_VARIABLE",
    "AuditSettings",
    "CardinalitySettings",
    "CustomSettings",
    "InterceptorEntry",
    "InterceptorLimits",
    "InterceptorSettings",
    "LatencySettings",
    "SizesSettings",
    "StatsSettings",
    "ThroughObserver",
    "TopicSelection",
    "is_selected",
]

SETTINGS_VARIABLE = "KWITNESS_INTERCEPTORS"
"""Names the file; without it nothing is intercepted but what a program asks for by hand."""
POD_NAMESPACE_VARIABLE = "KWITNESS_POD_NAMESPACE"
POD_NAME_VARIABLE = "KWITNESS_POD_NAME"
CONTAINER_VARIABLE = "KWITNESS_CONTAINER"
"""Where the process is; the first two are as in the pod's token, without them nothing is reported."""
OFF_VARIABLE = "KWITNESS_OFF"
"""With the value 1 nothing is done, whatever else is set; each runtime reads it first."""

SecurityProtocol = Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
"""As Kafka spells it."""

TopicSelection = Annotated[
    str, Field(min_length=1, max_length=249, pattern=r"^([A-Za-z0-9._-]{1,249}|[A-Za-z0-9._-]{0,248}\*)$")
]
"""A topic's name, or what names begin with and a star."""


class _Settings(BaseModel):
    # A misspelled field would be one without effect.
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Interceptor(_Settings):
    name: InterceptorName


class AuditSettings(_Interceptor):
    """What was sent, acknowledged, given up, consumed and committed, by topic, with the offsets."""

    type: Literal["Audit"]


class LatencySettings(_Interceptor):
    """How long acknowledgements took, and how old records are when they are handed over."""

    type: Literal["Latency"]


class SizesSettings(_Interceptor):
    """How large records are."""

    type: Literal["Sizes"]


class CardinalitySettings(_Interceptor):
    """How many different keys there are within windows of their own, which begin at whole multiples of their length."""

    type: Literal["Cardinality"]
    window_ms: int = Field(60_000, ge=1_000, le=3_600_000)


class StatsSettings(_Interceptor):
    """What the client library says of itself, where the application does not ask for that itself."""

    type: Literal["Stats"]


class CustomSettings(_Interceptor):
    """A class of the application's image: package.module:Class in Python, a class name in Java.

    `settings` are added to the configuration that `configure` gets.
    """

    type: Literal["Custom"]
    class_name: str = Field(
        min_length=3, max_length=255, pattern=r"^[A-Za-z_][A-Za-z0-9_.$]*(:[A-Za-z_][A-Za-z0-9_]*)?$"
    )
    settings: dict[Annotated[str, Field(min_length=1, max_length=128)], Annotated[str, Field(max_length=1024)]] = Field(
        default_factory=dict, max_length=64
    )


InterceptorEntry = Annotated[
    AuditSettings | LatencySettings | SizesSettings | CardinalitySettings | StatsSettings | CustomSettings,
    Field(discriminator="type"),
]


class InterceptorLimits(_Settings):
    """Bounds of one process: what does not fit is summed up or dropped, and counted.

    `topics` are those of a client instance with rows of their own, the rest shares one; `queue_bytes` are rows that
    wait for the collector; `partitions` are those of a row.
    """

    topics: int = Field(32, ge=1, le=1_024)
    partitions: int = Field(256, ge=1, le=1_024)
    clients: int = Field(256, ge=1, le=4_096)
    queue_bytes: int = Field(1_048_576, ge=65_536, le=67_108_864)


class ThroughObserver(_Settings):
    """How clients connect to the observer of their pod instead of the listener that it observes.

    `bootstrap_servers` is where the observer listens, None where the pod has none that clients could connect to.
    `addresses` are the listener's, host:port in lower case, and of names within Kubernetes what is before ``.svc``. A
    client whose bootstrap servers have none of them is another cluster's. `protocols` are what a client speaks to the
    observer, by the security protocol that it is configured with; one with another protocol goes on by itself.
    """

    bootstrap_servers: Annotated[str, Field(min_length=1, max_length=128)] | None = None
    addresses: tuple[Annotated[str, Field(min_length=1, max_length=320)], ...] = Field((), max_length=256)
    protocols: dict[SecurityProtocol, SecurityProtocol] = Field(default_factory=dict)


class InterceptorSettings(_Settings):
    """Everything the interceptors of one process need to know; `collector` is None where nothing is reported.

    Interceptors are called in this order. `topics` are those that are intercepted, all where it is empty. Windows begin
    at whole multiples of `window_ms` since 1970. `suspend` means that records pass and nothing is counted. Without
    `through_observer` clients connect as they are configured.
    """

    installation: ResourceName
    cluster_id: str = Field(min_length=1, max_length=64)
    namespace: DnsLabel
    name: ResourceName
    suspend: bool
    interceptors: tuple[InterceptorEntry, ...] = Field(min_length=1, max_length=16)
    topics: tuple[TopicSelection, ...] = Field((), max_length=64)
    window_ms: int = Field(10_000, ge=1_000, le=3_600_000)
    limits: InterceptorLimits = Field(default_factory=InterceptorLimits)
    attributes: dict[AttributeName, AttributeText] = Field(default_factory=dict, max_length=16)
    collector: CollectorAddress | None
    workload: WorkloadSettings | None = None
    through_observer: ThroughObserver | None = None

    @field_validator("interceptors")
    @classmethod
    def _names_differ(cls, interceptors: tuple[InterceptorEntry, ...]) -> tuple[InterceptorEntry, ...]:
        if len({one.name for one in interceptors}) < len(interceptors):
            raise ValueError("two of them have the same name")
        return interceptors


def is_selected(topic: str, topics: tuple[str, ...]) -> bool:
    """Return whether `topic` is one of those that settings include."""
    return not topics or any(topic.startswith(one[:-1]) if one.endswith("*") else topic == one for one in topics)
