"""Settings of each type of AnalyticsJob that this version runs; only those of the job's own type may be given."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import ConfigDict, Field, field_validator

from kwitness.contracts.interceptors import MAX_ATTRIBUTE_KEYS, AttributeName
from kwitness.contracts.spelling import enum_value

from .connection import CLIENT_CONNECTION_RULES, Authentication, ClientTls
from .contract_model import Contract, Rule, list_set, rules
from .durations import duration_field
from .objectives import LatencyObjective, objectives_field, with_names_of_their_own
from .references import AnalyticsJobRef, ClusterRef, RateCardConfigMapRef
from .time_zones import time_zone_field

__all__ = [
    "PARAMETER_RULE",
    "CostAttributionParameters",
    "CostGroup",
    "MirrorAuditParameters",
    "Parameters",
    "TrafficClientColumn",
]

MetricPrefix = Annotated[
    str,
    Field(
        description="How names of metrics begin.", min_length=1, max_length=255, pattern=r"^[A-Za-z][A-Za-z0-9_./-]*$"
    ),
]
TopicName = Annotated[
    str, Field(description="Name of a topic.", min_length=1, max_length=249, pattern=r"^[A-Za-z0-9._-]+$")
]


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


class Keep(Contract):
    """How long windows stay in the table, by their length; all stay for two days longer than `retention` at least."""

    windows: str = duration_field(
        "720h",
        "Windows that are shorter than an hour, where longer ones are made of them.",
        minimum="24h",
        maximum="87600h",
    )
    hours: str = duration_field(
        "9600h", "Windows from an hour to a day, where longer ones are made of them.", minimum="24h", maximum="87600h"
    )
    days: str | None = duration_field(None, "The longest windows. Absent: for ever.", minimum="24h", maximum="87600h")


def _keep() -> Any:
    return Field(default_factory=Keep, description="How long windows stay in the table, by their length.")


class ClientInventoryParameters(Contract):
    """Every client that pushed and every software version seen connected."""

    forget_after: str = duration_field(
        "8760h", "How long a client stays in the table after it was last seen.", minimum="1h", maximum="87600h"
    )


TrafficClientColumn = Literal["client_address", "group_id", "listener"]
"""Columns of Traffic that rows are told apart by where a job names them."""


class TrafficParameters(Contract):
    """Records and bytes by topic and client."""

    topics: tuple[TopicName, ...] = _topics("Topics to count. Absent: all.")
    client_columns: tuple[Annotated[TrafficClientColumn, Field(description="A column of the table.")], ...] = Field(
        (),
        description="Columns that tell clients apart beside principal, client id, software, namespace and workload: a "
        "row for each address, consumer group or listener of a client. Windows that were computed before stay as they "
        "are.",
        max_length=3,
        json_schema_extra=list_set(),
    )
    retention: str = _retention()
    keep: Keep = _keep()
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
    keep: Keep = _keep()
    grace: str = _grace()

    # Of a resource the API server sees to it.
    _has_names = field_validator("objectives")(with_names_of_their_own)


class EndToEndLatencyParameters(Contract):
    """How long records take to the applications that read them."""

    topics: tuple[TopicName, ...] = _topics("Topics to measure. Absent: all.")
    attributes: tuple[Annotated[AttributeName, Field(description="Name of an attribute.")], ...] = Field(
        (),
        description="Attributes (spec.attributes of InterceptorProfiles) that the column attributes has: a row for "
        "each set of their values. What was read before has none.",
        max_length=MAX_ATTRIBUTE_KEYS,
        json_schema_extra=list_set(),
    )
    over: str = duration_field("1h", "How far back findings look.", minimum="1m", maximum="168h")
    warn_above: str | None = duration_field(
        None,
        "SlowDelivery is found where more than 1 % of the records took longer. Absent: it is not looked for.",
        minimum="1ms",
        maximum="24h",
    )
    retention: str = _retention()
    keep: Keep = _keep()
    grace: str = _grace()


class CompletenessParameters(Contract):
    """Whether records that were sent are in the log, and were handed to each group."""

    topics: tuple[TopicName, ...] = _topics("Topics to look at. Absent: all but the platform's own.")
    grace: str = duration_field(
        "10m",
        "How late a record of the platform may be. Nothing is judged before twice that time has passed.",
        minimum="1s",
        maximum="24h",
    )


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
    keep: Keep = _keep()
    grace: str = duration_field("10m", "How long a window waits for pushes.", minimum="1s", maximum="24h")


class LedgerAuditParameters(Contract):
    """Whether the platform's own books close."""

    grace: str = duration_field("10m", "How late a seal may be.", minimum="1s", maximum="168h")


CostGroup = Literal["principal", "Team", "Topic", "k8s_namespace", "client_id", "k8s_workload", "Header"]


