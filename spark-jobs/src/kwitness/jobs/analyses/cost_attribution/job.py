"""CostAttribution: what the traffic and the storage of a month cost, and whose it is, to the last byte."""

from __future__ import annotations

from kwitness.contracts.resources.analytics_parameters import CostAttributionParameters
from kwitness.jobs.analyses.cost_attribution.costs import costs
from kwitness.jobs.analyses.cost_attribution.findings import findings
from kwitness.jobs.analyses.cost_attribution.schema import KEYS, TABLE_SCHEMA
from kwitness.jobs.analyses.cost_attribution.transform import compute, periods
from kwitness.jobs.frame.job import DisplayColumn, Inputs, Job, Layout, TableSink

SINK = TableSink(
    period="month",
    keys=KEYS,
    periods=periods,
    compute=compute,
    costs=costs,
)
JOB = Job(
    name="CostAttribution",
    inputs=Inputs(survey=True, tables=("Traffic",), optional_tables=("HeaderDrift",)),
    parameters=CostAttributionParameters,
    schema=TABLE_SCHEMA,
    sink=SINK,
    layout=Layout(partitions=("month",)),
    display_columns=(
        DisplayColumn("MONTH", "month"),
        DisplayColumn("OWNER", "owner"),
        DisplayColumn("PRINCIPAL", "principal"),
        DisplayColumn("TOPIC", "topic"),
        DisplayColumn("CLIENT ID", "client_id"),
        DisplayColumn("NAMESPACE", "k8s_namespace"),
        DisplayColumn("WORKLOAD", "k8s_workload"),
        DisplayColumn("HEADER", "header_value"),
        DisplayColumn("ATTRIBUTION", "attribution"),
        DisplayColumn("BYTES IN", "bytes_in"),
        DisplayColumn("BYTES OUT", "bytes_out"),
        DisplayColumn("REQUESTS", "requests"),
        DisplayColumn("STORED BYTE HOURS", "stored_byte_hours"),
        DisplayColumn("COST", "cost"),
        DisplayColumn("CURRENCY", "currency"),
        DisplayColumn("STATE", "state"),
    ),
    findings=findings,
)
