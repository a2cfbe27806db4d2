"""UpgradeImpact: who uses what brokers of a later release of Kafka no longer answer, by evidence from the wire."""

from __future__ import annotations

from kwitness.contracts.resources.analytics_parameters import UpgradeImpactParameters
from kwitness.jobs.analyses.upgrade_impact.findings import findings
from kwitness.jobs.analyses.upgrade_impact.schema import KEYS, TABLE_SCHEMA
from kwitness.jobs.analyses.upgrade_impact.transform import expired, merge, transform
from kwitness.jobs.frame.ended_rows import settled
from kwitness.jobs.frame.job import DisplayColumn, Inputs, Job, LatticeSink, Layout

SINK = LatticeSink(keys=KEYS, transform=transform, merge=merge, expired=expired, settled=settled)
JOB = Job(
    name="UpgradeImpact",
    inputs=Inputs(topics=("traffic", "connections")),
    parameters=UpgradeImpactParameters,
    schema=TABLE_SCHEMA,
    sink=SINK,
    layout=Layout(partitions=("ended",)),
    display_columns=(
        DisplayColumn("DROPPED IN", "dropped_in"),
        DisplayColumn("KIND", "kind"),
        DisplayColumn("PRINCIPAL", "principal"),
        DisplayColumn("CLIENT ID", "client_id"),
        DisplayColumn("API", "api"),
        DisplayColumn("VERSION", "api_version"),
        DisplayColumn("ADDED IN", "added_in"),
        DisplayColumn("SOFTWARE", "client_software_name"),
        DisplayColumn("VERSION", "client_software_version"),
        DisplayColumn("NAMESPACE", "k8s_namespace"),
        DisplayColumn("WORKLOAD", "k8s_workload"),
        DisplayColumn("OWNER", "owner"),
        DisplayColumn("CONTACT", "owner_contact"),
        DisplayColumn("REQUESTS", "requests"),
        DisplayColumn("CONNECTIONS", "connections"),
        DisplayColumn("LAST SEEN", "last_seen_ms"),
    ),
    findings=findings,
)
