"""LedgerAudit: whether the platform's own books close, by the numbers that every source gives to its records."""

from __future__ import annotations

from kwitness.contracts.resources.analytics_parameters import LedgerAuditParameters
from kwitness.jobs.analyses.ledger_audit.findings import findings
from kwitness.jobs.analyses.ledger_audit.schema import KEYS, TABLE_SCHEMA
from kwitness.jobs.analyses.ledger_audit.transform import combined, expired, merge, transform
from kwitness.jobs.frame.job import DisplayColumn, Inputs, Job, LatticeSink

SINK = LatticeSink(keys=KEYS, transform=transform, merge=merge, expired=expired, combined=combined)
JOB = Job(
    name="LedgerAudit",
    inputs=Inputs(
        topics=("traffic", "connections", "interceptions", "headers", "requests", "seals", "telemetry"),
        optional_topics=("traffic", "connections", "interceptions", "headers", "requests", "seals", "telemetry"),
    ),
    parameters=LedgerAuditParameters,
    schema=TABLE_SCHEMA,
    sink=SINK,
    display_columns=(
        DisplayColumn("STATE", "state"),
        DisplayColumn("KIND", "kind"),
        DisplayColumn("SOURCE", "event_source"),
        DisplayColumn("EPOCH", "event_epoch"),
        DisplayColumn("NUMBERS", "numbers"),
        DisplayColumn("FIRST", "first_seq"),
        DisplayColumn("LAST", "last_seq"),
        DisplayColumn("MISSING", "missing"),
        DisplayColumn("GAPS", "gaps", counted=True),
        DisplayColumn("DROPPED", "dropped"),
        DisplayColumn("UNSEALED", "unsealed"),
        DisplayColumn("DUPLICATES", "duplicates"),
        DisplayColumn("FIRST SEEN", "first_ms"),
        DisplayColumn("LAST SEEN", "last_ms"),
        DisplayColumn("SEALED UNTIL", "sealed_until_ms"),
    ),
    findings=findings,
)
