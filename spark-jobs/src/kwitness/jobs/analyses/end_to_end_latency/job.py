"""EndToEndLatency: times from records' timestamps to their being handed over, by topic and consumer, in windows."""

from __future__ import annotations

from kwitness.contracts.resources.analytics_parameters import EndToEndLatencyParameters
from kwitness.jobs.analyses.end_to_end_latency.findings import findings
from kwitness.jobs.analyses.end_to_end_latency.schema import FACTS, TABLE_SCHEMA
from kwitness.jobs.analyses.end_to_end_latency.transform import decode, derived, longer, windows
from kwitness.jobs.frame.job import DisplayColumn, Inputs, Job, Layout, WindowsSink

JOB = Job(
    name="EndToEndLatency",
    inputs=Inputs(topics=("interceptions", "seals")),
    parameters=EndToEndLatencyParameters,
    schema=TABLE_SCHEMA,
    sink=WindowsSink(facts=FACTS, decode=decode, windows=windows, longer=longer, derived=derived),
    layout=Layout(partitions=("day", "window_seconds")),
    display_columns=(
        DisplayColumn("WINDOW", "window_start_ms"),
        DisplayColumn("SECONDS", "window_seconds"),
        DisplayColumn("TOPIC", "topic"),
        DisplayColumn("GROUP", "group_id"),
        DisplayColumn("CLIENT ID", "client_id"),
        DisplayColumn("NAMESPACE", "k8s_namespace"),
        DisplayColumn("WORKLOAD", "k8s_workload"),
        DisplayColumn("OWNER", "owner"),
        DisplayColumn("TOPIC OWNER", "topic_owner"),
        DisplayColumn("RECORDS", "consumed"),
        DisplayColumn("P50 US", "latency_p50_us"),
        DisplayColumn("P90 US", "latency_p90_us"),
        DisplayColumn("P99 US", "latency_p99_us"),
        DisplayColumn("SKEW", "clock_skew"),
        DisplayColumn("STATE", "state"),
    ),
    findings=findings,
)
