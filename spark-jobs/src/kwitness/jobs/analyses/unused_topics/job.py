"""UnusedTopics: who wrote and read each topic last, and which topics nobody uses, by which evidence."""

from __future__ import annotations

from kwitness.contracts.resources.analytics_parameters import UnusedTopicsParameters
from kwitness.jobs.analyses.unused_topics.findings import findings
from kwitness.jobs.analyses.unused_topics.schema import KEYS, TABLE_SCHEMA
from kwitness.jobs.analyses.unused_topics.survey import survey
from kwitness.jobs.analyses.unused_topics.transform import expired, merge, transform
from kwitness.jobs.frame.job import DisplayColumn, Inputs, Job, LatticeSink

SINK = LatticeSink(keys=KEYS, transform=transform, merge=merge, expired=expired, survey=survey)
JOB = Job(
    name="UnusedTopics",
    inputs=Inputs(topics=("traffic", "connections"), optional_topics=("connections",), survey=True),
    parameters=UnusedTopicsParameters,
    schema=TABLE_SCHEMA,
    sink=SINK,
    display_columns=(
        DisplayColumn("KIND", "kind"),
        DisplayColumn("VERDICT", "verdict"),
        DisplayColumn("SUBJECT", "subject"),
        DisplayColumn("LISTENER", "listener"),
        DisplayColumn("WRITTEN", "written"),
        DisplayColumn("READ", "fetched"),
        DisplayColumn("LAST WRITTEN", "last_produced_ms"),
        DisplayColumn("BY", "last_produced_client_id"),
        DisplayColumn("LAST READ", "last_fetched_ms"),
        DisplayColumn("BY", "last_fetched_client_id"),
        DisplayColumn("GROUPS", "groups", counted=True),
        DisplayColumn("ENDS SINCE", "ends_since_ms"),
        DisplayColumn("BYTES", "log_bytes"),
        DisplayColumn("PARTITIONS", "partitions"),
        DisplayColumn("COVERAGE", "coverage"),
        DisplayColumn("MISSING", "missing"),
        DisplayColumn("LAST SEEN", "last_seen_ms"),
    ),
    findings=findings,
)
