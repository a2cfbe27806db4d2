"""What is left out of telemetry, and what becomes of who sent it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.identity import IDENTITY_KEYS, IdentityKey, InterceptedKey, ObservedKey

from .contract_model import Contract, Rule, list_map, list_set, rules

__all__ = [
    "AttributeFilter",
    "InterceptedIdentities",
    "InterceptedIdentity",
    "MetricFilter",
    "ObservedIdentities",
    "ObservedIdentity",
    "TelemetryFilter",
    "TelemetryIdentities",
    "TelemetryIdentity",
    "Treatment",
    "treated",
]

_Prefix = Annotated[
    str,
    Field(
        min_length=1, max_length=255, pattern=r"^[^\s]+$", description="Beginning of names, such as org.apache.kafka."
    ),
]
_AttributeName = Annotated[str, Field(min_length=1, max_length=255, description="The whole name of an attribute.")]

Treatment = Literal["Keep", "Hash", "Drop"]

_AT_THE_SOURCE: Final = (
    "Keep: its values stay as they are, as without an entry. Hash: each is replaced by the hash that telemetry has by "
    "the same key, of the Secret kwitness-identity-key in the pod's namespace; without the Secret they are left out, "
    "and IdentityTreated says so. Drop: they are left out."
)


class _SourceIdentity(Contract):
    key: str
    treatment: Treatment = Field(description=_AT_THE_SOURCE)


class ObservedIdentity(_SourceIdentity):
    """An identity key, and what happens to it before it leaves an observer."""

    key: ObservedKey = Field(description="The key, spelled as in labels of metrics.")


class InterceptedIdentity(_SourceIdentity):
    """An identity key, and what happens to it before it leaves the process of an application."""

    key: InterceptedKey = Field(description="The key, spelled as in labels of metrics.")


class TelemetryIdentity(Contract):
    """An identity key, and what happens to it before telemetry is written anywhere.

    Cluster, broker, listener and software belong to no user, and state and risks are kept by them: they stay.
    """

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "self.key != 'client_source_port' || self.treatment != 'Hash'",
                "client_source_port cannot be hashed: use Keep or Drop",
                field_path=".treatment",
            )
        )
    )
    key: Literal[
        "principal",
        "client_id",
        "client_instance_id",
        "client_address",
        "client_source_port",
        "client_rack",
        "group_id",
        "group_instance_id",
        "group_member_id",
        "transactional_id",
        "application_id",
        "k8s_namespace",
        "k8s_workload",
        "k8s_pod",
    ] = Field(
        description="The key, spelled as in prometheus.labels. client_id is also the service's name of plain OTLP. If "
        "client_instance_id is dropped, a client's records still have one key, made with the Secret's."
    )
    treatment: Treatment = Field(
        description="Keep: its values stay as they are, as without an entry. Hash: each is replaced by "
        "its hash; client_source_port cannot be hashed. Drop: they are left out."
    )


InterceptedIdentities = Annotated[
    tuple[InterceptedIdentity, ...], Field(max_length=4, json_schema_extra=list_map("key"))
]
ObservedIdentities = Annotated[tuple[ObservedIdentity, ...], Field(max_length=7, json_schema_extra=list_map("key"))]
TelemetryIdentities = Annotated[tuple[TelemetryIdentity, ...], Field(max_length=14, json_schema_extra=list_map("key"))]


def treated(
    identity: Iterable[InterceptedIdentity | ObservedIdentity | TelemetryIdentity],
) -> dict[IdentityKey, Treatment]:
    """Return the treatment of each key that is not kept, in the order of `IDENTITY_KEYS`."""
    treatments: dict[IdentityKey, Treatment] = {entry.key: entry.treatment for entry in identity}
    return {key: treatments[key] for key in IDENTITY_KEYS if treatments.get(key, "Keep") != "Keep"}


class MetricFilter(Contract):
    """Which metrics pass, by prefixes of their names as clients send them."""

    allow: tuple[_Prefix, ...] = Field(
        (),
        description="Only metrics whose names begin with one of these pass, such as org.apache.kafka.producer. ones. "
        "Empty: all.",
        max_length=64,
        json_schema_extra=list_set(),
    )
    deny: tuple[_Prefix, ...] = Field(
        (),
        description="Metrics whose names begin with one of these do not pass, allowed or not.",
        max_length=64,
        json_schema_extra=list_set(),
    )


class AttributeFilter(Contract):
    """Which attributes do not pass."""

    drop: tuple[_AttributeName, ...] = Field(
        (),
        description="Names of attributes that are removed, of resources, scopes, data points and exemplars, as clients "
        "send them. Points of a metric that are the same without them are added up; of gauges the first stays.",
        max_length=64,
        json_schema_extra=list_set(),
    )


class TelemetryFilter(Contract):
    """What is left out of pushes before they are written anywhere."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "(has(self.metrics) && ((has(self.metrics.allow) && size(self.metrics.allow) > 0) || "
                "(has(self.metrics.deny) && size(self.metrics.deny) > 0))) || (has(self.attributes) && "
                "has(self.attributes.drop) && size(self.attributes.drop) > 0)",
                "filters nothing: name prefixes in metrics.allow or metrics.deny, or names in attributes.drop, or "
                "remove it",
            )
        )
    )
    metrics: MetricFilter = Field(default_factory=MetricFilter, description="Metrics.")
    attributes: AttributeFilter = Field(default_factory=AttributeFilter, description="Attributes.")
