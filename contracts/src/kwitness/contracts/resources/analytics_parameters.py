"""Settings of Each type of AnalyticsJob; only those of the job's own type may be given."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kwitness.contracts.spelling import enum_value

from .contract_model import Contract, Rule, list_set
from .durations import duration_field

__all__ = ["PARAMETER_RULES", "Parameters"]

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


class CompletenessParameters(Contract):
    """Whether everything produced was consumed."""

    topics: tuple[TopicName, ...] = _topics("Topics to check. Absent: all.")
    grace: str = duration_field("1h", "How late a consumer may be.", minimum="1s", maximum="720h")


class MirrorAuditParameters(Contract):
    """Whether a mirror holds what its source holds."""

    topics: tuple[TopicName, ...] = _topics("Topics to compare. Absent: all that exist on both sides.")
    target_cluster: str | None = Field(
        None, description="KafkaCluster, in the same namespace, that holds the mirror.", min_length=1, max_length=63
    )
    target_prefix: str | None = Field(
        None, description="What the mirror puts before a topic's name.", min_length=1, max_length=249
    )


class LatencySloParameters(Contract):
    """Whether requests are answered in time."""

    objective: str = duration_field(
        "1s", "The time within which a request must be answered.", minimum="1ms", maximum="10m"
    )
    target_percent_hundredths: int = Field(
        9900, description="Share of requests that must meet the objective, in hundredths of a percent.", ge=1, le=10_000
    )


class CostAttributionParameters(Contract):
    """What each client costs."""

    group_by: Literal["principal", "clientId", "applicationId", "namespace"] = Field(
        "principal", description="Who pays."
    )


class UpgradeImpactParameters(Contract):
    """Which clients an upgrade of the brokers would break."""

    target_version: str | None = Field(
        None,
        description="Broker version to upgrade to, such as 4.3.1.",
        max_length=16,
        pattern=r"^[0-9]+\.[0-9]+(\.[0-9]+)?$",
    )


class EndToEndLatencyParameters(Contract):
    """Time from produce to consume."""

    topics: tuple[TopicName, ...] = _topics("Topics to measure. Absent: all.")


class TelemetryRollupParameters(Contract):
    """Client metrics over longer times."""

    keep: str = duration_field("8760h", "How long rolled up rows are kept.", minimum="1h", maximum="87600h")


class HeaderDriftParameters(Contract):
    """Header keys that the register does not know."""

    registry: str | None = Field(
        None, description="HeaderRegistry, in the same namespace, to compare with.", min_length=1, max_length=253
    )


class LedgerAuditParameters(Contract):
    """Whether the platform's own books close."""

    grace: str = duration_field("10m", "How late a seal may be.", minimum="1s", maximum="168h")


class Parameters(Contract):
    """Settings by type."""

    client_inventory: ClientInventoryParameters | None = Field(None, description="Settings of ClientInventory.")
    traffic: TrafficParameters | None = Field(None, description="Settings of Traffic.")
    unused_topics: UnusedTopicsParameters | None = Field(None, description="Settings of UnusedTopics.")
    completeness: CompletenessParameters | None = Field(None, description="Settings of Completeness.")
    mirror_audit: MirrorAuditParameters | None = Field(None, description="Settings of MirrorAudit.")
    latency_slo: LatencySloParameters | None = Field(None, description="Settings of LatencySlo.")
    cost_attribution: CostAttributionParameters | None = Field(None, description="Settings of CostAttribution.")
    upgrade_impact: UpgradeImpactParameters | None = Field(None, description="Settings of UpgradeImpact.")
    end_to_end_latency: EndToEndLatencyParameters | None = Field(None, description="Settings of EndToEndLatency.")
    telemetry_rollup: TelemetryRollupParameters | None = Field(None, description="Settings of TelemetryRollup.")
    header_drift: HeaderDriftParameters | None = Field(None, description="Settings of HeaderDrift.")
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
