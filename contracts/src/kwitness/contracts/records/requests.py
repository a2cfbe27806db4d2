"""Records of kwitness.requests: requests and answers in the order of their connection, for audit and observers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from kwitness.contracts.envelopes.envelope_model import Count, Envelope, ErrorCounts, Milliseconds

from .event import Observed, Partition, TopicName

__all__ = ["RequestEvent", "RequestPartition"]

ApiName = Annotated[str, Field(min_length=1, max_length=64)]


class RequestPartition(Envelope):
    """A partition that a request or an answer names."""

    topic: TopicName = Field(description="Topic; its id while no name is known.")
    partition: Partition = Field(description="Partition.")
    bytes: Count = Field(0, description="Bytes of its record batches in this message, as they travelled.")
    records: Count | None = Field(
        None, description="Records in them, from batch headers; absent where they cannot be counted."
    )
    error: Annotated[int, Field(ge=-(2**15), lt=2**15)] | None = Field(
        None, description="Of an answer: Kafka's error code, where it is not 0."
    )


class RequestEvent(Observed):
    """A request or its answer (KIP-388); what KIP-388 calls address and principal are identity keys."""

    schema_: Literal["kwitness.requests/1"] = Field(
        "kwitness.requests/1", alias="schema", description="Name and version."
    )
    kind: Literal["request", "response"] = Field(description="Which of the two.")
    connection_id: Annotated[str, Field(min_length=1, max_length=256)] = Field(
        description="The observer's name of the connection."
    )
    connection_seq: Count = Field(
        description="Number within the connection, requests and answers in one sequence; a gap is what was lost later."
    )
    occurred_at_ms: Milliseconds = Field(description="When, in milliseconds since 1970.")
    api_key: Annotated[int, Field(ge=-(2**15), lt=2**15)] = Field(description="Kafka's number of the request.")
    api: ApiName = Field(description="Kafka's name of it, else the number.")
    api_version: Annotated[int, Field(ge=-(2**15), lt=2**15)] = Field(description="Its version.")
    correlation_id: Annotated[int, Field(ge=-(2**31), lt=2**31)] = Field(description="What the answer repeats.")
    size_bytes: Count = Field(description="Size of the frame.")
    topics: tuple[TopicName, ...] = Field((), description="Topics; ids while no name is known.", max_length=1024)
    errors: ErrorCounts = Field(
        default_factory=dict, description="Of an answer: Kafka's error codes other than 0, and how often it has them."
    )
    response_time_us: Count | None = Field(None, description="Of an answer: since the request, in microseconds.")
    partitions: tuple[RequestPartition, ...] = Field(
        (), description="Partitions of a Produce, Fetch or ShareFetch.", max_length=1024
    )
    fields: dict[str, JsonValue] | None = Field(
        None,
        description="What it says, by the names of Kafka's message definitions: listed fields of administrative "
        "requests, and all of the APIs whose fields the observer was told to report. Records are {bytes, records}, "
        "values of configurations that may be secrets {bytes}; what is dropped of an identity is null.",
    )
    truncated: bool = Field(
        False, description="Whether topics, partitions or fields are not all there: too many, too long, or unreadable."
    )
