"""POST /v1/events of an interceptor: the body is as an observer's, but its first line is another head.

A reporter sends it: one for each process, or for each class loader that has clients of its own, whatever number of
clients it has. A pod may have any number of them, beside an observer; `docs/decisions/0070` says how they are told
apart.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kwitness.contracts.dns_label import DnsLabel
from kwitness.contracts.interceptors import (
    AttributeName,
    AttributeText,
    Hook,
    InterceptorName,
    InterceptorRuntime,
    Reporter,
    Side,
)
from kwitness.contracts.observers import ResourceName

from .envelope_model import ClientText, ClusterId, Count, Envelope, Milliseconds
from .events import MAX_EVENTS_ROWS, CountsByReason, EventRow, ObserverLedger, TopicText, WorkloadName
from .header_totals import HeaderTotals

__all__ = [
    "HookTotals",
    "InterceptedTotals",
    "InterceptionTotals",
    "InterceptorClients",
    "InterceptorReport",
    "InterceptorsHead",
    "KeyTotals",
    "LatencyTotals",
    "ProfileName",
    "SizeTotals",
    "StatisticsTotals",
    "TopicStatisticsTotals",
]

_MOST = 4_096
Counts = Annotated[tuple[Count, ...], Field(min_length=1, max_length=64)]


class ProfileName(Envelope):
    """The InterceptorProfile that the interceptors are of."""

    namespace: DnsLabel = Field(description="Its namespace.")
    name: ResourceName = Field(description="Its name.")


class InterceptedTotals(Envelope):
    """What one client did with one topic."""

    topic: TopicText | None = Field(None, description="Topic; absent of topics that are too many.")
    client_id: ClientText | None = Field(None, description="Client id.")
    group_id: ClientText | None = Field(None, description="Consumer group, of a consumer.")
    sent: Count = Field(0, description="Records that the application wanted to send.")
    acknowledged: Count = Field(0, description="Records that brokers acknowledged.")
    failures: CountsByReason = Field(default_factory=dict, description="Records that were given up, by reason.")
    consumed: Count = Field(0, description="Records handed to the application.")
    commits: Count = Field(0, description="Offsets of partitions that brokers acknowledged as committed.")
    commit_failures: CountsByReason = Field(
        default_factory=dict, description="Offsets of partitions that were not committed, by reason."
    )
    anomalies: CountsByReason = Field(
        default_factory=dict, description="Records that were not measured or not as they were, by reason."
    )


class LatencyTotals(Envelope):
    """How long it took."""

    measure: Literal["acknowledgement", "end_to_end"] = Field(
        description="From sending to acknowledgement, or from the record's timestamp to its being handed over."
    )
    topic: TopicText | None = Field(None, description="Topic.")
    group_id: ClientText | None = Field(None, description="Consumer group, of a consumer.")
    counts: Counts = Field(
        description="Records by bound of kafka_client_interceptor_end_to_end_latency_seconds "
        "(latency_bounds_us in contracts/vectors/interception_aggregates.json), not added up; the last ones took "
        "longer than every bound."
    )
    sum_us: Count = Field(0, description="Sum of the times, in microseconds.")


class SizeTotals(Envelope):
    """How large records were."""

    side: Side = Field(description="What the clients are.")
    topic: TopicText | None = Field(None, description="Topic.")
    counts: Counts = Field(
        description="Records by bound of kafka_client_interceptor_record_size_bytes "
        "(size_bounds_bytes in contracts/vectors/interception_aggregates.json), not added up; the last ones were "
        "larger than every bound."
    )
    sum_bytes: Count = Field(0, description="Sum of the sizes, in bytes.")


class KeyTotals(Envelope):
    """How many keys all clients of the reporter had together in the last whole window of Cardinality."""

    side: Side = Field(description="What the clients are.")
    topic: TopicText | None = Field(None, description="Topic.")
    distinct: Count = Field(description="Distinct keys, estimated.")
    window_ms: Annotated[int, Field(ge=1_000, le=3_600_000)] = Field(
        60_000, description="Length of that window; the number is shown until two more have passed."
    )


class _Statistics(Envelope):
    client_id: ClientText | None = Field(None, description="Client id.")
    group_id: ClientText | None = Field(None, description="Consumer group, of a consumer.")
    window_ms: Annotated[int, Field(ge=1_000, le=3_600_000)] = Field(
        60_000, description="Length of the windows; levels are shown until two more have passed."
    )
    queued_records: Count | None = Field(None, description="Records of a producer that wait in its queue.")
    queued_bytes: Count | None = Field(None, description="Their size.")


class StatisticsTotals(_Statistics):
    """Statistics of the client library, of clients with one id: levels at the window's end, and what was new in it."""

    queue_limit_records: Count | None = Field(None, description="Records that the queues of producers may hold.")
    queue_limit_bytes: Count | None = Field(None, description="Bytes that the queues of producers may hold.")
    fetched_records: Count | None = Field(
        None, description="Records that consumers have fetched, and that applications have not been handed."
    )
    fetched_bytes: Count | None = Field(None, description="Their size.")
    sent_bytes: Count = Field(0, description="Bytes sent to brokers.")
    received_bytes: Count = Field(0, description="Bytes received from brokers.")
    retries: Count = Field(0, description="Requests that were sent again.")
    timeouts: Count = Field(0, description="Requests that timed out.")
    disconnects: Count = Field(0, description="Connections to brokers that ended.")
    rebalances: Count = Field(0, description="Rebalances of the group.")
    round_trips: Count = Field(0, description="Requests that were answered.")
    round_trip_us: Count = Field(0, description="Sum of the times from sending to response, in microseconds.")
    requests: Count = Field(0, description="Requests that were sent.")
    request_queue_us: Count = Field(0, description="Sum of the times that they waited to be sent, in microseconds.")


