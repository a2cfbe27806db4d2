"""HeaderDrift: which header keys are in use, by topic and client, and how that differs from the registers."""

from __future__ import annotations

from kwitness.contracts.resources.analytics_parameters import HeaderDriftParameters
from kwitness.jobs.analyses.header_drift.findings import findings
from kwitness.jobs.analyses.header_drift.schema import FACTS, HOUR_SECONDS, TABLE_SCHEMA
from kwitness.jobs.analyses.header_drift.transform import decode, longer, windows
from kwitness.jobs.frame.job import DisplayColumn, Inputs, Job, Layout, WindowsSink

SINK = WindowsSink(facts=FACTS, decode=decode, windows=windows, longer=longer, lengths=(HOUR_SECONDS,))
JOB = Job(
    name="HeaderDrift",
    inputs=Inputs(topics=("headers", "seals")),
    parameters=HeaderDriftParameters,
    schema=TABLE_SCHEMA,
    sink=SINK,
    layout=Layout(partitions=("day", "window_seconds")),
    display_columns=(
        DisplayColumn("WINDOW", "window_start_ms"),
        DisplayColumn("SECONDS", "window_seconds"),
        DisplayColumn("TOPIC", "topic"),
        DisplayColumn("KIND", "kind"),
        DisplayColumn("KEY", "key"),
        DisplayColumn("SIDE", "side"),
        DisplayColumn("SEEN BY", "seen_by"),
        DisplayColumn("PRINCIPAL", "principal"),
        DisplayColumn("CLIENT ID", "client_id"),
        DisplayColumn("NAMESPACE", "k8s_namespace"),
        DisplayColumn("WORKLOAD", "k8s_workload"),
        DisplayColumn("HEADERS", "headers"),
        DisplayColumn("UNREGISTERED", "unregistered"),
        DisplayColumn("WRONG TYPE", "wrong_type"),
        DisplayColumn("TOO LARGE", "too_large"),
        DisplayColumn("DEPRECATED", "deprecated"),
        DisplayColumn("MISSING", "missing"),
        DisplayColumn("LOOKED AT", "records_looked_at"),
        DisplayColumn("PASSED", "records_passed"),
        DisplayColumn("STATE", "state"),
    ),
    findings=findings,
)
