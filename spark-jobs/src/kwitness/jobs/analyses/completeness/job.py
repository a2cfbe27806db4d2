"""Completeness: whether what was sent is in the log, and was handed to each group, by sets of offsets."""

from __future__ import annotations

from kwitness.contracts.resources.analytics_parameters import CompletenessParameters
from kwitness.jobs.analyses.completeness.findings import findings
from kwitness.jobs.analyses.completeness.schema import KEYS, TABLE_SCHEMA
from kwitness.jobs.analyses.completeness.survey import survey
from kwitness.jobs.analyses.completeness.transform import combined, expired, merge, transform
from kwitness.jobs.frame.job import DisplayColumn, Inputs, Job, LatticeSink

SINK = LatticeSink(keys=KEYS, transform=transform, merge=merge, expired=expired, survey=survey, combined=combined)
JOB = Job(
    name="Completeness",
    inputs=Inputs(topics=("interceptions", "traffic"), optional_topics=("interceptions", "traffic"), survey=True),
    parameters=CompletenessParameters,
    schema=TABLE_SCHEMA,
    sink=SINK,
    display_columns=(
        DisplayColumn("TOPIC", "topic"),
        DisplayColumn("PARTITION", "partition"),
        DisplayColumn("GROUP", "group_id"),
        DisplayColumn("EVIDENCE", "evidence"),
        DisplayColumn("VERDICT", "verdict"),
        DisplayColumn("COVERAGE", "coverage"),
        DisplayColumn("WRITTEN", "written"),
        DisplayColumn("LOST", "lost"),
        DisplayColumn("SKIPPED", "skipped"),
        DisplayColumn("NOT SEEN", "not_seen"),
        DisplayColumn("DUPLICATED", "duplicated"),
        DisplayColumn("ABORTED", "aborted"),
        DisplayColumn("COMPACTED", "compacted"),
        DisplayColumn("CONTROL", "control"),
        DisplayColumn("UNEXPLAINED", "unexplained"),
        DisplayColumn("NOT ACKNOWLEDGED", "not_acknowledged"),
        DisplayColumn("LATE", "late"),
        DisplayColumn("WAITING", "waiting"),
        DisplayColumn("APPROXIMATE", "approximate"),
        DisplayColumn("LAST SEEN", "last_ms"),
    ),
    findings=findings,
)
