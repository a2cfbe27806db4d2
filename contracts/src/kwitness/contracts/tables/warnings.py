"""Generated from contracts/registry/warnings.yaml by `make generate`; do not edit."""

# fmt: off
# ruff: noqa: E501
from __future__ import annotations

from kwitness.contracts.registry_entries import WarningType

ENTRIES: tuple[WarningType, ...] = (
    WarningType(type="ClientInstancesNearLimit", source="operator", meaning="A broker remembers nearly as many client instances as it can (16,384). Beyond that it forgets the one that asked least recently, which must then ask again: pushes are refused and clients fall silent.", kind="KafkaCluster"),
    WarningType(type="ClientVersionsUnreadable", source="operator", meaning="Clients of a software of spec.clientPolicy.minimumVersions are connected whose version cannot be compared with the least one; they are not counted as below it.", kind="KafkaCluster"),
    WarningType(type="ClientsBelowMinimum", source="operator", meaning="Clients are connected whose version is below the least one of spec.clientPolicy.minimumVersions.", kind="KafkaCluster"),
    WarningType(type="ClientsDisconnected", source="operator", meaning="Clients with librdkafka 2.5.3 to 2.10.0 are connected and reached by a subscription with a prefix that some of them have no metric for: they push a null payload, and the broker closes their connection at every push.", kind="KafkaCluster"),
    WarningType(type="DeletionHeld", source="operator", meaning="A broker configuration of ours stays though its resource is gone or suspended, because removing it would crash connected clients, or could.", kind="KafkaCluster"),
    WarningType(type="GaugeTruncated", source="operator", meaning="A broker counts at most 100 software versions per network thread and has reached that; its counts are incomplete.", kind="KafkaCluster"),
    WarningType(type="IntervalShared", source="operator", meaning="Another subscription of the cluster asks all of its clients too, at another interval: they push at the shorter one.", kind="ClientMetricsSubscription"),
    WarningType(type="IntervalTooLong", source="operator", meaning="The interval is longer than 5 minutes: brokers of Kafka 3.7 to 4.3 never let clients push less often than that.", kind="ClientMetricsSubscription"),
    WarningType(type="InvalidOwners", source="operator", meaning="The ConfigMap of spec.owners is not there, or what it says cannot be used; the message has line and entry. Analyses go on without owners.", kind="KafkaCluster"),
    WarningType(type="KnownDefects", source="operator", meaning="The brokers' version has, or may have, known defects in handling client telemetry.", kind="KafkaCluster"),
    WarningType(type="OverlappingOwners", source="operator", meaning="Entries of spec.owners match the same clients or topics and are of different teams: the first one counts.", kind="KafkaCluster"),
    WarningType(type="OwnersIncomplete", source="operator", meaning="Owners of a source of spec.owners are missing, and the message says why: the operator may not read it, its kind is not there, there are too many, or some cannot be used. Sources that come later name no owners then.", kind="KafkaCluster"),
    WarningType(type="PlaintextCredentials", source="operator", meaning="The operator's password travels unencrypted (spec.authentication.insecurePlaintext).", kind="KafkaCluster"),
    WarningType(type="ReportedElsewhere", source="operator", meaning="The plugin of a broker reports to another TelemetryCollector than to the one that acts for the KafkaCluster, which knows nothing of that broker's clients.", kind="KafkaCluster"),
    WarningType(type="RiskTooLoose", source="operator", meaning="spec.riskPolicy or spec.riskWindow is looser than that of the KafkaCluster and does not count: what the KafkaCluster says does.", kind="ClientMetricsSubscription"),
    WarningType(type="TelemetryMissing", source="operator", meaning="Some brokers do not answer clients' telemetry requests: no plugin is loaded there.", kind="KafkaCluster"),
    WarningType(type="TopicDiffers", source="operator", meaning="A topic of the platform has other settings than spec.topics.onCreate; existing topics are never changed.", kind="KafkaCluster"),
    WarningType(type="AskingUnavailable", source="plugin", meaning="The broker does not show which clients asked for subscriptions.", kind="KafkaCluster"),
    WarningType(type="CertificatesUnreadable", source="plugin", meaning="The plugin cannot read the CA certificates it should trust.", kind="KafkaCluster"),
    WarningType(type="IdentityIncomplete", source="plugin", meaning="The broker does not show software name, version and listener of pushing clients.", kind="KafkaCluster"),
    WarningType(type="InvalidConfiguration", source="plugin", meaning="The plugin's configuration is wrong and it stays passive; the broker's log says what to change.", kind="KafkaCluster"),
    WarningType(type="JmxReporterMissing", source="plugin", meaning="metric.reporters does not name JmxReporter, so the broker's own JMX metrics are off.", kind="KafkaCluster"),
    WarningType(type="BothEntryClasses", source="plugin", meaning="metric.reporters names both entry classes of the plugin; KwitnessLegacyReporter stays aside and can be removed.", kind="KafkaCluster"),
    WarningType(type="TokenUnreadable", source="plugin", meaning="The plugin cannot read its bearer token.", kind="KafkaCluster"),
    WarningType(type="UnknownConfiguration", source="plugin", meaning="A setting that begins with the plugin's prefix is not known to it.", kind="KafkaCluster"),
)
