"""Completeness as a job of the frame. It does not run yet: it is not in `USED_JOB_TYPES`, so no resource can ask."""

from __future__ import annotations

from kwitness.jobs.analyses.completeness.schema import KEYS, TABLE_SCHEMA, CompletenessParameters
from kwitness.jobs.analyses.completeness.transform import combined, merge, transform
from kwitness.jobs.frame.job import DisplayColumn, Inputs, Job, LatticeSink

SINK = LatticeSink(keys=KEYS, transform=transform, merge=merge, combined=combined)
JOB = Job(
    name="Completeness",
    inputs=Inputs(topics=("interceptions", "traffic")),
    parameters=CompletenessParameters,
    schema=TABLE_SCHEMA,
    sink=SINK,
    display_columns=(
        DisplayColumn("TOPIC", "topic"),
        DisplayColumn("PARTITION", "partition"),
        DisplayColumn("SAID", "said"),
        DisplayColumn("EVIDENCE", "evidence"),
        DisplayColumn("GROUP", "group_id"),
        DisplayColumn("RANGES", "ranges", counted=True),
        DisplayColumn("EXACT", "exact"),
    ),
)
