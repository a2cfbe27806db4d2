"""Records of kwitness.headers: which header keys were in use, by window, topic and key (KIP-82).

Interceptors look at every record that they are called for, observers at a sample: `records_looked_at` of
`records_passed`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kwitness.contracts.envelopes.envelope_model import Count, Envelope
from kwitness.contracts.envelopes.header_totals import HeaderKeyText, HeaderWitness
from kwitness.contracts.interceptors import AttributeText, Side

from .event import TopicId, TopicName, Window

__all__ = ["HeaderRow", "HeaderValue"]


class HeaderValue(Envelope):
    """Records with one value of the key."""

    value: Annotated[str, Field(max_length=256)] = Field(
        description="The value: text as it is where it is UTF-8, of at most 64 bytes, else base64 after `base64:`."
    )
    records: Count = Field(description="Headers with it.")


class HeaderRow(Window):
    """One row for each window, client, topic and key."""

    schema_: Literal["kwitness.headers/1"] = Field(
        "kwitness.headers/1", alias="schema", description="Name and version."
    )
    instance: Annotated[str, Field(min_length=1, max_length=64)] | None = Field(
        None, description="The client instance of an interceptor, as in kwitness.interceptions; absent of an observer."
    )
    seen_by: HeaderWitness = Field(description="What saw the header.")
    side: Side = Field(description="Whether a producer sent it or a consumer got it.")
    attributes: Annotated[dict[Annotated[str, Field(max_length=63)], AttributeText], Field(max_length=16)] = Field(
        default_factory=dict, description="Labels of the pod that the profile names, by what it calls them."
    )
    topic: TopicName | None = Field(
        None, description="Topic; absent where the row overflowed, and of an observer while only its id is known."
    )
    topic_id: TopicId | None = Field(
        None, description="Its id, as Kafka prints a Uuid, where the client named it so to an observer."
    )
    key: HeaderKeyText | None = Field(
        None,
        description="Key of the header, its first 128 characters; of one in a compact set that no key has the number, "
        "as #1245190. Absent where the row overflowed, and where `records_looked_at` had no header at all.",
    )
    overflowed: bool = Field(False, description="Whether the row sums up keys that are too many to have their own.")
    registered: bool = Field(False, description="Whether a register has the key, by its name or how it begins.")
    records_passed: Count = Field(0, description="Records of this client and topic within the window.")
    records_looked_at: Count = Field(0, description="Those of them whose headers were looked at.")
    headers: Count = Field(0, description="Headers with this key in them; keys may come again in a record.")
    bytes: Count = Field(0, description="Size of their values; that of `kwitness.set` includes those of keys in it.")
    wrong_type: Count = Field(0, description="Those whose value is not of the registered type.")
    too_large: Count = Field(0, description="Those whose value is larger than registered.")
    deprecated: Count = Field(0, description="Those whose key is registered as deprecated.")
    testing_id: Count = Field(0, description="Those whose key has an id for tests, in a namespace not labelled so.")
    missing: Count = Field(0, description="Records without this key though it is required.")
    removed: Count = Field(0, description="Those that the policy Deny removed.")
    values: tuple[HeaderValue, ...] = Field(
        (), description="By value, of a key whose values are asked for and that is not secret.", max_length=32
    )
    values_left_out: Count = Field(0, description="Headers whose value found no room in `values`.")
