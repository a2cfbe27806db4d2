"""POST /v1/events: what an observer saw. The body is lines: first the head, then the rows that it lists.

The rows are JSON objects (`kwitness.contracts.records`) of the lengths that the head says, and go to their topics as
they are. Everything that is new has a number; a source numbers rows and totals within its epoch, in one sequence.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kwitness.contracts.dns_label import DnsLabel
from kwitness.contracts.namespaces import contains_namespace
from kwitness.contracts.observers import ObserverMode, ReportedBy, ResourceName, WorkloadKind

from .envelope_model import AckCounts, BatchCounts, ClientText, ClusterId, Count, Envelope, ErrorCounts, Milliseconds
from .gauges import ConnectionCount
from .header_totals import HeaderTotals
from .number_ranges import RANGES
from .open_connections import OpenConnections
from .pushes import Rejection

__all__ = [
    "EVENTS_CONTENT_TYPE",
    "MAX_EVENTS_BYTES",
    "MAX_EVENTS_ROWS",
    "ApiTotals",
    "Directives",
    "EventRow",
    "EventsAnswer",
    "EventsHead",
    "ObserverLedger",
    "ObserverName",
    "ObserverReport",
    "ObserverTelemetry",
    "PushLedger",
    "ResourceDirectives",
    "TimeTotals",
    "TrafficTotals",
    "WindowTotals",
    "WorkloadName",
]

EVENTS_CONTENT_TYPE = "application/x-ndjson"
MAX_EVENTS_BYTES = 1024 * 1024
"""Most bytes of a body before compression."""
MAX_EVENTS_ROWS = 4_096
"""Most rows of a body."""

_MOST = 10_000
ApiName = Annotated[str, Field(min_length=1, max_length=64)]
TopicText = Annotated[str, Field(min_length=1, max_length=249)]
Reason = Annotated[str, Field(max_length=64)]
CountsByReason = Annotated[dict[Reason, Count], Field(max_length=64)]


class ObserverName(Envelope):
    """The ObserverDeployment that the observer belongs to."""

    namespace: DnsLabel = Field(description="Its namespace.")
    name: ResourceName = Field(description="Its name.")
    mode: ObserverMode = Field(description="How its observers come between client and broker.")


class WorkloadName(Envelope):
    """What made a sidecar's pod."""

    kind: WorkloadKind = Field(description="Its kind, such as Deployment.")
    name: ResourceName = Field(description="Its name.")


class EventRow(Envelope):
    """One further line of the body."""

    seq: Count = Field(description="Number within the source's epoch.")
    topic: Annotated[str, Field(max_length=64)] = Field(
        description="Topic without its prefix: traffic, connections, requests, interceptions, headers or seals."
    )
    key: Annotated[str, Field(max_length=1024)] = Field("", description="Key of the record; any text.")
    bytes: Annotated[int, Field(ge=2, le=MAX_EVENTS_BYTES)] = Field(
        description="Length of the line, without the line feed."
    )


class TrafficTotals(Envelope):
    """What one client did with one topic."""

    api: ApiName = Field(description="Which request, by Kafka's name.")
    topic: TopicText | None = Field(None, description="Topic.")
    principal: ClientText | None = Field(None, description="Authenticated principal.")
    client_id: ClientText | None = Field(None, description="Client id.")
    client_software_name: ClientText | None = Field(None, description="Software name.")
    client_software_version: ClientText | None = Field(None, description="Software version.")
    requests: Count = Field(0, description="Requests that named the topic.")
    records: Count = Field(0, description="Records.")
    record_bytes: Count = Field(0, description="Bytes of their batches as they travelled.")
    batches: BatchCounts = Field(default_factory=dict, description="Their batches, by codec.")
    errors: ErrorCounts = Field(default_factory=dict, description="Errors by Kafka's code, one for each partition.")
    fetch_lag: Count | None = Field(
        None,
        description="The most records of a partition that it was behind (Fetch, ShareFetch); absent where that is not "
        "known.",
    )
    fetch_lag_ms: Count | None = Field(
        None,
        description="The longest that a record which it had not fetched could be read; absent where that is not known.",
    )
    held_by_transaction: Count | None = Field(
        None,
        description="The most records of a partition that an open transaction held (Fetch); absent where that is not "
        "known.",
    )


