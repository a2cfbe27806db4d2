"""Records of kwitness.seals: a source says how much a window held, so that a reader knows when something is missing."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kwitness.contracts.envelopes.envelope_model import Count
from kwitness.contracts.observers import ObserverMode, ReportedBy

from .event import Window

__all__ = ["WindowSeal"]


class WindowSeal(Window):
    """The numbers that a source gave within a window; what it did not seal before its end is uncertain."""

    schema_: Literal["kwitness.seals/1"] = Field("kwitness.seals/1", alias="schema", description="Name and version.")
    reported_by: ReportedBy = Field(description="Where the source runs, which decides how far it is believed.")
    observer_mode: ObserverMode | None = Field(
        None, description="How an observer came between client and broker; absent where interceptors seal."
    )
    topic: Annotated[str, Field(min_length=1, max_length=64)] = Field(
        description="The sealed topic, without its prefix, such as traffic."
    )
    first_seq: Count = Field(description="First number of a record of the topic within the window.")
    last_seq: Count = Field(description="Last one likewise; records of other topics have numbers between them, too.")
    count: Count = Field(description="Records of the topic within the window; those that were dropped are not in it.")
    dropped: dict[Annotated[str, Field(max_length=64)], Count] = Field(
        default_factory=dict, description="Records given up, by reason.", max_length=64
    )
