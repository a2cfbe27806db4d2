"""InterceptorProfile: interceptors (KIP-42) for the producers and consumers of selected pods."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.dns_label import DnsLabel
from kwitness.contracts.interceptors import AttributeName, JavaVariable

from .contract_model import Contract, Rule, list_atomic, list_map, list_set, rules
from .durations import duration_field
from .interceptor_entries import InterceptorEntry
from .label_selector import LABEL_KEY, LabelSelector
from .meta import API_VERSION, ObjectMeta, Status, child_name_rule
from .precedence import priority_field
from .privacy import InterceptedIdentities
from .references import ClusterRef, HeaderRegistryRef
from .standstill import suspend_field
from .times import time_field

__all__ = [
    "InterceptedPods",
    "InterceptorProfile",
    "InterceptorProfileSpec",
    "InterceptorProfileStatus",
    "ProcessRuntime",
    "ReportingProcess",
    "SkippedPods",
]

ProcessRuntime = Annotated[Literal["Python", "Java", "Librdkafka"], Field(description="The runtime.")]
Command = Annotated[str, Field(max_length=512, description="A command of kubectl.")]
TopicSelection = Annotated[
    str,
    Field(
        max_length=249,
        pattern=r"^([A-Za-z0-9._-]{1,249}|[A-Za-z0-9._-]{0,248}\*)$",
        description="A topic's name, or the beginning of names with a star.",
    ),
]
ContainerName = Annotated[DnsLabel, Field(description="The name of a container.")]
NamespaceName = Annotated[DnsLabel, Field(description="The name of a namespace.")]
ClientCount = Annotated[int, Field(ge=0, description="How many clients.")]
_ONCE = ("Headers", "Tracing", "Checksum")
_UNKNOWN_VALUE = 64
"""Bytes of a stamp's value that the profile does not have; names of namespaces and values of labels are shorter."""


class InterceptorAttribute(Contract):
    """A label of the pod that goes with everything that is reported of it."""

    name: AttributeName = Field(description="What reports call it.")
    pod_label: str = Field(
        description="The pod's label. A pod without it has no such attribute.",
        min_length=1,
        max_length=317,
        pattern=LABEL_KEY,
    )


class InterceptorLimits(Contract):
    """Bounds of one process; what does not fit is summed up or dropped, and counted."""

    topics: int = Field(32, description="Topics of a client with rows of their own.", ge=1, le=1_024)
    partitions: int = Field(256, description="Partitions of a row.", ge=1, le=1_024)
    clients: int = Field(256, description="Clients of a process.", ge=1, le=4_096)
    queue_bytes: int = Field(
        1_048_576, description="Bytes of rows that wait for the collector.", ge=65_536, le=67_108_864
    )


