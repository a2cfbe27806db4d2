"""Records of kwitness.requests: requests and answers in the order of their connection, for audit and observers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kwitness.contracts.envelopes.envelope_model import Count, Milliseconds

from .event import Event, TopicName

__all__ = ["RequestEvent"]


class RequestEvent(Event):
    """A request or its answer (KIP-388); what KIP-388 calls address and principal are identity keys."""

    schema_: Literal["kwitness.requests/1"] = Field(
        "kwitness.requests/1", alias="schema", description="Name and version."
    )
    kind: Literal["request", "response"] = Field(description="Which of the two.")
    connection_id: Annotated[str, Field(min_length=1, max_length=256)] = Field(
        description="The observer's name of the connection."
    )
    connection_seq: Count = Field(description="Number within the connection, by which a reader restores the order.")
    occurred_at_ms: Milliseconds = Field(description="When, in milliseconds since 1970.")
    api_key: Annotated[int, Field(ge=0, lt=2**15)] = Field(description="Kafka's number of the request.")
    api_version: Annotated[int, Field(ge=0, lt=2**15)] = Field(description="Its version.")
    correlation_id: Annotated[int, Field(ge=-(2**31), lt=2**31)] = Field(description="What the answer repeats.")
    size_bytes: Count = Field(description="Size of the frame.")
    topics: tuple[TopicName, ...] = Field((), description="Topics; ids while no name is known.", max_length=1024)
    errors: dict[str, Count] = Field(default_factory=dict, description="Of an answer: error codes.", max_length=256)
    response_time_us: Count | None = Field(None, description="Of an answer: since the request, in microseconds.")
