"""GET /v1/clients and GET /v1/clusters/{cluster_id}: the client inventory."""

from __future__ import annotations

from pydantic import Field

from kwitness.contracts.identity import Identity
from kwitness.contracts.interceptors import InterceptorRuntime, Reporter, Side
from kwitness.contracts.observers import ObserverMode, ReportedBy

from .client_owner import ClientOwner
from .envelope_model import Count, Envelope, Milliseconds, ReplicasAnswer
from .events import ObserverLedger, ObserverTelemetry
from .gauges import MOST_INSTANCES, PluginLedger
from .header_totals import HeaderKeyText, HeaderProblemText, HeaderWitness

__all__ = [
    "BrokerState",
    "ClientItem",
    "ClientPage",
    "ClusterState",
    "EffectiveSubscription",
    "HeaderFinding",
    "HopState",
    "InterceptorState",
    "ObserverState",
    "SoftwareConnections",
    "SoftwareState",
]


class EffectiveSubscription(Envelope):
    """What a broker asks one client instance for: all subscriptions that match it, taken together."""

    interval_ms: Milliseconds = Field(description="How often it is to push: the shortest of their intervals.")
    metrics: tuple[str, ...] = Field(description="Prefixes of metrics, the union of theirs; * is all.")
    subscriptions: tuple[str, ...] = Field(description="Their names in the broker.")


class ClientItem(Identity):
    """One client instance; what is not known is absent."""

    key: str | None = Field(None, description="Key of the item, by which `gone` names it.")
    ours: bool = Field(False, description="Whether it is one of the platform's own clients.")
    k8s_namespace_proven: bool | None = Field(
        None,
        description="true where its pod names `k8s_namespace`; absent where the client only claims it, or where it was "
        "treated. Readers with a scope see clients by a namespace that is proven.",
    )
    first_seen_ms: Milliseconds = Field(description="When it was first heard from, in milliseconds since 1970.")
    last_push_ms: Milliseconds | None = Field(None, description="When it last pushed.")
    push_interval_ms: Milliseconds | None = Field(None, description="Its push interval, as told or estimated.")
    metrics: tuple[str, ...] = Field((), description="Names of the metrics it sends.")
    subscriptions: tuple[str, ...] = Field((), description="Broker subscriptions that match it.")
    subscriptions_unknown: bool | None = Field(
        None,
        description="true where more may match it: its identity before it was treated is known after its next push.",
    )
    filtered: bool | None = Field(
        None, description="true where the collector's spec.filter or spec.identity was applied to its pushes."
    )
    effective: EffectiveSubscription | None = Field(
        None, description="What it is asked for; absent where no subscription matches it."
    )
    owner: ClientOwner | None = Field(None, description="Whose it is; absent where nobody was named.")
    known_wrong: tuple[str, ...] = Field(
        (),
        description="What is known to be wrong with its software in this version, by the ids of "
        "docs/reference/software.md; each begins with the harm. As a filter: one of them, or how one begins.",
    )
    malformed: Count = Field(0, description="Its pushes that could not be read.")
    malformed_reason: str | None = Field(None, description="What was wrong with the last of them.", max_length=200)
    terminated: bool = Field(False, description="Whether it sent its terminating push.")


class ClientPage(ReplicasAnswer):
    """One page of the inventory, or of what changed in it."""

    items: tuple[ClientItem, ...] = Field(
        description="Client instances, by `order`, else by key; with `since` those that changed."
    )
    matched: Count | None = Field(
        None, description="Client instances that fit the filters, of all replicas that answered; absent with `since`."
    )
    continue_: str | None = Field(
        None, alias="continue", description="Token for the next page; absent when this is the last."
    )
    since: str | None = Field(
        None,
        description="With `since`: the cursor for the next question. A change is a client's beginning or end, or that "
        "of its identity, owner, set of metrics, `filtered`, `terminated`, or of whether its last push could be read. "
        "A push alone is none.",
    )
    gone: tuple[str, ...] | None = Field(
        None,
        description="With `since`: keys of clients that ended, or that do not fit the filters any more. Keys that the "
        "reader does not know are to be ignored.",
    )
    more: bool | None = Field(None, description="With `since`: true where more changes follow; ask again at once.")
    reset: bool | None = Field(
        None,
        description="With `since`: true where this answer begins again, because a replica did, owners changed, or more "
        "clients ended than are remembered. Drop all items of earlier answers.",
    )


