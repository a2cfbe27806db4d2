"""Generated from contracts/registry/warnings.yaml by `make generate`; do not edit."""

# fmt: off
# ruff: noqa: E501
from __future__ import annotations

from kwitness.contracts.registry_entries import ClusterWarningType

ENTRIES: tuple[ClusterWarningType, ...] = (
    ClusterWarningType(type="ClientInstancesNearLimit", source="operator", meaning="A broker remembers nearly as many client instances as it can (16,384). Beyond that it forgets the one that asked least recently, which must then ask again: pushes are refused and clients fall silent."),
    ClusterWarningType(type="ClientsDisconnected", source="operator", meaning="Clients with librdkafka 2.5.3 to 2.10.0 are connected and reached by a subscription with a prefix that some of them have no metric for: they push a null payload, and the broker closes their connection at every push."),
    ClusterWarningType(type="DeletionHeld", source="operator", meaning="A broker configuration of ours stays though its resource is gone or suspended, because removing it would crash connected clients, or could."),
    ClusterWarningType(type="GaugeTruncated", source="operator", meaning="A broker counts at most 100 software versions per network thread and has reached that; its counts are incomplete."),
    ClusterWarningType(type="InvalidOwners", source="operator", meaning="The ConfigMap of spec.owners is not there, or what it says cannot be used; the message has line and entry. Analyses go on without owners."),
    ClusterWarningType(type="KnownDefects", source="operator", meaning="The brokers' version has, or may have, known defects in handling client telemetry."),
    ClusterWarningType(type="OverlappingOwners", source="operator", meaning="Entries of spec.owners match the same clients or topics and are of different teams: the first one counts."),
    ClusterWarningType(type="PlaintextCredentials", source="operator", meaning="The operator's password travels unencrypted (spec.tls.insecurePlaintext)."),
    ClusterWarningType(type="SharedCluster", source="operator", meaning="Another KafkaCluster resource leads to the same Kafka cluster; each keeps its own subscriptions."),
    ClusterWarningType(type="TelemetryMissing", source="operator", meaning="Some brokers do not answer clients' telemetry requests: no plugin is loaded there."),
    ClusterWarningType(type="TopicDiffers", source="operator", meaning="A topic of the platform has other settings than spec.topics; existing topics are never changed."),
    ClusterWarningType(type="AskingUnavailable", source="plugin", meaning="The broker does not show which clients asked for subscriptions."),
    ClusterWarningType(type="CertificatesUnreadable", source="plugin", meaning="The plugin cannot read the CA certificates it should trust."),
    ClusterWarningType(type="IdentityIncomplete", source="plugin", meaning="The broker does not show software name, version and listener of pushing clients."),
    ClusterWarningType(type="InvalidConfiguration", source="plugin", meaning="The plugin's configuration is wrong and it stays passive; the broker's log says what to change."),
    ClusterWarningType(type="JmxReporterMissing", source="plugin", meaning="metric.reporters does not name JmxReporter, so the broker's own JMX metrics are off."),
    ClusterWarningType(type="TokenUnreadable", source="plugin", meaning="The plugin cannot read its bearer token."),
    ClusterWarningType(type="UnknownConfiguration", source="plugin", meaning="A setting that begins with the plugin's prefix is not known to it."),
)
