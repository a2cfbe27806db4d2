"""Records of kwitness.traffic: what passed within a window, by partition and by request, and who is there."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kwitness.contracts.envelopes.envelope_model import AckCounts, BatchCounts, Count, ErrorCounts, Milliseconds

from .event import Observed, Offset, OffsetRange, Partition, TopicId, TopicName, Window
from .sketch import Sketch

__all__ = ["ApiTraffic", "PartitionTraffic", "TopicPresence"]

ApiName = Annotated[str, Field(min_length=1, max_length=64)]
LagBasis = Literal["observed", "interpolated", "at_least"]


class _Traffic(Observed, Window):
    schema_: Literal["kwitness.traffic/1"] = Field(
        "kwitness.traffic/1", alias="schema", description="Name and version."
    )
    overflowed: bool = Field(
        False,
        description="Whether the row sums up what was one client, topic or request too many to have a row of its own; "
        "what it does not tell apart is absent.",
    )


class PartitionTraffic(_Traffic):
    """One row for each window, api, client, topic and partition; unless it overflowed, `topic` or `topic_id` is there.

    User records alone: control batches and what brokers fetch for their replicas count nowhere.
    """

    kind: Literal["partition"] = Field(description="What the row is.")
    api: Literal["Produce", "Fetch", "ShareFetch", "OffsetCommit"] = Field(
        description="Which request; OffsetCommit is also that of a transaction (TxnOffsetCommit)."
    )
    topic: TopicName | None = Field(None, description="Topic; absent while only its id is known.")
    topic_id: TopicId | None = Field(None, description="Its id, as Kafka prints a Uuid.")
    partition: Partition | None = Field(None, description="Partition; absent only where the row overflowed.")
    requests: Count = Field(description="Requests that named the partition.")
    batches: Count = Field(0, description="Record batches.")
    records: Count = Field(0, description="Records, from batch headers.")
    unknown_batches: Count = Field(0, description="Batches of `batches` whose records cannot be counted.")
    bytes: Count = Field(0, description="Bytes of the batches as they travelled.")
    transactional_batches: Count = Field(0, description="Batches of `batches` that belong to transactions.")
    transactional_records: Count = Field(0, description="Their records.")
    aborted_records: Count = Field(0, description="Fetched records of transactions known to be aborted.")
    duplicate_batches: Count = Field(0, description="Batches sent again by an idempotent producer; counted here only.")
    errors: ErrorCounts = Field(default_factory=dict, description="Answers by Kafka's error code.")
    rejected_bytes: Count = Field(0, description="Bytes of batches that the broker refused.")
    unconfirmed: Count = Field(0, description="Records sent with acks=0, which no answer confirms.")
    first_offset: Offset | None = Field(None, description="First offset, where the broker told it.")
    last_offset: Offset | None = Field(None, description="Last offset likewise.")
    offset_ranges: tuple[OffsetRange, ...] = Field((), description="All offsets, coalesced.", max_length=8)
    offset_ranges_merged: Count = Field(
        0, description="Gaps between ranges that were closed for want of room: the ranges then hold too much."
    )
    high_watermark: Offset | None = Field(
        None, description="High watermark of the last answer (Fetch); absent where it is below what was read."
    )
    fetch_lag: Count | None = Field(
        None,
        description="Records from the next offset to fetch to `high_watermark`; the client may not have processed "
        "what it fetched before. Of a ShareFetch from the last offset acquired to the largest high watermark of the "
        "last minute that another client of the observer got.",
    )
    fetch_lag_ms: Count | None = Field(
        None,
        description="How long the record at the next offset to fetch could be read by the end of the window, by the "
        "clock of the observer; 0 without lag, absent where it does not know.",
    )
    fetch_lag_basis: LagBasis | None = Field(
        None,
        description="How that is known: a sample of the high watermark is at that record, it is between two samples, "
        "or the first sample had passed it already.",
    )
    held_by_transaction: Count | None = Field(
        None, description="Records from the last stable offset of that answer to `high_watermark`."
    )
    watermarks_below: Count = Field(
        0, description="Answers whose high watermark is below what they read; nothing is computed from them."
    )
    committed_offset: Offset | None = Field(
        None,
        description="The last offset that the client committed for its own group (OffsetCommit), or that a transaction "
        "committed.",
    )
    committed_lag: Count | None = Field(
        None,
        description="Records from it to the largest high watermark of the last minute that any client of the observer "
        "got; absent where none is known.",
    )
    committed_lag_ms: Count | None = Field(
        None, description="How long the record at `committed_offset` could be read by the end of the window, likewise."
    )
    committed_lag_basis: LagBasis | None = Field(None, description="How that is known.")
    pending_offset: Offset | None = Field(
        None, description="The last offset of a transaction whose end the observer has not seen, or that was aborted."
    )
    min_timestamp_ms: Milliseconds | None = Field(None, description="Earliest timestamp of a record.")
    max_timestamp_ms: Milliseconds | None = Field(None, description="Latest timestamp of a record.")
    compression: BatchCounts = Field(default_factory=dict, description="Batches by codec.")


class ApiTraffic(_Traffic):
    """One row for each window, api, version and client."""

    kind: Literal["api"] = Field(description="What the row is.")
    api: ApiName = Field(
        description="Which request: by Kafka's name, else its number; `other` where the row overflowed."
    )
    api_version: Annotated[int, Field(ge=0, lt=2**15)] | None = Field(
        None, description="Its version; absent only where the row overflowed."
    )
    requests: Count = Field(description="Requests.")
    request_bytes: Count = Field(0, description="Bytes of the requests.")
    response_bytes: Count = Field(0, description="Bytes of the answers.")
    errors: ErrorCounts = Field(default_factory=dict, description="Answers by Kafka's error code.")
    acks: AckCounts = Field(
        default_factory=dict,
        description="Produce requests by acks: 0 for no replica, 1 for the leader, all for all replicas in sync.",
    )
    idempotent_requests: Count = Field(0, description="Produce requests with a batch of an idempotent producer.")
    empty_responses: Count = Field(0, description="Responses to a Fetch or ShareFetch without a record or an error.")
    longest_gap_us: Count = Field(
        0,
        description="The longest time from the response to a Fetch to the next Fetch of the same connection, in "
        "microseconds: how long the client did not ask.",
    )
    throttled_responses: Count = Field(0, description="Answers that throttle the client by a quota (KIP-219).")
    throttle_ms: Count = Field(0, description="How long they do, added up.")
    unread: dict[Annotated[str, Field(max_length=64)], Count] = Field(
        default_factory=dict, description="Requests or answers that could not be read, by reason.", max_length=64
    )
    committed_transactions: Count = Field(0, description="Transactions that the broker committed; of EndTxn alone.")
    aborted_transactions: Count = Field(0, description="Transactions that the broker aborted as the client asked for.")
    response_time: Sketch = Field(
        default_factory=Sketch, description="From request to answer, where the broker answered when it could."
    )
    waited: Sketch = Field(
        default_factory=Sketch,
        description="Likewise of fetches that waited for records: empty ones, and those near their max_wait_ms.",
    )


class TopicPresence(_Traffic):
    """One row for each window, client and topic that the client asks for, whether or not records came."""

    kind: Literal["presence"] = Field(description="What the row is.")
    api: Literal["Fetch"] = Field("Fetch", description="Which request.")
    topic: TopicName | None = Field(None, description="Topic; absent while only its id is known.")
    topic_id: TopicId | None = Field(None, description="Its id, as Kafka prints a Uuid.")
    partitions: Count = Field(description="Partitions of it that the client asks for.")
    fetch_lag: Count | None = Field(
        None,
        description="The most records from the next offset to fetch to the high watermark of a partition, the largest "
        "that any client of the observer got; absent where no answer of the last minute has it.",
    )
    fetch_lag_ms: Count | None = Field(
        None,
        description="The longest that the record at the next offset to fetch of a partition could be read, by the "
        "clock of the observer.",
    )
    fetch_lag_basis: LagBasis | None = Field(None, description="How that is known.")
    fetch_lag_partitions: Count | None = Field(None, description="Partitions of which it is known.")
    held_by_transaction: Count | None = Field(
        None,
        description="The most records from the last stable offset to the high watermark of a partition, likewise.",
    )