class BrokerState(Envelope):
    """One broker, from its plugin's heartbeat."""

    broker_id: str = Field(description="Broker id.")
    plugin_version: str | None = Field(None, description="Version of the plugin.")
    kafka_version: str | None = Field(None, description="Version of the broker.")
    last_heartbeat_ms: Milliseconds = Field(description="When it was last heard from, in milliseconds since 1970.")
    gauge_truncated: bool = Field(False, description="Whether its counts are incomplete.")
    listeners: str | None = Field(None, description="The broker's configuration `listeners`.")
    inter_broker_listener: str | None = Field(None, description="Listener that brokers use among themselves.")
    warnings: tuple[str, ...] = Field((), description="What is wrong with the configuration.")
    client_instances: Count | None = Field(
        None, description=f"Client instances that it remembers; it has room for {MOST_INSTANCES}."
    )
    ledger: PluginLedger = Field(default_factory=PluginLedger, description="The plugin's own ledger.")


class SoftwareState(Envelope):
    """One software of which connections were seen within the last 7 days."""

    client_software_name: str = Field(description="Software name.")
    client_software_version: str = Field(description="Software version.")
    connections: Count = Field(description="Open connections now; 0 when it is gone.")
    first_seen_ms: Milliseconds = Field(description="When it was first seen, in milliseconds since 1970.")
    last_seen_ms: Milliseconds = Field(description="When it was last seen.")
    ours: bool = Field(False, description="Whether only clients of the platform itself are behind it.")


class SoftwareConnections(Envelope):
    """Connections of one software at one observer."""

    client_software_name: str = Field(description="Software name.")
    client_software_version: str = Field(description="Software version.")
    connections: Count = Field(description="Open connections now.")


class ObserverState(Envelope):
    """One observer, from its last heartbeat."""

    namespace: str = Field(description="Namespace of the ObserverDeployment that it belongs to.")
    name: str = Field(description="Name of the ObserverDeployment.")
    mode: ObserverMode = Field(description="How it came between client and broker.")
    pod: str = Field(description="Its pod, as its token says.")
    pod_namespace: str = Field(description="The pod's namespace.")
    reported_by: ReportedBy = Field(description="What it is known as.")
    version: str | None = Field(None, description="Version of the observer.")
    epoch: Milliseconds = Field(description="When it was started, in milliseconds since 1970.")
    settings: str = Field("", description="Hash of the settings in force.")
    workload: str | None = Field(None, description="Name of what made its pod, where the pod's name bears it out.")
    suspended: bool = Field(False, description="Whether it passes everything on unread because that is wanted.")
    lacks_identity_key: bool = Field(
        False, description="Whether what its settings hash of identities is dropped, since it has no key for that."
    )
    relay_only_until_ms: Milliseconds | None = Field(
        None,
        description="Until when it passes everything on unread because the process before it was killed, in "
        "milliseconds since 1970.",
    )
    not_intercepted: str | None = Field(
        None, description="Why connections of its pod are not redirected to it, as they should be."
    )
    connections: Count = Field(0, description="Open connections, read or not.")
    by_state: dict[str, Count] = Field(default_factory=dict, description="Open connections by state.")
    opaque: dict[str, Count] = Field(default_factory=dict, description="Connections that could not be read, by reason.")
    unread: dict[str, Count] = Field(default_factory=dict, description="Messages that could not be read, by reason.")
    unserved: dict[str, Count] = Field(
        default_factory=dict,
        description="Connections of clients that sign in by what changed addresses break, by mechanism.",
    )
    resident_bytes: Count | None = Field(None, description="Its memory.")
    software: tuple[SoftwareConnections, ...] = Field((), description="Software connected through it.")
    ledger: ObserverLedger = Field(default_factory=ObserverLedger, description="Its own ledger.")
    telemetry: ObserverTelemetry | None = Field(
        None, description="How it answers clients' telemetry; absent where that is left to the brokers."
    )
    last_heard_ms: Milliseconds = Field(description="When it was last heard from, in milliseconds since 1970.")


