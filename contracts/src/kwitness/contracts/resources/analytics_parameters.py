"""Settings of each type of AnalyticsJob that this version runs; only those of the job's own type may be given."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, field_validator

from kwitness.contracts.spelling import enum_value

from .contract_model import Contract, Rule, list_set
from .durations import duration_field
from .objectives import LatencyObjective, objectives_field, with_names_of_their_own

__all__ = ["PARAMETER_RULES", "REQUIRED_PARAMETER_RULES", "Parameters"]

TopicName = Annotated[str, Field(min_length=1, max_length=249, pattern=r"^[A-Za-z0-9._-]+$")]


def _topics(description: str) -> tuple[str, ...]:
    field: tuple[str, ...] = Field((), description=description, max_length=1000, json_schema_extra=list_set())
    return field


def _retention() -> Any:
    return duration_field(
        "168h",
        "How long what windows are computed from is kept; a window of older records is not corrected any more.",
        minimum="1h",
        maximum="8760h",
    )


def _grace() -> Any:
    return duration_field(
        "10m", "How long a window waits for sources that have not sealed it.", minimum="1s", maximum="24h"
    )


class ClientInventoryParameters(Contract):
    """Every client that pushed and every software version seen connected."""

    forget_after: str = duration_field(
        "8760h", "How long a client stays in the table after it was last seen.", minimum="1h", maximum="87600h"
    )


class TrafficParameters(Contract):
    """Records and bytes by topic and client."""

    topics: tuple[TopicName, ...] = _topics("Topics to count. Absent: all.")
    retention: str = _retention()
    grace: str = _grace()


class UnusedTopicsParameters(Contract):
    """Topics that nobody reads or writes."""

    unused_for: str = duration_field("720h", "How long a topic must have seen nothing.", minimum="1h", maximum="87600h")
    ignore: tuple[TopicName, ...] = _topics("Topics never reported.")


class LatencySloParameters(Contract):
    """How much of the time answers may take too long."""

    objectives: tuple[LatencyObjective, ...] = objectives_field()
    period: str = duration_field(
        "720h",
        "The time that a budget of bad answers is for. BurnsFast is found where an hour uses 2 % of it, BurnsSlow "
        "where three days use 10 %.",
        minimum="72h",
        maximum="2160h",
    )
    retention: str = _retention()
    grace: str = _grace()

    # Of a resource the API server sees to it.
    _has_names = field_validator("objectives")(with_names_of_their_own)


class EndToEndLatencyParameters(Contract):
    """How long records take to the applications that read them."""

    topics: tuple[TopicName, ...] = _topics("Topics to measure. Absent: all.")
    over: str = duration_field("1h", "How far back findings look.", minimum="1m", maximum="168h")
    warn_above: str | None = duration_field(
        None,
        "SlowDelivery is found where more than 1 % of the records took longer. Absent: it is not looked for.",
        minimum="1ms",
        maximum="24h",
    )
    retention: str = _retention()
    grace: str = _grace()


class LedgerAuditParameters(Contract):
    """Whether the platform's own books close."""

    grace: str = duration_field("10m", "How late a seal may be.", minimum="1s", maximum="168h")


class Parameters(Contract):
    """Settings by type."""

    client_inventory: ClientInventoryParameters | None = Field(None, description="Settings of ClientInventory.")
    traffic: TrafficParameters | None = Field(None, description="Settings of Traffic.")
    unused_topics: UnusedTopicsParameters | None = Field(None, description="Settings of UnusedTopics.")
    latency_slo: LatencySloParameters | None = Field(None, description="Settings of LatencySlo; it cannot do without.")
    end_to_end_latency: EndToEndLatencyParameters | None = Field(None, description="Settings of EndToEndLatency.")
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

REQUIRED_PARAMETER_RULES = (
    Rule(
        "self.type != 'LatencySlo' || (has(self.parameters) && has(self.parameters.latencySlo))",
        "parameters.latencySlo must be given for type LatencySlo: it has the objectives",
        field_path=".parameters",
    ),
)
"""Of types that have no use without settings."""
