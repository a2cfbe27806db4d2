"""What every record has, and parts that several have."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from kwitness.contracts.envelopes.envelope_model import Count, Envelope, Milliseconds
from kwitness.contracts.identity import Identity

__all__ = ["Event", "Offset", "OffsetRange", "Partition", "Sketch", "TopicName", "Window"]

TopicName = Annotated[str, Field(min_length=1, max_length=249)]
Partition = Annotated[int, Field(ge=0, lt=2**31)]
Offset = Annotated[int, Field(ge=0, lt=2**63)]


class Event(Identity):
    """A record of one source, which numbers its records without a gap within an epoch, and the client it is about."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    event_source: Annotated[str, Field(min_length=1, max_length=256)] = Field(description="Who numbers the records.")
    event_epoch: Milliseconds = Field(description="Start of the source, in milliseconds since 1970.")
    event_seq: Count = Field(description="Number within the epoch.")


class Window(Event):
    """A record that sums up what happened within a window of time."""

    window_start_ms: Milliseconds = Field(description="First millisecond of the window, since 1970.")
    window_end_ms: Milliseconds = Field(description="First millisecond after the window.")


class OffsetRange(Envelope):
    """Offsets without a gap."""

    first: Offset = Field(description="First offset.")
    last: Offset = Field(description="Last offset.")


class Sketch(Envelope):
    """A distribution of durations that adds up bucket by bucket, as DDSketch does (Masson, Rim, Lee, VLDB 2019).

    With g = (1 + e) / (1 - e) for the relative error e, bucket i counts values above g^(i-1) up to g^i microseconds.
    """

    relative_error: Annotated[float, Field(gt=0, lt=1)] = Field(0.01, description="Error of a quantile, relative.")
    zeros: Count = Field(0, description="Values below one microsecond.")
    buckets: dict[str, Count] = Field(default_factory=dict, description="Counts by bucket number.", max_length=4096)
    sum_us: Count = Field(0, description="Sum of all values, in microseconds.")