class InterceptorState(Envelope):
    """One reporter of interceptors, from its last heartbeat."""

    namespace: str = Field(description="Namespace of the InterceptorProfile that it belongs to.")
    name: str = Field(description="Name of the InterceptorProfile.")
    reporter: Reporter = Field(description="The reporter.")
    runtime: InterceptorRuntime = Field(description="What its interceptors run in.")
    pod: str = Field(description="Its pod, as its token says.")
    pod_namespace: str = Field(description="The pod's namespace.")
    container: str | None = Field(None, description="Name of the container, as it says.")
    version: str | None = Field(None, description="Version of the interceptors.")
    epoch: Milliseconds = Field(description="When it began, in milliseconds since 1970.")
    settings: str = Field("", description="Hash of the settings in force.")
    suspended: bool = Field(False, description="Whether its interceptors do nothing because that is wanted.")
    lacks_identity_key: bool = Field(
        False, description="Whether what its settings hash of identities is dropped, since it has no key for that."
    )
    clients: Count = Field(0, description="Clients with interceptors that are open.")
    not_intercepted: dict[str, Count] = Field(
        default_factory=dict, description="Clients that got none since its start, by reason."
    )
    not_through_observer: dict[str, Count] = Field(
        default_factory=dict,
        description="Clients since its start that were to connect to the observer of their pod and did not, by reason.",
    )
    unusable: dict[str, str] = Field(
        default_factory=dict, description="Interceptors that could not be made or configured, with the reason."
    )
    last_heard_ms: Milliseconds = Field(description="When it was last heard from, in milliseconds since 1970.")


class HeaderFinding(Envelope):
    """Something that is wrong with a key of record headers, and who sends it or gets it."""

    side: Side = Field(description="Whether the client sends the headers or gets them.")
    topic: str | None = Field(None, description="Topic; absent where topics and keys of the client are too many.")
    key: HeaderKeyText | None = Field(None, description="Key of the header; absent likewise.")
    problem: HeaderProblemText = Field(
        description="What is wrong: unregistered, wrong_type, too_large, deprecated, testing_id or missing."
    )
    k8s_namespace: str | None = Field(
        None, description="Namespace of the client's pod; absent where an observer is not in the pod of its clients."
    )
    k8s_workload: str | None = Field(None, description="Name of what made the pod, where its name bears it out.")
    k8s_pod: str | None = Field(None, description="The client's pod.")
    client_id: str | None = Field(None, description="Client id, where the pod is not known.")
    seen_by: HeaderWitness = Field(description="What saw them.")
    first_seen_ms: Milliseconds = Field(
        description="When the collector heard of it first, in milliseconds since 1970; what does not come again for an "
        "hour is forgotten."
    )
    last_seen_ms: Milliseconds = Field(description="When it heard of it last.")
    headers: Count = Field(0, description="Such headers within the last hour; of `missing`, records.")
    removed: Count = Field(0, description="Headers with this key that the policy Deny removed, within the last hour.")


class HopState(Envelope):
    """One hop of the ledger, summed over replicas."""

    hop: str = Field(description="receive, prometheus, topic, forward:<name>, events or events_topic.")
    accepted: Count = Field(0, description="Events taken in.")
    delivered: Count = Field(0, description="Events handed on.")
    queued: Count = Field(0, description="Events waiting.")
    dropped: dict[str, Count] = Field(default_factory=dict, description="Events given up, by reason.")


class ClusterState(ReplicasAnswer):
    """What the collector knows of a cluster."""

    cluster_id: str = Field(description="Cluster id.")
    refusing: str | None = Field(
        None, description="Why a replica takes no pushes: SecretNotFound, for want of what spec.identity takes."
    )
    brokers: tuple[BrokerState, ...] = Field((), description="Brokers whose plugin reports.")
    observers: tuple[ObserverState, ...] = Field((), description="Observers heard from.")
    interceptors: tuple[InterceptorState, ...] = Field((), description="Reporters of interceptors heard from.")
    headers: tuple[HeaderFinding, ...] = Field(
        (), description="What was wrong with record headers within the last hour."
    )
    headers_left_out: Count = Field(
        0, description="Reports of something wrong with a header that found no room in `headers`, since the start."
    )
    software: tuple[SoftwareState, ...] = Field((), description="Software seen connected.")
    series: Count = Field(0, description="Series exposed now.")
    overflowed: Count = Field(0, description="Series that did not fit the budget.")
    clients: Count = Field(0, description="Client instances heard from.")
    clients_in_pods: Count = Field(0, description="Client instances whose pods were found by their addresses.")
    pods_listed_at_ms: Count = Field(
        0,
        description="Time of the list of pods that the replicas have, of the oldest where they have several, in "
        "milliseconds since 1970; 0 where one has none.",
    )
    ledger: tuple[HopState, ...] = Field((), description="The ledger by hop.")