class ApiTotals(Envelope):
    """What one client asked for, whatever the topic."""

    api: ApiName = Field(description="Which request, by Kafka's name.")
    principal: ClientText | None = Field(None, description="Authenticated principal.")
    client_id: ClientText | None = Field(None, description="Client id.")
    client_software_name: ClientText | None = Field(None, description="Software name.")
    client_software_version: ClientText | None = Field(None, description="Software version.")
    requests: Count = Field(0, description="Requests.")
    request_bytes: Count = Field(0, description="Bytes of the requests.")
    response_bytes: Count = Field(0, description="Bytes of the answers.")
    errors: ErrorCounts = Field(default_factory=dict, description="Errors by Kafka's code, one for each answer.")
    acks: AckCounts = Field(default_factory=dict, description="Produce requests by acks.")
    idempotent_requests: Count = Field(0, description="Produce requests with a batch of an idempotent producer.")
    empty_responses: Count = Field(0, description="Responses to a Fetch or ShareFetch without a record or an error.")
    longest_gap_us: Count = Field(
        0, description="The longest time from the response to a Fetch to the connection's next Fetch, in microseconds."
    )
    throttled_responses: Count = Field(0, description="Answers that throttle the client by a quota (KIP-219).")
    throttle_ms: Count = Field(0, description="How long they do, in milliseconds, added up.")


class GroupTotals(Envelope):
    """How far a group's committed offsets are behind."""

    group_id: ClientText = Field(description="Group.")
    topic: TopicText = Field(description="Topic.")
    committed_lag: Count = Field(
        description="The most records of a partition from the committed offset to the high watermark."
    )
    committed_lag_ms: Count | None = Field(
        None, description="The longest that a record which it had not committed could be read; absent likewise."
    )


class CommitsBackTotals(Envelope):
    """Offsets that one client committed below those that a group had before."""

    group_id: ClientText = Field(description="Group.")
    topic: TopicText | None = Field(None, description="Topic; absent while only its id is known.")
    principal: ClientText | None = Field(None, description="Authenticated principal of the client.")
    client_id: ClientText | None = Field(None, description="Its client id.")
    commits: Count = Field(description="Offsets of partitions.")
    most_records: Count = Field(description="The most records from such an offset to the one before it.")


class TimeTotals(Envelope):
    """How long brokers took to answer, without fetches that waited for records."""

    api: ApiName = Field(description="Which request, by Kafka's name.")
    topic: TopicText | None = Field(None, description="Topic, of requests that name one.")
    principal: ClientText | None = Field(None, description="Authenticated principal.")
    counts: Annotated[tuple[Count, ...], Field(min_length=1, max_length=64)] = Field(
        description="Answers by bound of kafka_client_response_time_seconds "
        "(contracts/vectors/response_time_bounds.json), not added up; the last ones took longer than every bound."
    )
    sum_us: Count = Field(0, description="Sum of the times, in microseconds.")


class WindowTotals(Envelope):
    """What was new in one window; added to Prometheus once for each number."""

    seq: Count = Field(description="Number within the source's epoch.")
    start_ms: Milliseconds | None = Field(
        None, description="Begin of the window, in milliseconds since 1970; without it no rate is known."
    )
    end_ms: Milliseconds | None = Field(
        None, description="End of the window, in milliseconds since 1970; of it depends for how long a lag is shown."
    )
    traffic: tuple[TrafficTotals, ...] = Field((), description="By client and topic.", max_length=_MOST)
    apis: tuple[ApiTotals, ...] = Field((), description="By client and request.", max_length=_MOST)
    times: tuple[TimeTotals, ...] = Field((), description="Times of answers.", max_length=_MOST)
    headers: tuple[HeaderTotals, ...] = Field(
        (), description="Record headers, by client, topic and key.", max_length=_MOST
    )
    groups: tuple[GroupTotals, ...] = Field(
        (), description="Committed lag by group and topic, as far as it is known.", max_length=_MOST
    )
    commits_back: tuple[CommitsBackTotals, ...] = Field(
        (), description="Commits that went back, by group, topic and client.", max_length=_MOST
    )