class InterceptorProfileSpec(Contract):
    """Which pods get which interceptors."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "self.interceptors.all(one, !(one.type in ['Custom', 'Tracing', 'Checksum'])) || "
                "!has(self.runtimes) || self.runtimes.exists(one, one != 'Librdkafka')",
                "interceptors of type Custom, Tracing and Checksum act in Python and Java: add one of them to "
                "runtimes, or remove the interceptor",
                field_path=".interceptors",
            ),
            *(
                Rule(
                    f"self.interceptors.filter(one, one.type == '{kind}').size() <= 1",
                    f"there can be one interceptor of type {kind}: put its settings together",
                    field_path=".interceptors",
                )
                for kind in _ONCE
            ),
            Rule(
                "self.interceptors.all(entry, !has(entry.stamp) || entry.stamp.stamps.all(stamp, "
                "!has(stamp.attribute) || (has(self.attributes) && "
                "self.attributes.exists(one, one.name == stamp.attribute))))",
                "a stamp's attribute must be the name of one of spec.attributes",
                field_path=".interceptors",
            ),
            Rule(
                "!has(self.runtimes) || self.runtimes != ['Python'] || "
                "!self.interceptors.exists(one, one.type in ['Cardinality', 'Stats'])",
                "Python has no Cardinality and no Stats: add Java or Librdkafka to runtimes, or remove them",
                field_path=".interceptors",
            ),
            Rule(
                "!has(self.throughObserver) || !self.throughObserver || !has(self.runtimes) || "
                "self.runtimes.exists(one, one != 'Librdkafka')",
                "throughObserver acts in Python and Java: add one of them to runtimes, or remove throughObserver",
                field_path=".throughObserver",
            ),
            Rule(
                "!has(self.javaVariable) || !has(self.runtimes) || 'Java' in self.runtimes",
                "javaVariable is for runtime Java: add it to runtimes, or remove javaVariable",
                field_path=".javaVariable",
            ),
        )
    )
    cluster_ref: ClusterRef = Field(description="The cluster that gets what the interceptors report.")
    priority: int = priority_field("InterceptorProfiles of this namespace for one pod")
    selector: LabelSelector = Field(description="Pods whose clients get the interceptors.")
    namespace_selector: LabelSelector | None = Field(
        None,
        description="Namespaces whose pods are meant, of those that the installation allows (Helm value "
        "injector.otherNamespaces). Absent: this resource's own. Each must have the label "
        "kwitness.dev/injection=enabled. A pod that profiles of its own namespace select gets one of those.",
    )
    containers: tuple[ContainerName, ...] | None = Field(
        None,
        description="Containers whose clients are meant, init containers too. Absent: all of the pod.",
        min_length=1,
        max_length=32,
        json_schema_extra=list_set(),
    )
    runtimes: tuple[ProcessRuntime, ...] | None = Field(
        None,
        description="Runtimes to act in. A pod's annotation kwitness.dev/runtimes, such as python,java, overrides them "
        "for that pod. Absent: that annotation alone decides, and pods without it get no interceptors. Librdkafka: "
        "programs that load the plugin by their own setting plugin.library.paths=/kwitness/lib/libkwitness.so. Custom, "
        "Tracing, Checksum and throughObserver act in Python and Java, Cardinality and Stats in Java and Librdkafka.",
        min_length=1,
        max_length=3,
        json_schema_extra=list_set(),
    )
    java_variable: JavaVariable | None = Field(
        None,
        description="The variable that gets the agent, for runtime Java: JAVA_TOOL_OPTIONS, which every JVM reads, or "
        "JDK_JAVA_OPTIONS, which the command java reads from version 9 on. Absent: JAVA_TOOL_OPTIONS.",
    )
    interceptors: tuple[InterceptorEntry, ...] = Field(
        description="Interceptors, in the order in which they are called, at most one of each of Headers, Tracing and "
        "Checksum. Names and values of all settings of Custom have at most 65536 characters together, and keys and "
        "values of all stamps at most 4096 bytes; a value that pod, client or cluster gives counts as 64.",
        min_length=1,
        max_length=16,
        json_schema_extra={
            **list_map("name"),
            **rules(
                Rule(
                    "self.map(entry, has(entry.custom) && has(entry.custom.settings) ? entry.custom.settings.map(name, "
                    "name.size() + entry.custom.settings[name].size()).sum() : 0).sum() <= 65536",
                    "names and values of custom.settings have more than 65536 characters together: shorten them, or "
                    "keep them in the application's image",
                ),
                Rule(
                    "self.map(entry, has(entry.stamp) ? entry.stamp.stamps.map(stamp, stamp.key.size() + "
                    f"(has(stamp.value) ? bytes(stamp.value).size() : {_UNKNOWN_VALUE})).sum() : 0).sum() <= 4096",
                    "keys and values of stamps have more than 4096 bytes together, which every record would carry: "
                    "shorten or remove some",
                ),
            ),
        },
    )
    topics: tuple[TopicSelection, ...] = Field(
        (),
        description="Topics that are intercepted: names, or what names begin with and a star. Empty: all.",
        max_length=64,
        json_schema_extra=list_set(),
    )
    window: str = duration_field("10s", "Length of a window.", minimum="1s", maximum="1h")
    limits: InterceptorLimits = Field(default_factory=InterceptorLimits, description="Bounds of one process.")
    attributes: tuple[InterceptorAttribute, ...] = Field(
        (),
        description="Labels of the pod that go with what is reported of it.",
        max_length=16,
        json_schema_extra=list_map("name"),
    )
    through_observer: bool = Field(
        False,
        description="Whether Python and Java clients connect to the observer of their pod (spec.sidecar of an "
        "ObserverDeployment), which is how connections with TLS are observed although nothing of the application "
        "changes. A client goes on by itself where its pod has none, where it is another cluster's, or where it signs "
        "in in a way that needs the broker itself (a certificate, Kerberos); status.clientsNotThroughObserver counts "
        "these.",
    )
    header_registries: tuple[HeaderRegistryRef, ...] = Field(
        (),
        description="Registers that Headers judges by. Of entries for the same key or prefix the first register's "
        "counts, and so does its policy for keys that are not registered. One that is named twice counts once.",
        max_length=16,
        json_schema_extra=list_atomic(),
    )
    identity: InterceptedIdentities = Field(
        (),
        description="What happens to identity keys before they leave the application's process. Keys without an entry "
        "are kept. Names of pods stay, by which events are numbered.",
    )
    suspend: bool = suspend_field("interceptors stay in pods, pass every record on and count nothing")


class SkippedPods(Contract):
    """Pods that are selected and get no interceptors, for one reason."""

    reason: str = Field(description="Why, in one word.", max_length=64, pattern="^[A-Z][A-Za-z0-9]*$")
    pods: int = Field(description="How many.", ge=1)
    example: str = Field(description="One of them, <namespace>/<name>.", max_length=317)


class InterceptedPods(Contract):
    """Which of the selected pods have the interceptors; pods that have ended are left out."""

    selected: int = Field(description="Pods that are selected.", ge=0)
    injected: int = Field(description="Pods with the interceptors of this resource.", ge=0)
    outdated: int = Field(description="Those of them that started before the present settings.", ge=0)
    missed: int = Field(description="Pods that started without, though they could have them.", ge=0)
    silent: int = Field(description="Pods with the interceptors that no process reports from.", ge=0)
    left_out: tuple[SkippedPods, ...] = Field(
        (), description="Pods that get none, by reason.", max_length=32, json_schema_extra=list_map("reason")
    )
    restart: tuple[Command, ...] = Field(
        (),
        description="Commands after which workloads with outdated or missed pods have them, up to 20.",
        max_length=20,
    )


class ReportingProcess(Contract):
    """A process whose interceptors report."""

    reporter: str = Field(description="Its name, drawn when it began.", max_length=16, pattern=r"^[0-9a-f]{16}$")
    pod: str = Field(description="Its pod, <namespace>/<name>.", max_length=317)
    container: str | None = Field(None, description="Its container.", max_length=63)
    runtime: ProcessRuntime = Field(description="What the interceptors run in.")
    clients: int = Field(description="Its clients that have the interceptors.", ge=0)


class EndedWorkload(Contract):
    """A workload whose pods ended at their start with the interceptors."""

    workload: str = Field(description="What makes the pods, <namespace>/<kind>/<name>.", max_length=512)
    pod: str = Field(description="One of them that ended so.", max_length=253)
    last_words: str = Field(
        description="Its container, exit code and reason; in this resource's own namespace also what the kubelet kept "
        "of its output.",
        max_length=512,
    )


class InterceptorProfileStatus(Status):
    """Which pods have the interceptors."""

    pods: InterceptedPods | None = Field(None, description="Which of the selected pods have the interceptors.")
    reporting: int | None = Field(None, description="Processes heard from in the last minute.", ge=0)
    processes: tuple[ReportingProcess, ...] = Field(
        (), description="Some of them, up to 20.", max_length=20, json_schema_extra=list_map("reporter")
    )
    intercepted_clients: int | None = Field(None, description="Their clients that have the interceptors.", ge=0)
    clients_without: dict[str, ClientCount] = Field(
        default_factory=dict, description="Their clients that could have none, by reason.", max_length=32
    )
    clients_not_through_observer: dict[str, ClientCount] = Field(
        default_factory=dict,
        description="Their clients that connected by themselves though spec.throughObserver is true, by reason.",
        max_length=32,
    )
    config_hash: str | None = Field(None, description="Hash of what pods that start now are given.", max_length=64)
    refused_in: tuple[NamespaceName, ...] = Field(
        (),
        description="Namespaces in which pods were refused because of the interceptors: none are put into pods there "
        "until this resource's spec changes.",
        max_length=1_000,
        json_schema_extra=list_set(),
    )
    ended_at_start: tuple[EndedWorkload, ...] = Field(
        (),
        description="Workloads whose pods ended at their start with the interceptors: their next pods get none until "
        "this resource's spec changes. At most 100.",
        max_length=100,
        json_schema_extra=list_map("workload"),
    )
    refusals_since: str | None = time_field(
        "When the operator first saw this generation, as RFC 3339 in UTC: refusals before count no longer."
    )


class InterceptorProfile(Contract):
    """Puts interceptors into the Kafka clients of selected pods."""

    model_config = ConfigDict(json_schema_extra=child_name_rule(40))
    api_version: Literal["kwitness.dev/v1beta1"] = API_VERSION
    kind: Literal["InterceptorProfile"] = "InterceptorProfile"
    metadata: ObjectMeta
    spec: InterceptorProfileSpec = Field(description="Which pods get which interceptors.")
    status: InterceptorProfileStatus | None = Field(None, description="Which pods have the interceptors.")
