"""LatencySlo: good and bad answers by objective and group, in windows, and budgets that go too fast."""

from __future__ import annotations

from kwitness.contracts.resources.analytics_parameters import LatencySloParameters
from kwitness.jobs.analyses.latency_slo.findings import findings
from kwitness.jobs.analyses.latency_slo.schema import FACTS, TABLE_SCHEMA
from kwitness.jobs.analyses.latency_slo.transform import decode, longer, windows
from kwitness.jobs.frame.job import DisplayColumn, Inputs, Job, Layout, WindowsSink

JOB = Job(
    name="LatencySlo",
    inputs=Inputs(topics=("traffic", "requests", "seals")),
    parameters=LatencySloParameters,
    schema=TABLE_SCHEMA,
    sink=WindowsSink(facts=FACTS, decode=decode, windows=windows, longer=longer),
    layout=Layout(partitions=("day", "window_seconds")),
    display_columns=(
        DisplayColumn("WINDOW", "window_start_ms"),
        DisplayColumn("SECONDS", "window_seconds"),
        DisplayColumn("OBJECTIVE", "objective"),
        DisplayColumn("TOPIC", "topic"),
        DisplayColumn("PRINCIPAL", "principal"),
        DisplayColumn("API", "api"),
        DisplayColumn("CLIENT ID", "client_id"),
        DisplayColumn("NAMESPACE", "k8s_namespace"),
        DisplayColumn("WORKLOAD", "k8s_workload"),
        DisplayColumn("EVIDENCE", "evidence"),
        DisplayColumn("US", "threshold_us"),
        DisplayColumn("TARGET", "target"),
        DisplayColumn("ANSWERS", "answers"),
        DisplayColumn("BAD", "bad"),
        DisplayColumn("ERRORS", "errors"),
        DisplayColumn("BURNS", "burn_rate"),
        DisplayColumn("STATE", "state"),
    ),
    findings=findings,
)