class TopicStatisticsTotals(_Statistics):
    """Queues of one topic in clients with one id, all partitions together: of what waits for the thread of a broker."""

    topic: TopicText | None = Field(None, description="Topic; absent of topics that are too many.")
    lag: Count | None = Field(
        None, description="Records between committed offset and end, of the partition that is furthest behind."
    )


class HookTotals(Envelope):
    """Calls of one hook of one interceptor."""

    interceptor: InterceptorName = Field(description="What the profile calls the interceptor.")
    hook: Hook = Field(description="Which hook.")
    calls: Count = Field(0, description="Calls.")
    errors: Count = Field(0, description="Calls that raised, or returned what is no record.")
    time_ns: Count = Field(
        0, description="Time spent in them, in nanoseconds; where some alone are measured, scaled to all."
    )


class InterceptionTotals(Envelope):
    """What was new in one window; added to Prometheus once for each number."""

    seq: Count = Field(description="Number within the source's epoch.")
    topics: tuple[InterceptedTotals, ...] = Field((), description="By client and topic.", max_length=_MOST)
    latencies: tuple[LatencyTotals, ...] = Field((), description="Times, by topic and group.", max_length=_MOST)
    sizes: tuple[SizeTotals, ...] = Field((), description="Sizes, by topic.", max_length=_MOST)
    keys: tuple[KeyTotals, ...] = Field((), description="Distinct keys, by topic.", max_length=_MOST)
    statistics: tuple[StatisticsTotals, ...] = Field((), description="Statistics, by client.", max_length=_MOST)
    topic_statistics: tuple[TopicStatisticsTotals, ...] = Field(
        (), description="Statistics, by client and topic.", max_length=_MOST
    )
    hooks: tuple[HookTotals, ...] = Field((), description="By interceptor and hook.", max_length=96)
    headers: tuple[HeaderTotals, ...] = Field(
        (), description="Record headers, by client, topic and key.", max_length=_MOST
    )
    dropped: CountsByReason = Field(default_factory=dict, description="Rows given up since the last window, by reason.")