class ObserverLedger(Envelope):
    """The observer's own ledger within its epoch, in rows: accepted = delivered + queued + dropped."""

    accepted: Count = Field(0, description="Rows made.")
    delivered: Count = Field(0, description="Rows that a collector acknowledged.")
    queued: Count = Field(0, description="Rows waiting.")
    dropped: CountsByReason = Field(default_factory=dict, description="Rows given up, by reason.")


class PushLedger(Envelope):
    """The ledger of pushes that an observer took, within its epoch: accepted = delivered + queued + dropped."""

    accepted: Count = Field(0, description="Pushes taken.")
    delivered: Count = Field(0, description="Pushes that a collector acknowledged.")
    queued: Count = Field(0, description="Pushes waiting.")
    dropped: CountsByReason = Field(default_factory=dict, description="Pushes given up, by reason.")


class ObserverTelemetry(Envelope):
    """How an observer answers clients' telemetry (KIP-714) in the brokers' place."""

    instances: Count = Field(0, description="Client instances that it remembers.")
    evicted: Count = Field(0, description="Client instances that gave way to others, since its start.")
    answered: Annotated[dict[str, CountsByReason], Field(max_length=2)] = Field(
        default_factory=dict, description="Requests since its start, by Kafka's name and by Kafka's error."
    )
    unread: Count = Field(
        0, description="Connections that telemetry was not offered to, since the broker's offer could not be read."
    )
    subscriptions: Annotated[str, Field(max_length=64)] | None = Field(
        None, description="Hash of the subscriptions that it knows; absent until it has any."
    )
    ledger: PushLedger = Field(default_factory=PushLedger, description="Its ledger of pushes.")


class ObserverReport(Envelope):
    """How the observer is."""

    settings: Annotated[str, Field(max_length=64)] = Field("", description="Hash of the settings in force.")
    suspended: bool = Field(False, description="Whether it passes everything on unread because that is wanted.")
    lacks_identity_key: bool = Field(
        False, description="Whether what its settings hash of identities is dropped, since it has no key for that."
    )
    relay_only_until_ms: Milliseconds | None = Field(
        None,
        description="Until when it passes everything on unread because the process before it was killed, in "
        "milliseconds since 1970; absent while it does not.",
    )
    not_intercepted: Annotated[str, Field(max_length=256)] | None = Field(
        None,
        description="Why connections of its pod are not redirected to it, as they should be; absent where they are, "
        "and where none are to be.",
    )
    by_state: CountsByReason = Field(
        default_factory=dict, description="Open connections by state: sniff, observed, opaque, relay_only."
    )
    opaque: CountsByReason = Field(
        default_factory=dict, description="Connections that could not be read, since its start, by reason."
    )
    unread: CountsByReason = Field(
        default_factory=dict, description="Messages that could not be read, since its start, by reason."
    )
    unserved: CountsByReason = Field(
        default_factory=dict,
        description="Connections of clients that sign in by what changed addresses break, since its start: GSSAPI, "
        "AWS_MSK_IAM, client_certificate.",
    )
    api_versions: CountsByReason = Field(
        default_factory=dict,
        description="ApiVersions requests since its start by what they say of the client's software (KIP-511): named, "
        "unnamed (a version before 3), invalid (a broker refuses the name or version), unread.",
    )
    resident_bytes: Count | None = Field(None, description="Its memory.")
    ledger: ObserverLedger = Field(default_factory=ObserverLedger, description="Its own ledger.")
    sealed_until_ms: Milliseconds | None = Field(
        None,
        description="What it saw before is delivered, or counted as dropped, in milliseconds since 1970. Of a source "
        "that ends without a last word, what it saw later is uncertain.",
    )
    telemetry: ObserverTelemetry | None = Field(
        None, description="How it answers clients' telemetry; absent where that is left to the brokers."
    )
    ended: bool = Field(False, description="Whether this is its last word: it ends, and nothing is left.")


