"""Settings of each type of AnalyticsJob that this version runs; only those of the job's own type may be given."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from kwitness.contracts.spelling import enum_value

from .contract_model import Contract, Rule, list_set
from .durations import duration_field

__all__ = ["PARAMETER_RULES", "Parameters"]

MetricPrefix = Annotated[str, Field(min_length=1, max_length=255, pattern=r"^[A-Za-z][A-Za-z0-9_./-]*$")]
TopicName = Annotated[str, Field(min_length=1, max_length=249, pattern=r"^[A-Za-z0-9._-]+$")]


def _topics(description: str) -> tuple[str, ...]:
    field: tuple[str, ...] = Field((), description=description, max_length=1000, json_schema_extra=list_set())
    return field


class ClientInventoryParameters(Contract):
    """Every client that pushed and every software version seen connected."""

    forget_after: str = duration_field(
        "8760h", "How long a client stays in the table after it was last seen.", minimum="1h", maximum="87600h"
    )


class TrafficParameters(Contract):
    """Records and bytes by topic and client."""

    topics: tuple[TopicName, ...] = _topics("Topics to count. Absent: all.")
    retention: str = duration_field(
        "168h",
        "How long what windows are computed from is kept; a window of older records is not corrected any more.",
        minimum="1h",
        maximum="8760h",
    )
    grace: str = duration_field(
        "10m", "How long a window waits for sources that have not sealed it.", minimum="1s", maximum="24h"
    )


class UnusedTopicsParameters(Contract):
    """Topics that nobody reads or writes."""

    unused_for: str = duration_field("720h", "How long a topic must have seen nothing.", minimum="1h", maximum="87600h")
    ignore: tuple[TopicName, ...] = _topics("Topics never reported.")


class TelemetryRollupParameters(Contract):
    """What clients report about themselves."""

    metrics: tuple[MetricPrefix, ...] = Field(
        (),
        description="How the names of metrics begin that are kept, such as org.apache.kafka.producer. Absent: all. "
        "What is not kept is not there after a change, either.",
        max_length=100,
        json_schema_extra=list_set(),
    )
    series_per_push: int = Field(
        1_000,
        description="Data points that are kept of one push; the others are counted (finding SeriesLeftOut).",
        ge=1,
        le=10_000,
    )
    retention: str = duration_field(
        "168h",
        "How long pushes are kept that windows are computed from; a window of older ones is not corrected any more.",
        minimum="1h",
        maximum="8760h",
    )
    grace: str = duration_field("10m", "How long a window waits for pushes.", minimum="1s", maximum="24h")


class LedgerAuditParameters(Contract):
    """Whether the platform's own books close."""

    grace: str = duration_field("10m", "How late a seal may be.", minimum="1s", maximum="168h")


class Parameters(Contract):
    """Settings by type."""

    client_inventory: ClientInventoryParameters | None = Field(None, description="Settings of ClientInventory.")
    traffic: TrafficParameters | None = Field(None, description="Settings of Traffic.")
    unused_topics: UnusedTopicsParameters | None = Field(None, description="Settings of UnusedTopics.")
    telemetry_rollup: TelemetryRollupParameters | None = Field(None, description="Settings of TelemetryRollup.")
    ledger_audit: LedgerAuditParameters | None = Field(None, description="Settings of LedgerAudit.")


PARAMETER_RULES = tuple(
    Rule(
        f"!has(self.parameters) || !has(self.parameters.{name}) || self.type == '{enum_value(name)}'",
        f"parameters.{name} is for type {enum_value(name)} only",
        field_path=f".parameters.{name}",
    )
    for name in (str(field.alias) for field in Parameters.model_fields.values())
)
"""One rule per type: its settings go with it and with nothing else."""
