"""One analysis of an AnalyticsJob: what is computed, when, and into which Delta table."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import ConfigDict, Field

from .analytics_parameters import PARAMETER_RULE, Parameters
from .analytics_run import Run
from .contract_model import Contract, Rule, rules
from .durations import duration_field

__all__ = ["BATCH_JOB_TYPES", "JOB_TYPES", "Analysis", "AnalyticsJobType"]

AnalyticsJobType = Literal[
    "ClientInventory",
    "Traffic",
    "UnusedTopics",
    "Completeness",
    "MirrorAudit",
    "LatencySlo",
    "CostAttribution",
    "UpgradeImpact",
    "EndToEndLatency",
    "TelemetryRollup",
    "HeaderDrift",
    "LedgerAudit",
]

JOB_TYPES: tuple[AnalyticsJobType, ...] = get_args(AnalyticsJobType)
"""All of them."""

BATCH_JOB_TYPES: tuple[AnalyticsJobType, ...] = ("MirrorAudit",)
"""Those that run once or at times of the clock alone."""


class Analysis(Contract):
    """One analysis: what is computed, when, and into which table."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            PARAMETER_RULE,
            Rule(
                f"!(self.type in {list(BATCH_JOB_TYPES)}) || !has(self.run.streaming)",
                f"{', '.join(BATCH_JOB_TYPES)} cannot stream: use schedule or once",
                field_path=".run.streaming",
            ),
        )
    )
    type: AnalyticsJobType = Field(
        description="What is computed. It cannot be changed: make another AnalyticsJob.",
        json_schema_extra=rules(Rule("self == oldSelf", "cannot be changed: make another AnalyticsJob")),
    )
    table: str = Field(
        description="Name of the Delta table, such as clients, under the namespace's folder of the installation's "
        "root. One AnalyticsJob of the namespace writes it. It cannot be changed: make another AnalyticsJob.",
        min_length=1,
        max_length=63,
        pattern=r"^[a-z][a-z0-9_]*$",
    )
    run: Run = Field(
        description="When it runs: exactly one of streaming, schedule and once. "
        f"{', '.join(BATCH_JOB_TYPES)} cannot stream."
    )
    window: str = duration_field("5m", "Length of the windows of windowed types.", minimum="1s", maximum="168h")
    parameters: Parameters = Field(
        default_factory=Parameters,
        description="Settings of the type: its own block, such as traffic for Traffic, and no other.",
    )
