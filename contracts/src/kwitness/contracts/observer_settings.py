"""The file that the operator writes for an observer: observer.json.

The observer is a program in Rust; `contracts/vectors/observer_settings.json` holds examples that both sides read.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Final

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_validator,
    model_serializer,
)

from .hashing_settings import HashingSettings
from .header_rules import HeaderRules
from .identity import ObservedKey
from .observers import ObserverMode, ReportableApi, ReportedBy, ResourceName, WorkloadKind

__all__ = [
    "EVERY_ADDRESS",
    "CollectorAddress",
    "HeaderSettings",
    "IdentitySettings",
    "LimitSettings",
    "ListenerSettings",
    "ListenerTls",
    "ObserverSettings",
    "ReportSettings",
    "RequestSettings",
    "TelemetrySettings",
    "UpstreamSettings",
    "UpstreamTls",
    "WorkloadSettings",
    "settings_hash",
]

Port = Annotated[int, Field(ge=1, le=65_535)]
NodeId = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,9})$")]
"""As JSON has it: a key is text."""

EVERY_ADDRESS: Final = "::"
"""To listen on: every address of both families, as far as the machine has them."""

_HASH_DIGITS = 16


class _Settings(BaseModel):
    # A misspelled field would be one without effect.
    model_config = ConfigDict(frozen=True, extra="forbid")


class UpstreamTls(_Settings):
    """How the brokers are known; `ca_file` is PEM, without it the system's CA certificates count."""

    ca_file: str | None = None


class UpstreamSettings(_Settings):
    """The brokers; `tls` is None where they speak plaintext.

    `nodes` has ``host:port`` by node id, of brokers that are known before any response has said where they are. Beside
    a broker it is that one alone, at the address of `bootstrap_servers`, which its records name; empty: unknown.
    """

    bootstrap_servers: tuple[str, ...] = Field(min_length=1)
    nodes: dict[NodeId, str] = Field(default_factory=dict)
    tls: UpstreamTls | None = None


class ListenerTls(_Settings):
    """What clients are shown, all PEM; with `client_ca_file` they need a certificate that it has signed."""

    certificate_file: str
    key_file: str
    client_ca_file: str | None = None


class ListenerSettings(_Settings):
    """Where clients connect; `brokers` has the port by node id, and a node that it lacks is hidden from clients.

    `bind` is an address to listen on, or `::` for every one of IPv6 and IPv4 that the machine has.
    Where `brokers` of a sidecar is empty, brokers get the ports after `bootstrap_port` as they are seen. `tls` is None
    where clients speak plaintext. `redirected` are the ports whose connections the pod's rules send to
    `bootstrap_port`, beside a broker those that come from outside of the pod: each goes on to where it was meant to go,
    unchanged. Empty: clients come by themselves.
    """

    name: str
    bind: str
    bootstrap_port: Port
    advertised_host: str
    brokers: dict[NodeId, Port]
    tls: ListenerTls | None = None
    redirected: tuple[Port, ...] = Field((), max_length=64)


class RequestSettings(_Settings):
    """Of which APIs fields are reported, and how many requests and answers a second, of one process."""

    apis: tuple[ReportableApi, ...] = ()
    events_per_second: int = Field(ge=1, le=1_000_000)


class HeaderSettings(_Settings):
    """Of one batch in `sample_every` headers are judged by `rules`, in `cpu_permille` thousandths of a core at most."""

    rules: HeaderRules = HeaderRules()
    sample_every: int = Field(ge=1, le=1_000_000)
    cpu_permille: int = Field(ge=1, le=1000)


class ReportSettings(_Settings):
    """What is reported; `requests` is None where requests and answers are not reported one by one.

    `headers` is None where nobody looks at headers of records.
    """

    connections: bool
    traffic: bool
    latency: bool
    requests: RequestSettings | None = None
    headers: HeaderSettings | None = None


