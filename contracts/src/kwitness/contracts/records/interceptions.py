"""Records of kwitness.interceptions: what an application's own interceptors counted (KIP-42)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from kwitness.contracts.envelopes.envelope_model import Count

from .event import OffsetRange, Partition, TopicName, Window
from .sketch import Sketch

__all__ = ["InterceptionWindow"]


class InterceptionWindow(Window):
    """One row for each window, client instance, side, topic and partition."""

    schema_: Literal["kwitness.interceptions/1"] = Field(
        "kwitness.interceptions/1", alias="schema", description="Name and version."
    )
    side: Literal["producer", "consumer"] = Field(description="Where the interceptor sits.")
    topic: TopicName = Field(description="Topic.")
    partition: Partition | None = Field(None, description="Partition; absent while a record has none.")
    records: Count = Field(0, description="Records sent, or handed to the application.")
    acknowledged: Count = Field(0, description="Records that brokers acknowledged, or offsets committed.")
    failed: Count = Field(0, description="Records that were given up.")
    key_bytes: Count = Field(0, description="Serialized size of the keys.")
    value_bytes: Count = Field(0, description="Serialized size of the values.")
    offset_ranges: tuple[OffsetRange, ...] = Field((), description="Offsets, coalesced.", max_length=1024)
    latency: Sketch = Field(
        default_factory=Sketch,
        description="From send to acknowledgement, or from the record's timestamp to the application.",
    )
