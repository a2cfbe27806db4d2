"""Records of kwitness.seals: a source says how much a window held, so that a reader knows when something is missing."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kwitness.contracts.envelopes.envelope_model import Count

from .event import Window

__all__ = ["WindowSeal"]


class WindowSeal(Window):
    """The numbers that a source gave within a window; what it did not seal before its end is uncertain."""

    schema_: Literal["kwitness.seals/1"] = Field("kwitness.seals/1", alias="schema", description="Name and version.")
    topic: Annotated[str, Field(min_length=1, max_length=64)] = Field(
        description="The sealed topic, without its prefix, such as traffic."
    )
    first_seq: Count = Field(description="First number within the window.")
    last_seq: Count = Field(description="Last number within the window.")
    count: Count = Field(description="Records within the window: last_seq - first_seq + 1 where none was dropped.")
    dropped: dict[str, Count] = Field(default_factory=dict, description="Records given up, by reason.", max_length=64)
