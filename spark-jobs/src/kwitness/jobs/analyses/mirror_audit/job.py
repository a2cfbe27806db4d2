"""MirrorAudit: whether a mirror holds what its source holds."""

from __future__ import annotations

from kwitness.contracts.resources.analytics_parameters import MirrorAuditParameters
from kwitness.jobs.analyses.mirror_audit.comparison import compare
from kwitness.jobs.analyses.mirror_audit.findings import findings
from kwitness.jobs.analyses.mirror_audit.schema import KEYS, TABLE_SCHEMA
from kwitness.jobs.analyses.mirror_audit.transform import combined, expired, merge, of_source, of_target
from kwitness.jobs.frame.job import DisplayColumn, Inputs, Job, LatticeSink, SecondSide

SINK = LatticeSink(
    keys=KEYS,
    transform=of_source,
    merge=merge,
    expired=expired,
    combined=combined,
    second=SecondSide(topics=("traffic", "interceptions"), transform=of_target, compare=compare),
)
JOB = Job(
    name="MirrorAudit",
    inputs=Inputs(topics=("traffic",), optional_topics=("traffic",), second_cluster=True),
    parameters=MirrorAuditParameters,
    schema=TABLE_SCHEMA,
    sink=SINK,
    display_columns=(
        DisplayColumn("KIND", "kind"),
        DisplayColumn("TOPIC", "topic"),
        DisplayColumn("PARTITION", "partition"),
        DisplayColumn("SPAN", "time_ms"),
        DisplayColumn("VERDICT", "verdict"),
        DisplayColumn("EVIDENCE", "evidence"),
        DisplayColumn("MISSING", "missing"),
        DisplayColumn("EXTRA", "extra"),
        DisplayColumn("NOT SEEN", "not_seen"),
        DisplayColumn("LAG", "lag_records"),
        DisplayColumn("LAG MS", "lag_ms"),
        DisplayColumn("CHANGED", "changed"),
        DisplayColumn("SOURCE", "source_records"),
        DisplayColumn("MIRROR", "target_records"),
        DisplayColumn("SURVEYED", "surveyed_ms"),
    ),
    findings=findings,
)
