"""Traffic: records and bytes by topic and client, requests and their times by client, in windows."""

from __future__ import annotations

from kwitness.contracts.resources.analytics_parameters import TrafficParameters
from kwitness.jobs.analyses.traffic.schema import FACTS, TABLE_SCHEMA
from kwitness.jobs.analyses.traffic.transform import decode, derived, longer, windows
from kwitness.jobs.frame.job import DisplayColumn, Inputs, Job, Layout, WindowsSink

JOB = Job(
    name="Traffic",
    inputs=Inputs(topics=("traffic", "seals"), optional_topics=("seals",)),
    parameters=TrafficParameters,
    schema=TABLE_SCHEMA,
    sink=WindowsSink(facts=FACTS, decode=decode, windows=windows, longer=longer, derived=derived),
    layout=Layout(partitions=("day", "window_seconds")),
    display_columns=(
        DisplayColumn("WINDOW", "window_start_ms"),
        DisplayColumn("SECONDS", "window_seconds"),
        DisplayColumn("KIND", "kind"),
        DisplayColumn("API", "api"),
        DisplayColumn("TOPIC", "topic"),
        DisplayColumn("CLIENT ID", "client_id"),
        DisplayColumn("PRINCIPAL", "principal"),
        DisplayColumn("SOFTWARE", "client_software_name"),
        DisplayColumn("VERSION", "client_software_version"),
        DisplayColumn("NAMESPACE", "k8s_namespace"),
        DisplayColumn("WORKLOAD", "k8s_workload"),
        DisplayColumn("OWNER", "owner"),
        DisplayColumn("TOPIC OWNER", "topic_owner"),
        DisplayColumn("REQUESTS", "requests"),
        DisplayColumn("RECORDS", "records"),
        DisplayColumn("BYTES", "bytes"),
        DisplayColumn("ERRORS", "error_count"),
        DisplayColumn("P50 US", "response_time_p50_us"),
        DisplayColumn("P99 US", "response_time_p99_us"),
        DisplayColumn("STATE", "state"),
    ),
)
