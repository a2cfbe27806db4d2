"""Records of kwitness.connections about one connection, as an observer sees it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kwitness.contracts.envelopes.envelope_model import Milliseconds

from .event import Observed

__all__ = ["ConnectionEvent"]


class ConnectionEvent(Observed):
    """A connection was opened, authenticated, or closed."""

    schema_: Literal["kwitness.connections/1"] = Field(
        "kwitness.connections/1", alias="schema", description="Name and version."
    )
    kind: Literal["opened", "authenticated", "closed"] = Field(description="What happened.")
    connection_id: Annotated[str, Field(min_length=1, max_length=256)] = Field(
        description="The observer's name of the connection, the same in all its records."
    )
    occurred_at_ms: Milliseconds = Field(description="When, in milliseconds since 1970.")
    security_protocol: Annotated[str, Field(max_length=64)] | None = Field(
        None, description="How the client speaks to the observer, by Kafka's name such as SASL_SSL."
    )
    mechanism: Annotated[str, Field(max_length=64)] | None = Field(None, description="SASL mechanism or `mtls`.")
    principal_source: Literal["sasl", "token", "none"] | None = Field(
        None, description="What the principal was read from."
    )
    succeeded: bool | None = Field(None, description="Whether the client was let in; of `authenticated` alone.")
    duration_ms: Milliseconds | None = Field(None, description="How long it was open; of `closed` alone.")
    end: Literal["client", "broker", "error", "deadline", "drained", "sign_in", "idle", "limit"] | None = Field(
        None, description="Who or what ended it; of `closed` alone."
    )
    last_error: Annotated[int, Field(ge=-(2**15), lt=2**15)] | None = Field(
        None, description="Kafka's last error code on it; of `closed` alone."
    )
    opaque: Annotated[str, Field(max_length=64)] | None = Field(
        None, description="Why nothing of it could be read; absent where it was read."
    )
