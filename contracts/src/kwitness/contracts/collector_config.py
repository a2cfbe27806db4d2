"""The files that the operator writes for a collector: config.json and subscriptions.json; owners.json has `Owners`."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from .broker_configs import BrokerSubscriptionConfig
from .denied_addresses import LINK_LOCAL
from .identity import DEFAULT_LABELS, IdentityKey
from .interceptors import AttributeName
from .kafka_connection import KafkaAuthentication, KafkaConnection, TopicNames
from .observers import ReportedBy
from .reader_rights import ReaderScope

__all__ = [
    "ANY_ACCOUNT",
    "CollectorConfig",
    "CollectorTopics",
    "FilterConfig",
    "ForwardConfig",
    "IngestConfig",
    "KafkaAuthentication",
    "KafkaConnection",
    "OtherNamespacesConfig",
    "PrometheusConfig",
    "ReaderConfig",
    "SenderConfig",
    "SubscriptionsFile",
]

ANY_ACCOUNT: Final = "*"
"""In place of a service account: every one of the namespace, for observers and interceptors in pods alone."""


class _Config(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class PrometheusConfig(_Config):
    """What is exposed, within which bounds; new counters are 0 for two of ``scrape_interval_ms``."""

    max_series: int = 100_000
    labels: tuple[IdentityKey, ...] = DEFAULT_LABELS
    expire_after_missed_pushes: int = 3
    max_client_info: int = 10_000
    client_addresses: bool = False
    interceptor_attributes: tuple[AttributeName, ...] = ()
    scrape_interval_ms: int = Field(30_000, ge=0)


class SenderConfig(_Config):
    """A service account whose tokens for this collector are accepted, and what it speaks for.

    An observer or interceptors speak for the pod in their token alone, and an observer's account may send both.
    ``reported_by`` says what rows are marked with, and is ``pod`` unless the operator itself made the observer and
    nobody else can use the account. ``service_account`` may be `ANY_ACCOUNT`, of these two: sidecars and interceptors
    have the account of the pod that they are in. A sender that is named comes before, but for what it may not send.
    An observer that ``answers`` clients' telemetry reads the subscriptions by which it does.
    """

    namespace: str
    service_account: str
    source: Literal["plugin", "otlp", "observer", "interceptor", "collector"]
    reported_by: ReportedBy = "pod"
    answers: bool = True


class ReaderConfig(_Config):
    """A service account whose tokens for its inventory may read it, and tell observers what to do if it ``directs``.

    It reads what is of its ``scope`` alone, if it has one.
    """

    namespace: str
    service_account: str
    directs: bool = False
    scope: ReaderScope | None = None

    @model_serializer(mode="wrap")
    def _without_unused(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = handler(self)
        if self.scope is None:
            written.pop("scope", None)
        return written


class OtherNamespacesConfig(_Config):
    """Lets resources of ``from_namespaces`` act in pods of ``to_namespaces``; * there is all."""

    from_namespaces: tuple[str, ...]
    to_namespaces: tuple[str, ...]


class IngestConfig(_Config):
    """Encryption and the circle of senders and readers. Without a certificate the port speaks plaintext.

    Without ``other_namespaces`` a sidecar or an interceptor reports for resources of its pod's own namespace alone.
    """

    tls_cert_file: str | None = None
    tls_key_file: str | None = None
    ca_file: str | None = None
    senders: tuple[SenderConfig, ...] = ()
    readers: tuple[ReaderConfig, ...] = ()
    tokens_file: str | None = None
    other_namespaces: OtherNamespacesConfig | None = None

    @model_serializer(mode="wrap")
    def _without_unused(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = handler(self)
        if self.other_namespaces is None:
            written.pop("other_namespaces", None)
        return written


class ForwardConfig(_Config):
    """An OTLP endpoint that gets a copy of each push, of what is counted, or of both."""

    name: str
    endpoint: str
    protocol: Literal["http", "grpc"] = "http"
    attributes: Literal["both", "own", "semantic"] = "both"
    temporality: Literal["asSent", "cumulative"] = "asSent"
    sources: tuple[Literal["pushes", "counts"], ...] = ("pushes",)
    headers_file: str | None = None
    hosts_file: str | None = None
    hosts: str | None = None
    ca_file: str | None = None


class FilterConfig(_Config):
    """What is left out of pushes: prefixes of metrics' names (none in ``allow``: all pass), and names of attributes."""

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    drop_attributes: tuple[str, ...] = ()


class CollectorTopics(TopicNames):
    """Full names of all topics that a collector writes, by what the registry calls them."""

    traffic: str = "kwitness.traffic"
    requests: str = "kwitness.requests"
    interceptions: str = "kwitness.interceptions"
    headers: str = "kwitness.headers"
    seals: str = "kwitness.seals"


class CollectorConfig(_Config):
    """Everything one collector needs to know; `topics` is None where nothing is written to Kafka."""

    cluster_id: str
    namespace: str
    name: str
    replicas: int = Field(1, ge=1)
    kafka: KafkaConnection
    topics: CollectorTopics | None = None
    prometheus: PrometheusConfig = Field(default_factory=PrometheusConfig)
    ingest: IngestConfig = Field(default_factory=IngestConfig)
    forward: tuple[ForwardConfig, ...] = ()
    filter: FilterConfig | None = None
    identity: dict[IdentityKey, Literal["hash", "drop"]] = Field(default_factory=dict)
    """What is not kept of who pushed; with any, ``identity_key_file`` has the key of `identity_hash`."""
    identity_key_file: str | None = None
    state_dir: str = "/var/lib/kwitness"
    denied_addresses: tuple[str, ...] = LINK_LOCAL


class SubscriptionsFile(_Config):
    """All CLIENT_METRICS configurations of the broker."""

    subscriptions: tuple[BrokerSubscriptionConfig, ...] = ()
