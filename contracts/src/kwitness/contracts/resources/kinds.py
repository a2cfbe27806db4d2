"""All kinds: the names by which the API server knows each, its model, and what `kubectl get` shows."""

from __future__ import annotations

from dataclasses import dataclass

from .analytics_job import AnalyticsJob
from .client_metrics_subscription import ClientMetricsSubscription
from .contract_model import Contract
from .header_registry import HeaderRegistry
from .interceptor_profile import InterceptorProfile
from .kafka_cluster import KafkaCluster
from .kind_names import PLURALS
from .observer_deployment import ObserverDeployment
from .telemetry_collector import TelemetryCollector

__all__ = ["KINDS", "KindInfo", "PrinterColumn"]


@dataclass(frozen=True, slots=True)
class PrinterColumn:
    """A column of `kubectl get`.

    Attributes
    ----------
    name, type, json_path
        As in `additionalPrinterColumns`.
    description
        What the column shows.
    """

    name: str
    type: str
    json_path: str
    description: str


@dataclass(frozen=True, slots=True)
class KindInfo:
    """One custom resource kind.

    Attributes
    ----------
    kind, plural, singular, short_name
        The names by which the API server knows it.
    model
        The pydantic model.
    columns
        What `kubectl get` shows between READY, REASON and AGE.
    scales
        Whether `kubectl scale` works, by `spec.replicas`, `status.replicas` and `status.selector`.
    """

    kind: str
    plural: str
    short_name: str
    model: type[Contract]
    columns: tuple[PrinterColumn, ...]
    scales: bool = False

    @property
    def singular(self) -> str:
        """Return the name for one."""
        return self.kind.lower()


_CLUSTER = PrinterColumn("Cluster", "string", ".spec.clusterRef.name", "The KafkaCluster.")

KINDS: tuple[KindInfo, ...] = (
    KindInfo(
        "KafkaCluster",
        PLURALS["KafkaCluster"],
        "kfc",
        KafkaCluster,
        (
            PrinterColumn("Version", "string", ".status.kafkaVersion", "Best known Kafka version."),
            PrinterColumn(
                "Telemetry",
                "string",
                ".status.conditions[?(@.type=='TelemetryCapable')].status",
                "Whether every broker takes client telemetry.",
            ),
            PrinterColumn("Cluster-Id", "string", ".status.clusterId", "Cluster id."),
        ),
    ),
    KindInfo(
        "ClientMetricsSubscription",
        PLURALS["ClientMetricsSubscription"],
        "kcms",
        ClientMetricsSubscription,
        (
            _CLUSTER,
            PrinterColumn("Interval", "string", ".spec.interval", "How often clients push."),
            PrinterColumn("Matching", "integer", ".status.clients.matching", "Instances that match."),
            PrinterColumn("Pushing", "integer", ".status.clients.pushing", "Instances that push."),
            PrinterColumn("Expires", "string", ".status.expiresAt", "When it is taken off the brokers."),
        ),
    ),
    KindInfo(
        "ObserverDeployment",
        PLURALS["ObserverDeployment"],
        "kobs",
        ObserverDeployment,
        (
            PrinterColumn("Bootstrap", "string", ".status.bootstrapServers", "Address for clients to start from."),
            PrinterColumn("Connections", "integer", ".status.connections", "Client connections open now."),
            PrinterColumn("Coverage(%)", "integer", ".status.coverage.percent", "Share of the brokers' connections."),
        ),
    ),
    KindInfo(
        "TelemetryCollector",
        PLURALS["TelemetryCollector"],
        "ktc",
        TelemetryCollector,
        (
            _CLUSTER,
            PrinterColumn("Clients", "integer", ".status.reportingClients", "Client instances that report."),
            PrinterColumn("Series", "integer", ".status.series", "Series exposed."),
        ),
        scales=True,
    ),
    KindInfo(
        "InterceptorProfile",
        PLURALS["InterceptorProfile"],
        "kip",
        InterceptorProfile,
        (
            _CLUSTER,
            PrinterColumn("Selected", "integer", ".status.pods.selected", "Pods that are selected."),
            PrinterColumn("Injected", "integer", ".status.pods.injected", "Those that have the interceptors."),
            PrinterColumn("Reporting", "integer", ".status.reporting", "Processes that report."),
        ),
    ),
    KindInfo(
        "AnalyticsJob",
        PLURALS["AnalyticsJob"],
        "kaj",
        AnalyticsJob,
        (
            PrinterColumn("Type", "string", ".spec.analyses[0].type", "What is computed."),
            PrinterColumn("Phase", "string", ".status.analyses[0].phase", "Where it is in its life."),
            PrinterColumn("Lag", "integer", ".status.analyses[0].lag.records", "Records not read yet."),
            PrinterColumn(
                "Last-Run", "boolean", ".status.analyses[0].lastRun.succeeded", "Whether the last run ended well."
            ),
            PrinterColumn(
                "Findings", "integer", ".status.analyses[0].findingsTotal", "How many things were found wrong."
            ),
        ),
    ),
    KindInfo(
        "HeaderRegistry",
        PLURALS["HeaderRegistry"],
        "khr",
        HeaderRegistry,
        (
            PrinterColumn("Policy", "string", ".spec.policy", "What to do about other keys."),
            PrinterColumn("Keys", "integer", ".status.registered", "Keys registered."),
        ),
    ),
)
"""All seven kinds, in the order of the reference."""
