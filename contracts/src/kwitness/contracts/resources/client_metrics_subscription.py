"""ClientMetricsSubscription: which clients push which metrics, how often.

It affects every client of the Kafka cluster that it matches, so permission to create one is for administrators.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from .contract_model import Contract, Rule, list_map, list_set, rules
from .durations import duration_field
from .meta import API_VERSION, ObjectMeta, Status
from .patterns import PATTERN_CHARACTERS, PATTERN_RULES
from .references import ClusterRef
from .risk import RiskPolicy, risk_window_field
from .standstill import suspend_field
from .status_warning import StatusWarning
from .times import time_field

__all__ = [
    "AtRiskClient",
    "ClientCounts",
    "ClientMetricsSubscription",
    "ClientMetricsSubscriptionSpec",
    "ClientMetricsSubscriptionStatus",
    "Match",
    "SilentClient",
    "SilentSoftware",
]

MetricPrefix = Annotated[
    str,
    Field(
        description="A prefix of metric names, such as org.apache.kafka.producer., or * alone for all.",
        min_length=1,
        max_length=255,
        pattern=r"^(\*|[A-Za-z0-9._-]+)$",
    ),
]
Selector = Literal[
    "clientId",
    "clientInstanceId",
    "clientSoftwareName",
    "clientSoftwareVersion",
    "clientSourceAddress",
    "clientSourcePort",
]


class Match(Contract):
    """One property of a client and the pattern that the whole of it must match."""

    selector: Selector = Field(
        description="The property. clientSourceAddress is the address as the broker sees the connection, a proxy's "
        "behind a proxy. clientSourcePort exists only while one connection lives."
    )
    pattern: str = Field(
        description="Regular expression that the whole value must match, in the part of RE2 syntax that the broker "
        "reads alike; a client that does not have the property never matches.",
        min_length=1,
        max_length=256,
        pattern=PATTERN_CHARACTERS,
        json_schema_extra=rules(*PATTERN_RULES),
    )


class ClientMetricsSubscriptionSpec(Contract):
    """Which clients push which metrics, how often."""

    cluster_ref: ClusterRef = Field(description="The cluster whose clients are asked.")
    metrics: tuple[MetricPrefix, ...] = Field(
        description="Prefixes of metric names, or exactly ['*'] for all. An empty list subscribes to nothing. A client "
        "that several subscriptions match sends what any of them asks for, whoever made them.",
        max_length=256,
        json_schema_extra={
            **list_set(),
            **rules(
                Rule(
                    "!('*' in self) || size(self) == 1", "'*' means every metric: leave it alone or name prefixes only"
                )
            ),
        },
    )
    interval: str = duration_field(
        "5m",
        "How often a client pushes. One that several subscriptions match pushes all that they ask for at the shortest "
        "of their intervals: another subscription can make it push more often than this one says, never less often. "
        "Brokers of Kafka 3.7 to 4.3 use no interval longer than 5m.",
        minimum="100ms",
        maximum="1h",
    )
    match: tuple[Match, ...] = Field(
        (),
        description="Which clients: all entries must match. Without entries every client is asked.",
        max_length=6,
        json_schema_extra=list_map("selector"),
    )
    risk_policy: RiskPolicy | None = Field(
        None,
        description="What to do when connected clients would crash: hold the subscription back, or apply it anyway. "
        "Absent: what spec.riskPolicy of the KafkaCluster says. Where that is Hold, Apply does not count: the "
        "subscription is held back, and status.warnings has RiskTooLoose.",
    )
    risk_window: str | None = risk_window_field(
        None,
        "For how long a client that would crash is remembered after it was last seen. Absent: as long as "
        "spec.riskWindow of the KafkaCluster says. A shorter time than that does not count, and status.warnings has "
        "RiskTooLoose.",
    )
    expire_after: str | None = duration_field(
        None,
        "How long it is on the brokers, counted from metadata.creationTimestamp. Then it is taken off them and stays, "
        "with the reason Expired; a longer value, or none, brings it back. Absent: for ever.",
        minimum="1m",
        maximum="8760h",
    )
    suspend: bool = suspend_field("it is not on the brokers")


class ClientCounts(Contract):
    """Client instances in numbers; a number that cannot be known is absent."""

    asking: int | None = Field(None, description="Instances that asked a broker for subscriptions.", ge=0)
    connected: int | None = Field(None, description="Instances connected; known to observers only.", ge=0)
    matching: int | None = Field(None, description="Instances that match this subscription, of those that push.", ge=0)
    pushing: int | None = Field(None, description="Instances that push.", ge=0)
    silent: int | None = Field(None, description="Instances that match and do not push; known to observers only.", ge=0)
    source: Literal["Plugin", "Observer"] | None = Field(None, description="Who counted.")


class SilentSoftware(Contract):
    """A software of which no instance pushes; counted in connections, not clients."""

    client_software_name: str = Field(description="Software name, as the client says.", max_length=256)
    client_software_version: str = Field(description="Software version, as the client says.", max_length=256)
    connections: int = Field(description="Open connections.", ge=0)
    reason: Literal[
        "TooOld",
        "SubscribedNotPushing",
        "Throttled",
        "UnknownSubscription",
        "PluginError",
        "InstanceLimit",
        "NotAsking",
        "Unknown",
    ] = Field(
        description="Why it is silent, as far as that can be known. Throttled, UnknownSubscription, PluginError and "
        "InstanceLimit come from the brokers' own sensors; NotAsking: every instance that asked pushes, so telemetry "
        "is off there, or the library has none."
    )


class SilentClient(Contract):
    """A client instance that matches and does not push; known to observers only."""

    client_id: str | None = Field(None, description="Client id.", max_length=256)
    client_software_name: str | None = Field(None, description="Software name.", max_length=256)
    client_software_version: str | None = Field(None, description="Software version.", max_length=256)
    client_address: str | None = Field(None, description="Address as the observer sees it.", max_length=64)
    reason: Literal["TooOld", "SubscribedNotPushing", "Error", "Unknown"] = Field(
        description="Why it is silent, as far as that can be known."
    )


class AtRiskClient(Contract):
    """A software that this subscription would crash."""

    client_software_name: str = Field(description="Software name, as the client says.", max_length=256)
    client_software_version: str = Field(description="Software version, as the client says.", max_length=256)
    librdkafka_version: str | None = Field(None, description="The librdkafka inside it.", max_length=32)
    last_seen: str = time_field("When it was last seen, as RFC 3339 in UTC.", required=True)


class ClientMetricsSubscriptionStatus(Status):
    """What became of the subscription."""

    broker_resource: str | None = Field(
        None, description="Name of the CLIENT_METRICS configuration in the broker.", max_length=400
    )
    expires_at: str | None = time_field(
        "When it is, or was, taken off the brokers (spec.expireAfter), as RFC 3339 in UTC."
    )
    warnings: tuple[StatusWarning, ...] = Field(
        (), description="What to know about this subscription.", max_length=16, json_schema_extra=list_map("type")
    )
    clients: ClientCounts | None = Field(None, description="Client instances in numbers.")
    silent_software: tuple[SilentSoftware, ...] = Field(
        (), description="Software of which no instance pushes, the 20 with most connections.", max_length=20
    )
    silent_clients: tuple[SilentClient, ...] = Field(
        (), description="Instances that match and do not push, up to 20; from observers.", max_length=20
    )
    unsent_prefixes: tuple[Annotated[str, Field(description="One of spec.metrics.", max_length=255)], ...] = Field(
        (), description="Prefixes asked for of which no client sends a metric.", max_length=256
    )
    at_risk_clients: tuple[AtRiskClient, ...] = Field(
        (), description="Software that this subscription would crash, up to 20.", max_length=20
    )


class ClientMetricsSubscription(Contract):
    """Asks the clients of a Kafka cluster for metrics (KIP-714)."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "self.metadata.name.size() <= 200",
                "metadata.name must have at most 200 characters, since the broker's name for it is made from it",
                field_path=".metadata.name",
            )
        )
    )
    api_version: Literal["kwitness.dev/v1beta1"] = API_VERSION
    kind: Literal["ClientMetricsSubscription"] = "ClientMetricsSubscription"
    metadata: ObjectMeta
    spec: ClientMetricsSubscriptionSpec = Field(description="Which clients push which metrics, how often.")
    status: ClientMetricsSubscriptionStatus | None = Field(None, description="What became of the subscription.")
