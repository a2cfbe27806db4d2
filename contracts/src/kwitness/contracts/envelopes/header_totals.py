"""Record headers in the heads of observers and interceptors: what is new in a window, by client, topic and key."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kwitness.contracts.interceptors import Side

from .envelope_model import ClientText, Count, Envelope

__all__ = ["HeaderKeyText", "HeaderProblemText", "HeaderTotals", "HeaderWitness"]

HeaderKeyText = Annotated[str, Field(max_length=128)]
"""The key of a header as records have it, its first 128 characters; an application may call one anything."""
HeaderProblemText = Annotated[str, Field(min_length=1, max_length=32)]
"""One of `kwitness.contracts.header_rules.HEADER_PROBLEMS`, or what a newer sender calls a problem."""

HeaderWitness = Literal["python", "java", "librdkafka", "observer"]
"""What saw a header: interceptors, by what they run in, or an observer."""


class HeaderTotals(Envelope):
    """Headers with one key that one client sent to a topic, or got from it."""

    side: Side = Field(description="Whether the client sent them or got them.")
    topic: Annotated[str, Field(min_length=1, max_length=249)] | None = Field(
        None, description="Topic; absent of topics and keys that are too many."
    )
    key: HeaderKeyText | None = Field(
        None, description="Key of the header, its first 128 characters; absent of topics and keys that are too many."
    )
    client_id: ClientText | None = Field(None, description="Client id.")
    registered: bool = Field(False, description="Whether a register has the key, by its name or how it begins.")
    headers: Count = Field(0, description="Headers; an observer counts those of the records that it looked at.")
    bytes: Count = Field(0, description="Size of their values.")
    problems: Annotated[dict[HeaderProblemText, Count], Field(max_length=16)] = Field(
        default_factory=dict,
        description="Those of them that something is wrong with, by what: unregistered, wrong_type, too_large, "
        "deprecated, testing_id; and, as missing, records without the key though it is required.",
    )
    removed: Count = Field(0, description="Those that the policy Deny removed.")
