"""POST /v1/pushes: a batch of client pushes from one source, in order, and the answer."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from kwitness.contracts.identity import Identity
from kwitness.contracts.observers import ReportedBy

from .envelope_model import BrokerId, ClientText, ClusterId, Count, Envelope, Milliseconds

__all__ = ["MAX_PUSHES", "ApiError", "ErrorBody", "Push", "PushAnswer", "PushBatch", "Rejection"]

MAX_PUSHES: Final = 500
"""Pushes of one request."""


class Push(Envelope):
    """One push as the broker passed it on, with the client's identity."""

    seq: Count = Field(description="Number within the source's epoch.")
    received_at_ms: Milliseconds = Field(description="When the source received it, in milliseconds since 1970.")
    client_instance_id: Annotated[str, Field(min_length=1, max_length=64)] = Field(
        description="Client instance id, as Kafka writes a Uuid (base64url)."
    )
    client_id: ClientText | None = Field(None, description="Client id.")
    principal: ClientText | None = Field(None, description="Authenticated principal, such as User:alice.")
    client_software_name: ClientText | None = Field(None, description="Software name.")
    client_software_version: ClientText | None = Field(None, description="Software version.")
    client_address: Annotated[str, Field(max_length=64)] | None = Field(
        None, description="Address as the broker sees the connection."
    )
    client_source_port: Annotated[int, Field(ge=0, le=65535)] | None = Field(None, description="Port likewise.")
    listener: Annotated[str, Field(max_length=255)] | None = Field(None, description="Listener of the connection.")
    push_interval_ms: Milliseconds | None = Field(None, description="The client's push interval, where known.")
    terminating: bool = Field(False, description="Whether it is the client's last push.")
    payload: str = Field("", description="OTLP MetricsData as base64; may be empty.")
    payload_compression: Literal["gzip", "lz4", "snappy", "zstd"] | None = Field(
        None, description="How the payload is still compressed: Kafka 3.7 leaves that to its plugins."
    )

    def identity(self, batch: PushBatch) -> Identity:
        """Return who pushed, with what the batch says about cluster and broker."""
        return Identity(
            cluster_id=batch.cluster_id,
            broker_id=batch.broker_id,
            **{
                key: value
                for key in Identity.model_fields
                if key not in ("cluster_id", "broker_id") and (value := getattr(self, key, None)) is not None
            },
        )


class PushBatch(Envelope):
    """Pushes of one source, in the order of their numbers."""

    schema_: Literal["kwitness.pushes/1"] = Field("kwitness.pushes/1", alias="schema", description="Name and version.")
    source: Annotated[str, Field(min_length=1, max_length=256)] = Field(
        description="Who numbers the pushes: <cluster id>/<broker id>, of an observer <cluster id>/<namespace>/<pod>."
    )
    epoch: Milliseconds = Field(description="Start of the source, in milliseconds since 1970.")
    cluster_id: ClusterId = Field(description="Cluster id.")
    broker_id: BrokerId | None = Field(None, description="Broker id.")
    plugin_version: Annotated[str, Field(max_length=64)] | None = Field(None, description="Version of the plugin.")
    reported_by: ReportedBy | None = Field(
        None, description="Where the observer runs that answered in the broker's place; absent for a broker's plugin."
    )
    kafka_version: Annotated[str, Field(max_length=64)] | None = Field(None, description="Version of the broker.")
    pushes: tuple[Push, ...] = Field(description="The pushes.", max_length=MAX_PUSHES)


class Rejection(Envelope):
    """A push that will never be accepted."""

    seq: Count = Field(description="Its number.")
    reason: str = Field(description="One CamelCase word.")
    message: str = Field(description="What is wrong, for people.")


class PushAnswer(Envelope):
    """What became of a batch; sent after every enabled durable sink has it."""

    accepted: Count = Field(description="Pushes taken in.")
    duplicates: Count = Field(0, description="Pushes that were known already.")
    rejected: tuple[Rejection, ...] = Field((), description="Pushes that will never be accepted.")


class ApiError(Envelope):
    """Why a request was refused."""

    reason: str = Field(description="One CamelCase word.")
    message: str = Field(description="What is wrong and what to do, for people.")


class ErrorBody(Envelope):
    """The body of every answer with a status of 400 and above."""

    error: ApiError = Field(description="Why the request was refused.")
