"""ClientInventory: every client instance that pushed, and every software version seen connected."""

from __future__ import annotations

from kwitness.contracts.resources.analytics_parameters import ClientInventoryParameters
from kwitness.jobs.analyses.client_inventory.schema import TABLE_SCHEMA
from kwitness.jobs.analyses.client_inventory.transform import expired, merge, transform, unchanged
from kwitness.jobs.frame.ended_rows import settled
from kwitness.jobs.frame.job import DisplayColumn, Inputs, Job, LatticeSink, Layout

SINK = LatticeSink(
    keys=("row_id",), transform=transform, merge=merge, expired=expired, unchanged=unchanged, settled=settled
)
JOB = Job(
    name="ClientInventory",
    inputs=Inputs(topics=("telemetry", "connections"), optional_topics=("telemetry", "connections")),
    parameters=ClientInventoryParameters,
    schema=TABLE_SCHEMA,
    sink=SINK,
    # Most rows are of clients that are gone; those that come again and again are few, and they alone are rewritten.
    layout=Layout(partitions=("kind", "ended")),
    display_columns=(
        DisplayColumn("KIND", "kind"),
        DisplayColumn("SOFTWARE", "client_software_name"),
        DisplayColumn("VERSION", "client_software_version"),
        DisplayColumn("CLIENT ID", "client_id"),
        DisplayColumn("INSTANCE", "client_instance_id"),
        DisplayColumn("LISTENER", "listener"),
        DisplayColumn("OWNER", "owner"),
        DisplayColumn("ROLES", "roles"),
        DisplayColumn("METRICS", "metrics", counted=True),
        DisplayColumn("CONFORMS", "conforms"),
        DisplayColumn("MISSING", "missing_required", counted=True),
        DisplayColumn("CONNECTIONS", "max_connections"),
        DisplayColumn("FIRST SEEN", "first_seen_ms"),
        DisplayColumn("LAST SEEN", "last_seen_ms"),
        DisplayColumn("OURS", "ours"),
    ),
)
