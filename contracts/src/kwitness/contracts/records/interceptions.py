"""Records of kwitness.interceptions: what an application's own interceptors counted (KIP-42).

A window is one of the records' own time: the time of sending at a producer, that of being handed over at a consumer.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kwitness.contracts.envelopes.envelope_model import Count, Envelope
from kwitness.contracts.interceptors import (
    AttributeText,
    Hook,
    InterceptorName,
    InterceptorRuntime,
    Side,
)

from .distinct_keys import MAX_IMAGE_TEXT
from .event import Offset, OffsetRange, Partition, TopicName, Window
from .sketch import SizeSketch, Sketch

__all__ = [
    "ClientInterceptions",
    "ClientStatistics",
    "HookCalls",
    "KeyInterceptions",
    "PartitionInterceptions",
    "TopicInterceptions",
    "TopicStatistics",
]

CountsByReason = Annotated[dict[Annotated[str, Field(max_length=64)], Count], Field(max_length=64)]


class _Interception(Window):
    schema_: Literal["kwitness.interceptions/1"] = Field(
        "kwitness.interceptions/1", alias="schema", description="Name and version."
    )
    instance: Annotated[str, Field(min_length=1, max_length=64)] = Field(
        description="The client instance: the reporter and the client's number in it, such as 9f86d081884c7d65/3."
    )
    runtime: InterceptorRuntime = Field(description="What the interceptors run in.")
    side: Side = Field(description="What the client is.")
    attributes: Annotated[dict[Annotated[str, Field(max_length=63)], AttributeText], Field(max_length=16)] = Field(
        default_factory=dict, description="Labels of the pod that the profile names, by what it calls them."
    )


class _OfTopic(_Interception):
    topic: TopicName | None = Field(None, description="Topic; absent only where the row overflowed.")
    overflowed: bool = Field(
        False, description="Whether the row sums up topics that are too many to have a row of their own."
    )


class PartitionInterceptions(Envelope):
    """What happened in one partition; what never had one is in the row alone."""

    partition: Partition = Field(description="Partition.")
    acknowledged: Count = Field(0, description="Records that brokers acknowledged.")
    consumed: Count = Field(0, description="Records handed to the application, each as often as it was.")
    committed_offset: Offset | None = Field(None, description="Last offset that brokers acknowledged as committed.")
    offset_ranges: tuple[OffsetRange, ...] = Field((), description="Offsets of these records, coalesced.", max_length=8)
    offset_ranges_merged: Count = Field(
        0, description="Gaps between ranges that were closed for want of room: the ranges then hold too much."
    )


class TopicInterceptions(_OfTopic):
    """One row for each window, client instance and topic.

    Each thing counts in the window in which it happened: a record's acknowledgement may be in a later one than its
    sending. Over all windows, `sent` is `acknowledged`, the sum of `failures` and what is not known yet.
    """

    kind: Literal["topic"] = Field(description="What the row is.")
    internal: bool = Field(
        False, description="Whether the client is one that Kafka Streams makes for its own changelogs."
    )
    sent: Count = Field(0, description="Records that the application wanted to send.")
    acknowledged: Count = Field(0, description="Records of these that brokers acknowledged.")
    failures: CountsByReason = Field(
        default_factory=dict,
        description="Records of these that were given up, by Kafka's name of the error such as MESSAGE_TOO_LARGE, or "
        "queue_full, serialization, timed_out, purged, fatal, closed, other.",
    )
    consumed: Count = Field(0, description="Records handed to the application, each as often as it was.")
    commits: Count = Field(0, description="Offsets of partitions that brokers acknowledged as committed.")
    commit_failures: CountsByReason = Field(
        default_factory=dict, description="Offsets of partitions that were not committed, by Kafka's name of the error."
    )
    key_bytes: Count = Field(0, description="Serialized size of the keys.")
    value_bytes: Count = Field(0, description="Serialized size of the values.")
    record_sizes: SizeSketch = Field(
        default_factory=SizeSketch, description="Serialized size of key and value of each record."
    )
    acknowledgement_time: Sketch = Field(default_factory=Sketch, description="From sending to acknowledgement.")
    end_to_end_latency: Sketch = Field(
        default_factory=Sketch, description="From the record's timestamp to its being handed over."
    )
    anomalies: CountsByReason = Field(
        default_factory=dict,
        description="Records that were not measured or not as they were, by reason: negative_latency, own_timestamp, "
        "key_changed, topic_changed, no_record, unsupported_key_type; no_room, headers_left_out and headers_refused, "
        "which went without headers that the profile adds; not_removable, which kept a header that the policy Deny "
        "forbids; checksum_mismatch, checksum_not_compared, checksum_left_out, of which Checksum is the reason.",
    )
    partitions: tuple[PartitionInterceptions, ...] = Field((), description="By partition.", max_length=1024)
    partitions_left_out: Count = Field(0, description="Partitions that found no room in `partitions`.")


class KeyInterceptions(_OfTopic):
    """One row for each window of the interceptor Cardinality, client instance and topic: how many keys there were."""

    kind: Literal["keys"] = Field(description="What the row is.")
    records: Count = Field(0, description="Records whose keys were counted.")
    keyless: Count = Field(0, description="Records without a key.")
    uncounted: Count = Field(0, description="Records with a key whose serialized bytes could not be had.")
    distinct: Count = Field(0, description="Distinct keys, estimated, with a standard error of 1.6 percent.")
    sketch: Annotated[str, Field(max_length=MAX_IMAGE_TEXT, pattern=r"^[A-Za-z0-9+/]*={0,2}$")] = Field(
        "",
        description="DataSketches' HLL_8 of lgK 12 over the serialized keys, base64; empty where none was counted.",
    )


class HookCalls(Envelope):
    """Calls of one hook of one interceptor."""

    interceptor: InterceptorName = Field(description="What the profile calls the interceptor.")
    hook: Hook = Field(description="Which hook.")
    calls: Count = Field(description="Calls.")
    errors: Count = Field(0, description="Calls that raised, or returned what is no record.")
    time_ns: Count = Field(
        0, description="Time spent in them, in nanoseconds; where some alone are measured, scaled to all."
    )


class TopicStatistics(Envelope):
    """Queues of one topic in a client, all partitions together; a producer's or a consumer's fields are there."""

    topic: TopicName | None = Field(None, description="Topic; absent only where the entry overflowed.")
    overflowed: bool = Field(False, description="Whether it sums up topics that are too many to have their own.")
    queued_records: Count | None = Field(
        None,
        description="Records of a producer that wait for the thread of a broker, mostly since a partition has no "
        "leader; what waits in that thread is in the queue of the client alone.",
    )
    queued_bytes: Count | None = Field(None, description="Their size.")
    lag: Count | None = Field(
        None,
        description="Records between the committed offset and the end, of the partition that is furthest behind among "
        "those that are fetched; absent where none has a committed offset.",
    )


class ClientStatistics(Envelope):
    """Statistics of the client library at the end of a window; those that it does not report are absent."""

    queued_records: Count | None = Field(None, description="Records waiting to be sent or acknowledged.")
    queued_bytes: Count | None = Field(None, description="Their size.")
    sent_bytes: Count | None = Field(None, description="Bytes sent to brokers within the window.")
    received_bytes: Count | None = Field(None, description="Bytes received from brokers within the window.")
    retries: Count | None = Field(None, description="Requests that were sent again within the window.")
    timeouts: Count | None = Field(None, description="Requests that timed out within the window.")
    queue_limit_records: Count | None = Field(None, description="Records that the queue of a producer may hold.")
    queue_limit_bytes: Count | None = Field(None, description="Bytes that the queue of a producer may hold.")
    fetched_records: Count | None = Field(
        None,
        description="Records that a consumer has fetched, and that the application has not been handed; where it reads "
        "queues of single partitions, of the fullest.",
    )
    fetched_bytes: Count | None = Field(None, description="Their size.")
    disconnects: Count | None = Field(None, description="Connections to brokers that ended within the window.")
    rebalances: Count | None = Field(None, description="Rebalances of its group within the window.")
    round_trips: Count | None = Field(None, description="Requests that were answered within the window.")
    round_trip_us: Count | None = Field(
        None, description="Sum of the times from their sending to their responses, in microseconds."
    )
    requests: Count | None = Field(None, description="Requests that were sent within the window.")
    request_queue_us: Count | None = Field(
        None, description="Sum of the times that they waited to be sent, in microseconds."
    )
    topics: Annotated[tuple[TopicStatistics, ...], Field(max_length=1_025)] = Field(
        (), description="Queues by topic, of the topics that the profile selects."
    )


class ClientInterceptions(_Interception):
    """One row for each window and client instance: what the interceptors cost it, and how it is."""

    kind: Literal["client"] = Field(description="What the row is.")
    hooks: tuple[HookCalls, ...] = Field((), description="By interceptor and hook.", max_length=96)
    statistics: ClientStatistics | None = Field(
        None, description="Of the interceptor Stats; absent where the library says nothing to anybody else."
    )
