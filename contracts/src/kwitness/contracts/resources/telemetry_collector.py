"""TelemetryCollector: the one door through which telemetry enters, for one cluster."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.dns_label import DNS_LABEL
from kwitness.contracts.identity import DEFAULT_LABELS, IdentityKey
from kwitness.contracts.interceptors import MAX_ATTRIBUTE_KEYS, AttributeName

from .connection import CLIENT_CONNECTION_RULES, Authentication, ClientTls
from .contract_model import Contract, Rule, list_map, list_set, rules
from .durations import duration_field
from .ingest import Ingest
from .label_selector import LabelText
from .ledger import HopLedger
from .meta import API_VERSION, ObjectMeta, Status, child_name_rule
from .pod_resources import PodResources
from .pod_settings import PodSettings
from .precedence import priority_field
from .privacy import TelemetryFilter, TelemetryIdentities
from .quantities import Quantity, within
from .references import SUBDOMAIN, CaSecretRef, ClusterRef, SecretRef
from .service_settings import ServiceSettings
from .standstill import suspend_field

__all__ = [
    "Forward",
    "KafkaTopic",
    "Prometheus",
    "ServiceMonitor",
    "Storage",
    "TelemetryCollector",
    "TelemetryCollectorSpec",
    "TelemetryCollectorStatus",
]


_Label = Annotated[IdentityKey, Field(description="An identity key.")]
_Attribute = Annotated[AttributeName, Field(description="Name of an attribute.")]


class ServiceMonitor(Contract):
    """A ServiceMonitor for the Prometheus operator."""

    labels: dict[str, LabelText] = Field(
        default_factory=dict, description="Labels that your Prometheus selects ServiceMonitors by.", max_length=16
    )


class Prometheus(Contract):
    """What is exposed to Prometheus."""

    max_series: int = Field(
        100_000,
        description="Most series one replica exposes. Beyond it counters are added to one series labelled other, and "
        "gauges are left out and counted.",
        ge=100,
        le=10_000_000,
    )
    labels: tuple[_Label, ...] = Field(
        DEFAULT_LABELS,
        description="Identity keys that become labels. Instances that share all of them are combined by the rule in "
        "the metric's registry entry.",
        max_length=32,
        json_schema_extra=list_set(),
    )
    expire_after_missed_pushes: int = Field(
        3,
        description="How many missed pushes end a client's series. Each client's push interval is its subscription's, "
        "so this is a number and no duration.",
        ge=1,
        le=1000,
    )
    max_client_info: int = Field(
        10_000,
        description="Most client instances of one replica that have a series of kwitness_client_info, which says who "
        "is behind a metric; clients that observers alone know get what those that push leave. Others have none and "
        "are counted; 0 turns it off. They are no part of maxSeries.",
        ge=0,
        le=1_000_000,
    )
    client_addresses: bool = Field(
        False,
        description="True: kwitness_client_info and kwitness_client_silent_since_seconds have the label "
        "client_address. An address can be personal data, and all users of Prometheus read it. The inventory has it in "
        "any case.",
    )
    interceptor_attributes: tuple[_Attribute, ...] = Field(
        (),
        description="Attributes (spec.attributes of InterceptorProfiles) that become labels of "
        "kafka_client_interceptor_*: team is attribute_team. A pod reports its own, none where its profile has no such "
        "attribute. Each value has series of its own; they count in maxSeries. Another list begins these counters at 0 "
        "again.",
        max_length=MAX_ATTRIBUTE_KEYS,
        json_schema_extra=list_set(),
    )
    scrape_interval: str = duration_field(
        "30s",
        "Longest interval at which this collector is scraped, and that of its ServiceMonitor. A new counter is 0 for "
        "twice as long, then has its value.",
        minimum="1s",
        maximum="1h",
    )
    service_monitor: ServiceMonitor | None = Field(
        None,
        description="A ServiceMonitor for the Prometheus operator; {} makes one without labels of yours. Absent: none "
        "is made.",
    )


class KafkaTopic(Contract):
    """What is written to the topics of the platform."""

    mode: Literal["Write", "Disabled"] = Field(
        "Write",
        description="Write: pushes, connection snapshots and rows of observers and interceptors are written to Kafka. "
        "Disabled: none is.",
    )


class ForwardTls(Contract):
    """How a connection to an OTLP endpoint is encrypted."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "!has(self.caSecretRef) || self.mode == 'Required'",
                "is for mode Required: remove it",
                field_path=".caSecretRef",
            )
        )
    )
    mode: Literal["Required", "Disabled"] = Field(
        "Required",
        description="Required: the endpoint starts with https://. Disabled: it starts with http://, and telemetry and "
        "headers travel unencrypted.",
    )
    ca_secret_ref: CaSecretRef | None = Field(
        None,
        description="Secret with the key ca.crt: who signs the endpoint's certificate. Absent: the system's CAs. For "
        "mode Required.",
    )


