"""What is left out of telemetry, and what becomes of who sent it."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.identity import IDENTITY_KEYS, IdentityKey

from .contract_model import Contract, Rule, list_set, rules

__all__ = ["AttributeFilter", "IdentityTreatment", "MetricFilter", "TelemetryFilter", "TelemetryIdentity"]

_CLIENT_ID: Final = "Client id."
_CLIENT_INSTANCE_ID: Final = "Client instance id."
_CLIENT_ADDRESS: Final = "Network address."
_GROUP_ID: Final = "Consumer group."
_GROUP_MEMBER_ID: Final = "Member of the consumer group."
_PRINCIPAL: Final = "The authenticated user."
_TRANSACTIONAL_ID: Final = "Transactional id."

_Prefix = Annotated[str, Field(min_length=1, max_length=255, pattern=r"^[^\s]+$")]
_AttributeName = Annotated[str, Field(min_length=1, max_length=255)]

Treatment = Literal["Keep", "Drop"]
HashingTreatment = Literal["Keep", "Hash", "Drop"]


class IdentityTreatment(Contract):
    """What happens to each identity field before it leaves the observer."""

    principal: Treatment = Field("Keep", description=_PRINCIPAL)
    client_id: Treatment = Field("Keep", description=_CLIENT_ID)
    client_instance_id: Treatment = Field("Keep", description=_CLIENT_INSTANCE_ID)
    client_address: Treatment = Field("Keep", description=_CLIENT_ADDRESS)
    group_id: Treatment = Field("Keep", description=_GROUP_ID)
    group_member_id: Treatment = Field("Keep", description=_GROUP_MEMBER_ID)
    transactional_id: Treatment = Field("Keep", description=_TRANSACTIONAL_ID)


class TelemetryIdentity(Contract):
    """What happens to each identity field of telemetry before it is written anywhere.

    Cluster, broker, listener and software are of no user, and state and risks are kept by them: they stay.
    """

    principal: HashingTreatment = Field("Keep", description=_PRINCIPAL)
    client_id: HashingTreatment = Field("Keep", description=f"{_CLIENT_ID} Of plain OTLP the service's name too.")
    client_instance_id: HashingTreatment = Field(
        "Keep",
        description=f"{_CLIENT_INSTANCE_ID} With Drop a client's records still have one key, made with the Secret's.",
    )
    client_address: HashingTreatment = Field("Keep", description=_CLIENT_ADDRESS)
    client_source_port: Literal["Keep", "Drop"] = Field("Keep", description="Port of the client's connection.")
    client_rack: HashingTreatment = Field("Keep", description="Rack.")
    group_id: HashingTreatment = Field("Keep", description=_GROUP_ID)
    group_instance_id: HashingTreatment = Field("Keep", description="Static member of the consumer group.")
    group_member_id: HashingTreatment = Field("Keep", description=_GROUP_MEMBER_ID)
    transactional_id: HashingTreatment = Field("Keep", description=_TRANSACTIONAL_ID)
    application_id: HashingTreatment = Field("Keep", description="Application of Kafka Streams.")
    k8s_namespace: HashingTreatment = Field("Keep", alias="k8sNamespace", description="Namespace of the client's pod.")
    k8s_workload: HashingTreatment = Field("Keep", alias="k8sWorkload", description="What made the client's pod.")
    k8s_pod: HashingTreatment = Field("Keep", alias="k8sPod", description="The client's pod.")

    def chosen(self) -> dict[IdentityKey, HashingTreatment]:
        """Return what is not kept, in the order of `IDENTITY_KEYS`."""
        wanted: dict[IdentityKey, HashingTreatment] = {key: getattr(self, key, "Keep") for key in IDENTITY_KEYS}
        return {key: what for key, what in wanted.items() if what != "Keep"}


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
