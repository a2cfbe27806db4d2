"""TelemetryRollup: what clients report about themselves, by metric and client, in windows."""

from __future__ import annotations

from kwitness.contracts.resources.analytics_parameters import TelemetryRollupParameters
from kwitness.jobs.analyses.telemetry_rollup.findings import findings
from kwitness.jobs.analyses.telemetry_rollup.schema import FACTS, TABLE_SCHEMA
from kwitness.jobs.analyses.telemetry_rollup.transform import decode, longer, windows
from kwitness.jobs.frame.job import DisplayColumn, Inputs, Job, Layout, WindowsSink

JOB = Job(
    name="TelemetryRollup",
    inputs=Inputs(topics=("telemetry",)),
    parameters=TelemetryRollupParameters,
    schema=TABLE_SCHEMA,
    sink=WindowsSink(facts=FACTS, decode=decode, windows=windows, longer=longer),
    layout=Layout(partitions=("day", "window_seconds")),
    display_columns=(
        DisplayColumn("WINDOW", "window_start_ms"),
        DisplayColumn("SECONDS", "window_seconds"),
        DisplayColumn("KIND", "kind"),
        DisplayColumn("METRIC", "metric"),
        DisplayColumn("ATTRIBUTES", "attributes"),
        DisplayColumn("TYPE", "type"),
        DisplayColumn("CLIENT ID", "client_id"),
        DisplayColumn("PRINCIPAL", "principal"),
        DisplayColumn("SOFTWARE", "client_software_name"),
        DisplayColumn("VERSION", "client_software_version"),
        DisplayColumn("CLIENTS", "clients"),
        DisplayColumn("POINTS", "points"),
        DisplayColumn("LEAST", "value_min"),
        DisplayColumn("GREATEST", "value_max"),
        DisplayColumn("LAST", "value_last"),
        DisplayColumn("INCREASE", "increase"),
        DisplayColumn("OBSERVATIONS", "observations"),
        DisplayColumn("LEFT OUT", "left_out"),
        DisplayColumn("STATE", "state"),
    ),
    findings=findings,
)