class EventsHead(Envelope):
    """The first line; without rows and totals it is a heartbeat, of which there is one every 5 s at least."""

    schema_: Literal["kwitness.events/1"] = Field("kwitness.events/1", alias="schema", description="Name and version.")
    source: Annotated[str, Field(min_length=3, max_length=320)] = Field(
        description="Who numbers the events: <namespace>/<pod>, as in the token."
    )
    epoch: Milliseconds = Field(description="Start of the source, in milliseconds since 1970.")
    cluster_id: ClusterId = Field(description="Cluster id.")
    observer: ObserverName = Field(description="The ObserverDeployment that it belongs to.")
    reported_by: ReportedBy = Field(description="Where the observer runs; it must be what the sender is known as.")
    workload: WorkloadName | None = Field(
        None, description="What made its pod, of a sidecar; it counts only where the pod's name begins with that name."
    )
    version: Annotated[str, Field(max_length=64)] | None = Field(None, description="Version of the observer.")
    settled: Count = Field(0, description="Every number below it is final: it will not be sent again.")
    sent_at_ms: Milliseconds = Field(description="When it was sent, in milliseconds since 1970.")
    rows: tuple[EventRow, ...] = Field((), description="The further lines, in order.", max_length=MAX_EVENTS_ROWS)
    totals: tuple[WindowTotals, ...] = Field((), description="What is new since the last window.", max_length=1_024)
    connections: tuple[ConnectionCount, ...] = Field((), description="Open connections now.", max_length=_MOST)
    open_connections: OpenConnections | None = Field(
        None, description="Its open connections one by one; only after an answer that wants them."
    )
    state: ObserverReport = Field(default_factory=ObserverReport, description="How the observer is.")


class Directives(Envelope):
    """What an observer is to do at once: a file that Kubernetes mounts may come more than a minute later."""

    settings: Annotated[str, Field(max_length=64)] | None = Field(
        None, description="Hash of the settings that say so; once these are in force they alone count."
    )
    suspend: bool | None = Field(None, description="Whether to pass everything on unread. Absent: as the settings say.")


class ResourceDirectives(Directives):
    """Directives for the pods of one resource, with the namespaces whose pods may get them."""

    other_namespaces: tuple[DnsLabel | Literal["*"], ...] = Field(
        (), description="Namespaces, beside that of the resource, in which it may act; * is all.", max_length=1_000
    )

    def reach(self, resource_namespace: str, namespace: str) -> bool:
        """Return whether pods of a namespace get them."""
        return namespace == resource_namespace or contains_namespace(self.other_namespaces, namespace)


class EventsAnswer(Envelope):
    """What became of each number. One that is in no list counts as `later`."""

    protocol: Count = Field(2, description="Version of the protocol.")
    collector: Annotated[str, Field(max_length=320)] = Field(description="Who answers: <namespace>/<name>.")
    replica: Count = Field(description="Ordinal of the replica that owns the source.")
    accepted: Annotated[str, Field(pattern=RANGES)] = Field(
        "", description="Numbers that are taken: rows are in their topic, totals in Prometheus."
    )
    duplicates: Annotated[str, Field(pattern=RANGES)] = Field("", description="Numbers that were taken before.")
    later: Annotated[str, Field(pattern=RANGES)] = Field("", description="Numbers to be sent again.")
    rejected: tuple[Rejection, ...] = Field((), description="Numbers that will never be accepted.")
    retry_after_ms: Count = Field(0, description="How long to wait before sending `later` again.")
    directives: Directives = Field(default_factory=Directives, description="What the observer is to do at once.")
    subscriptions: Annotated[str, Field(max_length=64)] | None = Field(
        None, description="Hash of the cluster's subscriptions, for observers that answer clients' telemetry."
    )
    wants_connections: bool = Field(
        False, description="Whether the next requests are to list open connections, since somebody asked for them."
    )