class InterceptorClients(Envelope):
    """Clients of the reporter that are open now."""

    side: Side = Field(description="What they are.")
    clients: Count = Field(description="How many.")


class InterceptorReport(Envelope):
    """How the reporter is."""

    settings: Annotated[str, Field(max_length=64)] = Field("", description="Hash of the settings in force.")
    suspended: bool = Field(False, description="Whether its interceptors do nothing because that is wanted.")
    lacks_identity_key: bool = Field(
        False, description="Whether what its settings hash of identities is dropped, since it has no key for that."
    )
    clients: tuple[InterceptorClients, ...] = Field((), description="Clients with interceptors.", max_length=2)
    not_intercepted: CountsByReason = Field(
        default_factory=dict,
        description="Clients that got none since its start, by reason: share_group, static_librdkafka, "
        "missing_symbols, musl, relocated, unknown_version, opened_before, subclass, no_settings, too_many_clients.",
    )
    not_through_observer: CountsByReason = Field(
        default_factory=dict,
        description="Clients since its start that were to connect to the observer of their pod and did not, by reason: "
        "no_observer, other_cluster, security_protocol, client_certificate, sasl_mechanism.",
    )
    unusable: Annotated[
        dict[Annotated[str, Field(max_length=63)], Annotated[str, Field(max_length=256)]], Field(max_length=16)
    ] = Field(default_factory=dict, description="Interceptors that could not be made or configured, with the reason.")
    ledger: ObserverLedger = Field(default_factory=ObserverLedger, description="Its own ledger.")
    sealed_until_ms: Milliseconds | None = Field(
        None,
        description="Windows that end at it or before are delivered, or counted as dropped, in milliseconds since "
        "1970. Of a reporter that ends without a last word later ones are uncertain: the one that was open, and one "
        "that had just ended.",
    )
    ended: bool = Field(False, description="Whether this is its last word: it ends, and nothing is left.")


class InterceptorsHead(Envelope):
    """The first line; without rows and totals it is a heartbeat, of which there is one every 5 s at least."""

    schema_: Literal["kwitness.interceptor_events/1"] = Field(
        "kwitness.interceptor_events/1", alias="schema", description="Name and version."
    )
    source: Annotated[str, Field(min_length=5, max_length=400)] = Field(
        description="Who numbers the events: <namespace>/<pod>/<reporter>, the first two as in the token."
    )
    epoch: Milliseconds = Field(description="Start of the reporter, in milliseconds since 1970.")
    cluster_id: ClusterId = Field(description="Cluster id.")
    profile: ProfileName = Field(description="The InterceptorProfile that the interceptors are of.")
    runtime: InterceptorRuntime = Field(description="What they run in.")
    reporter: Reporter = Field(description="The reporter, as at the end of `source`.")
    process_id: Annotated[int, Field(ge=1, lt=2**31)] = Field(
        description="Number of the process in its container; several containers of a pod may have the same ones."
    )
    container: Annotated[str, Field(max_length=63)] | None = Field(None, description="Name of the container.")
    workload: WorkloadName | None = Field(
        None, description="What made its pod; it counts only where the pod's name begins with that name."
    )
    attributes: Annotated[dict[AttributeName, AttributeText], Field(max_length=16)] = Field(
        default_factory=dict, description="Labels of the pod that the profile names, by what it calls them."
    )
    version: Annotated[str, Field(max_length=64)] | None = Field(None, description="Version of the interceptors.")
    settled: Count = Field(0, description="Every number below it is final: it will not be sent again.")
    sent_at_ms: Milliseconds = Field(description="When it was sent, in milliseconds since 1970.")
    rows: tuple[EventRow, ...] = Field((), description="The further lines, in order.", max_length=MAX_EVENTS_ROWS)
    totals: tuple[InterceptionTotals, ...] = Field(
        (), description="What is new since the last window.", max_length=1_024
    )
    state: InterceptorReport = Field(default_factory=InterceptorReport, description="How the reporter is.")