_Source = Annotated[Literal["Pushes", "Counts"], Field(description="A source.")]


class Forward(Contract):
    """An OTLP endpoint that gets a copy of each push, of what is counted, or of both."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "self.endpoint.startsWith('https://') == (self.tls.mode == 'Required')",
                "tls.mode Required needs an endpoint that starts with https://, Disabled one that starts with http://",
                field_path=".endpoint",
            ),
            Rule(
                "isURL(self.endpoint)",
                "must be a URL such as https://otlp.example.org:4318/v1/metrics",
                field_path=".endpoint",
            ),
        )
    )
    name: str = Field(
        description="Name of the hop, shown in the ledger as forward:<name>.",
        min_length=1,
        max_length=40,
        pattern=DNS_LABEL,
    )
    endpoint: str = Field(
        description="URL such as https://otlp.example.org:4318/v1/metrics for HTTP, or https://otlp.example.org:4317 "
        "for gRPC, whose path does not matter. It starts with https://, or with http:// if tls.mode is Disabled.",
        min_length=8,
        max_length=1024,
        pattern=r"^https?://[^@\s]+$",
    )
    tls: ForwardTls = Field(default_factory=ForwardTls, description="How the connection is encrypted.")
    protocol: Literal["Http", "Grpc"] = Field(
        "Http", description="How the endpoint speaks OTLP. Grpc does not use the proxy of the installation."
    )
    attributes: Literal["Both", "Own", "Semantic"] = Field(
        "Both",
        description="Which attributes are added to the resource of each push. Semantic: those of OpenTelemetry's "
        "semantic conventions, such as service.name and service.instance.id, by which backends tell clients apart. "
        "Own: identity keys, such as client_id and principal. Both: both. What a client sent itself stays.",
    )
    temporality: Literal["AsSent", "Cumulative"] = Field(
        "AsSent",
        description="What counters and histograms count. AsSent: what clients send, which is what is new since their "
        "push before. Cumulative: everything since their start, as Prometheus and others require.",
    )
    sources: tuple[_Source, ...] = Field(
        ("Pushes",),
        description="What the endpoint gets. Pushes: what clients send. Counts: what observers and interceptors count, "
        "the series that Prometheus has of it, once in each scrapeInterval.",
        min_length=1,
        max_length=2,
        json_schema_extra=list_set(),
    )
    headers_secret_ref: SecretRef | None = Field(
        None,
        description="Secret with the keys headers (one 'Name: value' a line) and hosts (the only addresses the "
        "headers are sent to).",
    )


class Storage(Contract):
    """Where the accumulators are kept over a restart."""

    storage_class_name: str | None = Field(
        None,
        description="StorageClass of a claim per replica. Absent: an emptyDir, which outlives the container but not "
        "the pod. It cannot be changed after creation: another than what stands has no effect, and "
        "StorageAsRequested says so.",
        min_length=1,
        max_length=253,
        pattern=SUBDOMAIN,
    )
    size: Annotated[Quantity, within("1Mi")] = Field(
        "1Gi",
        description="Size of the claim or limit of the emptyDir. Claims that exist grow with it where their "
        "StorageClass has allowVolumeExpansion; they never get smaller.",
    )
    when_deleted: Literal["Delete", "Retain"] = Field(
        "Delete",
        description="What happens to the claims when this resource is deleted. Retain: they stay, and a later "
        "collector of this name in this namespace goes on with their counters. Claims of replicas that are scaled away "
        "stay.",
    )


class TelemetryCollectorSpec(Contract):
    """What comes in, what goes out, and within which bounds."""

    model_config = ConfigDict(json_schema_extra=rules(*CLIENT_CONNECTION_RULES))
    cluster_ref: ClusterRef = Field(
        description="The cluster whose telemetry is received. The collector that the KafkaCluster names in "
        "spec.collectorRef acts for all of it, any other takes what the resources of its own namespace report. It "
        "cannot be changed: the collector's volume has the state of this cluster.",
        json_schema_extra=rules(Rule("self == oldSelf", "cannot be changed: make another TelemetryCollector")),
    )
    replicas: int = Field(
        1,
        description="Replicas; each client's pushes are handled by one of them. kubectl scale sets it. Above the Helm "
        "value limits.maxCollectorReplicas so many run as that says.",
        ge=1,
        le=32,
    )
    authentication: Authentication = Field(
        default_factory=Authentication,
        description="Who the collector is towards Kafka. It needs to write to the platform's topics and nothing else; "
        "never the administrator's credential.",
    )
    tls: ClientTls = Field(default_factory=ClientTls, description="The collector's certificates towards Kafka.")
    prometheus: Prometheus = Field(default_factory=Prometheus, description="What is exposed to Prometheus.")
    kafka_topic: KafkaTopic = Field(
        default_factory=KafkaTopic, description="What is written to the topics of the platform."
    )
    forward: tuple[Forward, ...] = Field(
        (),
        description="OTLP endpoints that get a copy of each push, or of what observers and interceptors count.",
        max_length=8,
        json_schema_extra=list_map("name"),
    )
    filter: TelemetryFilter | None = Field(
        None,
        description="What is left out of pushes, whoever sends them, before they are written or forwarded; such a "
        "record says filtered. It needs a name in metrics or attributes. Absent: pushes are passed on byte by byte.",
    )
    identity: TelemetryIdentities = Field(
        (),
        description="What happens to identity keys of pushes and of the plugin's heartbeats before they are written, "
        "exposed or forwarded. Keys without an entry are kept. Hash and Drop need the Secret kwitness-identity-key "
        "with the key key; without it pushes are refused and wait at their senders. Observers and interceptors treat "
        "theirs at the source.",
    )
    ingest: Ingest = Field(description="Who may send and read, and how the connection is encrypted.")
    resources: PodResources = Field(
        default_factory=PodResources, description="Processor time and memory of each replica."
    )
    pod: PodSettings = Field(
        default_factory=PodSettings, description="Labels, annotations and placement of the replicas' pods."
    )
    service: ServiceSettings = Field(
        default_factory=ServiceSettings,
        description="How senders reach the collector. Senders outside of the Kubernetes cluster, such as brokers, need "
        "type LoadBalancer or NodePort.",
    )
    storage: Storage = Field(default_factory=Storage, description="Where the accumulators are kept over a restart.")
    suspend: bool = suspend_field("no replica runs; its storage stays, and what senders keep for it waits there")
    priority: int = priority_field("TelemetryCollectors of this namespace for one cluster")


class TelemetryCollectorStatus(Status):
    """What the collector does."""

    endpoint: str | None = Field(None, description="Where senders in the cluster reach it.", max_length=512)
    replicas: int | None = Field(None, description="Replicas that have a pod.", ge=0)
    selector: str | None = Field(
        None, description="Labels of its pods, as kubectl scale and autoscalers read them.", max_length=512
    )
    ready_replicas: int | None = Field(None, description="Replicas that are ready.", ge=0)
    reporting_clients: int | None = Field(None, description="Client instances that report.", ge=0)
    series: int | None = Field(None, description="Series exposed now, over all replicas.", ge=0)
    series_left_out: int | None = Field(
        None, description="Series beyond prometheus.maxSeries: added to the series other, or left out.", ge=0
    )
    ledger: tuple[HopLedger, ...] = Field(
        (), description="The ledger by hop.", max_length=32, json_schema_extra=list_map("hop")
    )


class TelemetryCollector(Contract):
    """Receives client telemetry, exposes it to Prometheus, writes it to Kafka and forwards it."""

    model_config = ConfigDict(json_schema_extra=child_name_rule(40))
    api_version: Literal["kwitness.dev/v1beta1"] = API_VERSION
    kind: Literal["TelemetryCollector"] = "TelemetryCollector"
    metadata: ObjectMeta
    spec: TelemetryCollectorSpec = Field(description="What comes in, what goes out, and within which bounds.")
    status: TelemetryCollectorStatus | None = Field(None, description="What the collector does.")
