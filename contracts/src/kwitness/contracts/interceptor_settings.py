"""The file that an interceptor of any runtime reads: interceptors.json.

The variable `KWITNESS_INTERCEPTORS` names it. Interceptors are programs in Python, Java and Rust;
`contracts/vectors/interceptor_settings.json` holds examples that all of them read.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from kwitness.contracts.dns_label import DnsLabel
from kwitness.contracts.hashing_settings import HashingSettings
from kwitness.contracts.header_rules import HeaderRules, HeaderText
from kwitness.contracts.identity import InterceptedKey
from kwitness.contracts.observers import ResourceName

from .interceptors import AttributeName, AttributeText, InterceptorName
from .observer_settings import CollectorAddress, WorkloadSettings

__all__ = [
    "CHECKSUM_HEADER",
    "CONTAINER_VARIABLE",
    "OFF_VARIABLE",
    "POD_NAMESPACE_VARIABLE",
    "POD_NAME_VARIABLE",
    "SETTINGS_VARIABLE",
    "AuditSettings",
    "CardinalitySettings",
    "ChecksumSettings",
    "CustomSettings",
    "HeadersSettings",
    "InterceptedIdentity",
    "InterceptorEntry",
    "InterceptorLimits",
    "InterceptorSettings",
    "LatencySettings",
    "SizesSettings",
    "Stamp",
    "StampSettings",
    "StatsSettings",
    "ThroughObserver",
    "TopicSelection",
    "TracingSettings",
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

CHECKSUM_HEADER = "kwitness.checksum"
"""The header of a checksum where none is named."""

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


class HeadersSettings(_Interceptor):
    """Which headers records have, judged by `headers` of the settings; without it no key is registered.

    A producer's removes a header that the policy Deny forbids, in the order of the list, so what an entry before it
    added is judged and what one after it adds is not.
    """

    type: Literal["Headers"]


class Stamp(_Settings):
    """A header that records get, as UTF-8 text.

    `value` is the text of Value, and of Attribute the name of one of the settings' `attributes`. UniqueId is a UUID of
    version 7 as 36 characters, a new one for each record. Pod is named by `POD_NAME_VARIABLE`, Namespace by
    `POD_NAMESPACE_VARIABLE`, Workload is the settings' name of it and ClusterId theirs; ClientId is the client's. Where
    it is unknown the record does not get the header.
    """

    model_config = ConfigDict(serialize_by_alias=True)

    key: HeaderText
    from_: Literal["ClientId", "ClusterId", "Pod", "Namespace", "Workload", "UniqueId", "Value", "Attribute"] = Field(
        alias="from"
    )
    value: Annotated[str, Field(min_length=1, max_length=1024)] | None = None

    @model_validator(mode="after")
    def _value_where_it_is_used(self) -> Stamp:
        if (self.value is not None) != (self.from_ in ("Value", "Attribute")):
            raise ValueError("value is for Value and Attribute, which need it")
        return self


class StampSettings(_Interceptor):
    """Adds headers to records that are sent, each where the record has none of that key yet."""

    type: Literal["Stamp"]
    stamps: tuple[Stamp, ...] = Field(min_length=1, max_length=32)

    @field_validator("stamps")
    @classmethod
    def _keys_differ(cls, stamps: tuple[Stamp, ...]) -> tuple[Stamp, ...]:
        if len({one.key for one in stamps}) < len(stamps):
            raise ValueError("two of them have the same key")
        return stamps


class TracingSettings(_Interceptor):
    """W3C Trace Context: each record that is sent says in `traceparent` which trace it belongs to.

    The trace is that of the application's active OpenTelemetry span, else the record's own, else a new one, which is
    sampled. `tracestate` and what other vendors write stay as they are. `header` names one more, which gets the trace's
    id as 32 hex digits. `contracts/vectors/traceparent.json` holds examples of what is a record's own.
    """

    type: Literal["Tracing"]
    header: HeaderText | None = None


class ChecksumSettings(_Interceptor):
    """A header with a checksum of the serialized key and value, which consumers compare.

    One that differs is an anomaly, `checksum_mismatch`. It is the first 16 bytes of SHA-256 over the key and then the
    value, each as its length, 4 bytes, big endian, and its bytes, or as -1 where it is null. A record that has the
    header already is left as it is. `contracts/vectors/header_checksums.json` holds examples.
    """

    type: Literal["Checksum"]
    header: HeaderText = CHECKSUM_HEADER


InterceptorEntry = Annotated[
    AuditSettings
    | LatencySettings
    | SizesSettings
    | CardinalitySettings
    | StatsSettings
    | CustomSettings
    | HeadersSettings
    | StampSettings
    | TracingSettings
    | ChecksumSettings,
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


class InterceptedIdentity(HashingSettings):
    """Identity keys that do not leave the process as they are; a runtime that does not know one has nothing to drop."""

    drop: tuple[InterceptedKey, ...] = ()
    hash: tuple[InterceptedKey, ...] = ()


class InterceptorSettings(_Settings):
    """Everything the interceptors of one process need to know; `collector` is None where nothing is reported.

    Interceptors are called in this order. `topics` are those that are intercepted, all where it is empty. Windows begin
    at whole multiples of `window_ms` since 1970. `suspend` means that records pass and nothing is counted. Without
    `through_observer` clients connect as they are configured. `headers` is what Headers judges by. Without `identity`
    everything that is known of clients is reported.
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
    headers: HeaderRules | None = None
    identity: InterceptedIdentity | None = None

    @field_validator("interceptors")
    @classmethod
    def _names_differ(cls, interceptors: tuple[InterceptorEntry, ...]) -> tuple[InterceptorEntry, ...]:
        if len({one.name for one in interceptors}) < len(interceptors):
            raise ValueError("two of them have the same name")
        return interceptors


def is_selected(topic: str, topics: tuple[str, ...]) -> bool:
    """Return whether `topic` is one of those that settings include."""
    return not topics or any(topic.startswith(one[:-1]) if one.endswith("*") else topic == one for one in topics)