class CostAttributionParameters(Contract):
    """What clients and topics cost, by whom and what."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "('Header' in self.groupBy) == has(self.header)",
                "header goes with groupBy Header, and only with it",
                field_path=".header",
            ),
            Rule(
                "('Header' in self.groupBy) == has(self.headerDriftJobRef)",
                "headerDriftJobRef goes with groupBy Header, and only with it",
                field_path=".headerDriftJobRef",
            ),
        )
    )
    traffic_job_ref: AnalyticsJobRef = Field(
        description="The AnalyticsJob of type Traffic, of the same cluster, whose table says what was sent."
    )
    header_drift_job_ref: AnalyticsJobRef | None = Field(
        None,
        description="The AnalyticsJob of type HeaderDrift, of the same cluster, whose table says which values the "
        "header had. With groupBy Header, and only with it.",
    )
    rate_card_config_map_ref: RateCardConfigMapRef = Field(
        description="ConfigMap that says what traffic and storage cost."
    )
    group_by: tuple[Annotated[CostGroup, Field(description="What rows are told apart by.")], ...] = Field(
        ("principal", "Topic"),
        description="What has a row each: identity keys, Topic, Team (as spec.owners of the KafkaCluster says) and "
        "Header.",
        min_length=1,
        max_length=7,
        json_schema_extra=list_set(),
    )
    header: str | None = Field(
        None,
        description="Key of the record header whose values are told apart, such as charge.tag. With groupBy Header, "
        "and only with it.",
        min_length=1,
        max_length=128,
    )
    time_zone: str = time_zone_field(
        "Where months and days begin: a name of the IANA time zone database, such as Europe/Berlin."
    )


class MirrorTarget(Contract):
    """The cluster of the mirror, with a credential of its own."""

    model_config = ConfigDict(json_schema_extra=rules(*CLIENT_CONNECTION_RULES))
    cluster_ref: ClusterRef = Field(description="The KafkaCluster of the mirror; its platform's topics are read.")
    authentication: Authentication = Field(
        default_factory=Authentication,
        description="Who driver and executors are towards that cluster. They need to read the platform's topics there.",
    )
    tls: ClientTls = Field(default_factory=ClientTls, description="The job's certificates towards that cluster.")


class MirroredTopics(Contract):
    """Which topics are mirrored, and what they are called there: the source's prefix gives way to the mirror's."""

    names: tuple[TopicName, ...] = _topics("Topics to compare, as the source calls them. Absent: all with the prefix.")
    source_prefix: str = Field(
        "", description="What mirrored topics begin with at the source.", max_length=100, pattern=r"^[A-Za-z0-9._-]*$"
    )
    mirror_prefix: str = Field(
        "",
        description="What they begin with at the mirror instead, such as eu. where MirrorMaker adds the source's name.",
        max_length=100,
        pattern=r"^[A-Za-z0-9._-]*$",
    )


class MirrorAuditParameters(Contract):
    """Whether a mirror holds what its source holds."""

    target: MirrorTarget = Field(description="The cluster of the mirror.")
    topics: MirroredTopics = Field(
        default_factory=MirroredTopics, description="Which topics are mirrored, and what they are called there."
    )
    tolerance: str = duration_field(
        "5m", "How late a record may be at the mirror before it is missing.", minimum="1s", maximum="168h"
    )


class UpgradeImpactParameters(Contract):
    """Who uses what brokers of a later release of Kafka no longer answer."""

    target: str = Field(
        description="Release of Kafka that the brokers are to have, such as 4.1. The status names those that this "
        "version knows, if it does not know this one (reason Unsupported).",
        max_length=8,
        pattern=r"^[0-9]{1,3}\.[0-9]{1,3}$",
    )
    used_within: str = duration_field(
        "720h", "How long ago a client may have been seen last to count.", minimum="1h", maximum="8760h"
    )


class HeaderDriftParameters(Contract):
    """Which header keys are in use, and how that differs from the registers."""

    retention: str = _retention()
    keep: Keep = _keep()
    grace: str = _grace()
    reported_for: str = duration_field(
        "168h", "How long a finding stays after its last header.", minimum="1h", maximum="8760h"
    )


class Parameters(Contract):
    """Settings by type."""

    client_inventory: ClientInventoryParameters | None = Field(None, description="Settings of ClientInventory.")
    traffic: TrafficParameters | None = Field(None, description="Settings of Traffic.")
    unused_topics: UnusedTopicsParameters | None = Field(None, description="Settings of UnusedTopics.")
    latency_slo: LatencySloParameters | None = Field(None, description="Settings of LatencySlo; it cannot do without.")
    end_to_end_latency: EndToEndLatencyParameters | None = Field(None, description="Settings of EndToEndLatency.")
    completeness: CompletenessParameters | None = Field(None, description="Settings of Completeness.")
    telemetry_rollup: TelemetryRollupParameters | None = Field(None, description="Settings of TelemetryRollup.")
    ledger_audit: LedgerAuditParameters | None = Field(None, description="Settings of LedgerAudit.")
    mirror_audit: MirrorAuditParameters | None = Field(
        None, description="Settings of MirrorAudit; it cannot do without."
    )
    cost_attribution: CostAttributionParameters | None = Field(
        None, description="Settings of CostAttribution; it cannot do without."
    )
    upgrade_impact: UpgradeImpactParameters | None = Field(
        None, description="Settings of UpgradeImpact; it cannot do without."
    )
    header_drift: HeaderDriftParameters | None = Field(None, description="Settings of HeaderDrift.")


_MODELS: dict[str, type[Contract]] = {
    str(field.alias): next(one for one in get_args(field.annotation) if one is not type(None))
    for field in Parameters.model_fields.values()
}
_REQUIRED = tuple(
    name for name, model in _MODELS.items() if any(field.is_required() for field in model.model_fields.values())
)

PARAMETER_RULE = Rule(
    " && ".join(
        f"has(self.parameters.{name}) == (self.type == '{enum_value(name)}')"
        if name in _REQUIRED
        else f"(!has(self.parameters.{name}) || self.type == '{enum_value(name)}')"
        for name in _MODELS
    ),
    "parameters must be those of the type",
    field_path=".parameters",
    detail=f"'type ' + self.type + (self.type in {[enum_value(name) for name in _REQUIRED]} ? ' needs' : ' takes') + "
    "' parameters.' + self.type.substring(0, 1).lowerAscii() + self.type.substring(1) + ' and no other'",
)
"""Settings of a type go with it and with nothing else; a type that cannot do without some has them."""
