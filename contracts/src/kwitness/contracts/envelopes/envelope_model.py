"""The base of all bodies, and the lengths that bound what unauthenticated clients can put into them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from kwitness.contracts.reader_rights import ReaderScope

__all__ = [
    "AckCounts",
    "BatchCounts",
    "BrokerId",
    "ClientText",
    "ClusterId",
    "Count",
    "Envelope",
    "ErrorCounts",
    "Milliseconds",
    "ReplicasAnswer",
]


class Envelope(BaseModel):
    """A frozen body; keys that are not known are ignored. Its validator, which takes memory, is built at first use."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, defer_build=True)


ClientText = Annotated[str, Field(max_length=32_767)]
"""Text that a client chose; Kafka's strings have at most 32,767 bytes."""

ClusterId = Annotated[str, Field(min_length=1, max_length=64)]
BrokerId = Annotated[str, Field(min_length=1, max_length=16)]
Milliseconds = Annotated[int, Field(ge=0, le=2**62)]
Count = Annotated[int, Field(ge=0, le=2**62)]
AckCounts = Annotated[dict[Literal["0", "1", "all"], Count], Field(max_length=3)]
"""Counts of Produce requests by acks."""
BatchCounts = Annotated[dict[Literal["none", "gzip", "snappy", "lz4", "zstd"], Count], Field(max_length=5)]
"""Counts of record batches by codec."""
ErrorCounts = Annotated[dict[Annotated[str, Field(max_length=8)], Count], Field(max_length=256)]
"""Counts by Kafka's error code."""


class ReplicasAnswer(Envelope):
    """An answer that every replica of the collector has a part in."""

    missing: tuple[Annotated[int, Field(ge=0)], ...] = Field(
        (),
        description="Ordinals of the replicas that did not answer: what they alone know is not in here, and numbers "
        "are too small. Empty when all answered.",
    )
    scope: ReaderScope | None = Field(
        None, description="What the answer is limited to, where the reader has a scope: numbers count nothing else."
    )
    incomplete: bool | None = Field(
        None,
        description="With `scope`: true where something is left out that may be of the scope. How much, only readers "
        "without a scope learn.",
    )