class IdentitySettings(HashingSettings):
    """Identity keys that do not leave the observer as they are."""

    drop: tuple[ObservedKey, ...] = ()
    hash: tuple[ObservedKey, ...] = ()


class LimitSettings(_Settings):
    """Bounds of one process; None: there is no such bound.

    `max_connections_per_address` and `max_connection_rate_per_address` (new ones in a second) are for connections whose
    addresses are those of clients. `sign_in_ms` is for listeners whose clients authenticate by SASL, `idle_ms` the time
    without a byte after which a connection is closed that waits for no answer.
    """

    max_connections: int = Field(ge=1)
    max_frame_bytes: int = Field(ge=1)
    max_series: int = Field(ge=1)
    queue_bytes: int = Field(ge=1)
    max_rewrite_bytes: int = Field(ge=1)
    max_buffer_bytes: int | None = Field(None, ge=1)
    """Bytes that all connections may keep; absent: a quarter of the container's memory limit."""
    max_connections_per_address: int | None = Field(None, ge=1)
    max_connection_rate_per_address: int | None = Field(None, ge=1)
    sign_in_ms: int | None = Field(None, ge=1)
    idle_ms: int | None = Field(None, ge=1)


class CollectorAddress(_Settings):
    """Where events go: `url` holds ``{ordinal}``; without `ca_file` the system's CA certificates count."""

    url: str
    replicas: int = Field(ge=1)
    ca_file: str | None = None
    token_file: str


class TelemetrySettings(_Settings):
    """Bounds of clients' telemetry that the observer answers: instances it remembers, bytes of a compressed push.

    With `sasl` clients authenticate by SASL, before which nothing is answered.
    """

    max_instances: int = Field(ge=1, le=4_000_000)
    max_push_bytes: int = Field(ge=1, le=16_777_216)
    sasl: bool = False


class WorkloadSettings(_Settings):
    """What made the pod, as far up as the pod's name tells: a Deployment rather than its ReplicaSet."""

    kind: WorkloadKind
    name: ResourceName


class ObserverSettings(_Settings):
    """Everything one observer needs to know; `collector` is None where nothing is reported.

    `workload` is known of a sidecar alone, when its pod is made; None where nothing made the pod. `telemetry` is None
    where clients' telemetry is left to the brokers.
    """

    cluster_id: str
    namespace: str
    name: str
    mode: ObserverMode
    reported_by: ReportedBy
    suspend: bool
    upstream: UpstreamSettings
    listener: ListenerSettings
    window_ms: int = Field(ge=1000, le=3_600_000)
    report: ReportSettings
    identity: IdentitySettings
    limits: LimitSettings
    collector: CollectorAddress | None
    metrics_port: Port
    workload: WorkloadSettings | None = None
    telemetry: TelemetrySettings | None = None

    @field_validator("telemetry")
    @classmethod
    def _pushes_have_a_client(
        cls, telemetry: TelemetrySettings | None, info: ValidationInfo
    ) -> TelemetrySettings | None:
        identity = info.data.get("identity")
        if telemetry is not None and identity is not None and "client_instance_id" in identity.hash:
            raise ValueError("needs client_instance_id, which identity.hash has")
        return telemetry

    @model_serializer(mode="wrap")
    def _without_unused(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # An observer of an earlier version refuses to know it, and pods are not outdated by what they do not use.
        written: dict[str, Any] = handler(self)
        written["limits"] = {name: limit for name, limit in written["limits"].items() if limit is not None}
        if not self.identity.hash:
            written["identity"] = {"drop": written["identity"]["drop"]}
        if not self.upstream.nodes:
            written["upstream"].pop("nodes", None)
        if self.telemetry is None:
            written.pop("telemetry", None)
        elif not self.telemetry.sasl:
            written["telemetry"].pop("sasl")
        return written


def settings_hash(text: str) -> str:
    """Return the hash by which an observer names the file that it runs: 16 hex digits of SHA-256 over its bytes."""
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_DIGITS]
