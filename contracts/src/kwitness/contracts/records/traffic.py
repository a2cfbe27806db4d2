"""Records of kwitness.traffic: what a client produced to, or fetched from, one partition within a window."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from kwitness.contracts.envelopes.envelope_model import Count, Milliseconds

from .event import Offset, OffsetRange, Partition, Sketch, TopicName, Window

__all__ = ["TrafficWindow"]


class TrafficWindow(Window):
    """One row for each window, api, client, topic and partition."""

    schema_: Literal["kwitness.traffic/1"] = Field(
        "kwitness.traffic/1", alias="schema", description="Name and version."
    )
    api: Literal["produce", "fetch"] = Field(description="Which request.")
    topic: TopicName = Field(description="Topic; its id while no name is known.")
    partition: Partition = Field(description="Partition.")
    requests: Count = Field(description="Requests that named the partition.")
    batches: Count = Field(0, description="Record batches.")
    records: Count = Field(0, description="Records, from batch headers; control records do not count.")
    bytes: Count = Field(0, description="Bytes of the batches as they travelled.")
    errors: dict[str, Count] = Field(default_factory=dict, description="Answers by Kafka's error code.", max_length=256)
    unconfirmed: Count = Field(0, description="Records sent with acks=0, which no answer confirms.")
    first_offset: Offset | None = Field(None, description="First offset, where the broker told it.")
    last_offset: Offset | None = Field(None, description="Last offset likewise.")
    offset_ranges: tuple[OffsetRange, ...] = Field((), description="All offsets, coalesced.", max_length=1024)
    min_timestamp_ms: Milliseconds | None = Field(None, description="Earliest timestamp of a record.")
    max_timestamp_ms: Milliseconds | None = Field(None, description="Latest timestamp of a record.")
    compression: dict[str, Count] = Field(default_factory=dict, description="Batches by codec.", max_length=16)
    response_time: Sketch = Field(default_factory=Sketch, description="From request to answer.")
