"""How a process connects to Kafka: the part of its configuration file that the operator writes for it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["KafkaAuthentication", "KafkaConnection", "TopicNames"]


class KafkaAuthentication(BaseModel):
    """Who the process is; credentials are in files, so that they rotate without a restart."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: Literal["none", "plain", "scram-sha-256", "scram-sha-512", "mtls"] = "none"
    username: str | None = None
    """The user name, where the resource names it; otherwise it is in `username_file`."""
    username_file: str | None = None
    password_file: str | None = None
    hosts_file: str | None = None
    """The only addresses the credential may be sent to, as `allowed_hosts` reads them; need not be there."""
    hosts: str | None = None
    """The same list as the installation's Helm values have it, or None; where both are there both must allow."""


class KafkaConnection(BaseModel):
    """Where the cluster is, how the connection is encrypted, and who the process is."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    bootstrap_servers: tuple[str, ...]
    tls: bool = False
    ca_file: str | None = None
    certificate_file: str | None = None
    key_file: str | None = None
    authentication: KafkaAuthentication = Field(default_factory=KafkaAuthentication)


class TopicNames(BaseModel):
    """Full names of the platform's topics on this cluster."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    telemetry: str = "kwitness.telemetry"
    connections: str = "kwitness.connections"
