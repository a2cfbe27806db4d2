"""What every record has, and parts that several have."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from kwitness.contracts.envelopes.envelope_model import Count, Envelope, Milliseconds
from kwitness.contracts.identity import Identity
from kwitness.contracts.observers import ObserverMode, ReportedBy

__all__ = [
    "Event",
    "Observed",
    "Offset",
    "OffsetRange",
    "Partition",
    "TopicId",
    "TopicName",
    "Window",
]

TopicName = Annotated[str, Field(min_length=1, max_length=249)]
Partition = Annotated[int, Field(ge=0, lt=2**31)]
Offset = Annotated[int, Field(ge=0, lt=2**63)]
TopicId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{22}$")]
"""A topic's Uuid as Kafka prints it."""


class Event(Identity):
    """A record of one source, which numbers its records without a gap within an epoch, and the client it is about."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    event_source: Annotated[str, Field(min_length=1, max_length=400)] = Field(description="Who numbers the records.")
    event_epoch: Milliseconds = Field(description="Start of the source, in milliseconds since 1970.")
    event_seq: Count = Field(description="Number within the epoch.")


class Observed(Event):
    """A record of an observer. The header `reported_by` says what the collector knows it as, the key what it said."""

    reported_by: ReportedBy = Field(description="Where the observer runs, which decides how far it is believed.")
    observer_mode: ObserverMode = Field(description="How it came between client and broker.")


class Window(Event):
    """A record that sums up what happened within a window of time."""

    window_start_ms: Milliseconds = Field(description="First millisecond of the window, since 1970.")
    window_end_ms: Milliseconds = Field(description="First millisecond after the window.")


class OffsetRange(Envelope):
    """Offsets without a gap."""

    first: Offset = Field(description="First offset.")
    last: Offset = Field(description="Last offset.")
