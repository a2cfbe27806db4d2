"""Who a client is: the keys that every signal carries, spelled the same everywhere. Unknown means absent."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["DEFAULT_LABELS", "IDENTITY_KEYS", "Identity", "IdentityKey", "InterceptedKey", "ObservedKey"]

IdentityKey = Literal[
    "cluster_id",
    "broker_id",
    "listener",
    "principal",
    "client_id",
    "client_instance_id",
    "client_software_name",
    "client_software_version",
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
]

IDENTITY_KEYS: tuple[IdentityKey, ...] = get_args(IdentityKey)
"""All identity keys, in the order in which they are listed to people."""

DEFAULT_LABELS: tuple[IdentityKey, ...] = (
    "cluster_id",
    "client_id",
    "client_software_name",
    "client_software_version",
)
"""The keys that become metric labels unless a TelemetryCollector says otherwise: those that stay bounded."""


ObservedKey = Literal[
    "principal",
    "client_id",
    "client_instance_id",
    "client_address",
    "group_id",
    "group_member_id",
    "transactional_id",
]
"""An identity key that observers can hash or drop."""

InterceptedKey = Literal["client_id", "group_id", "group_instance_id", "transactional_id"]
"""An identity key that interceptors know."""


class Identity(BaseModel):
    """What is known about one client; a key that is not known is None and absent in every serialised form."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    cluster_id: str | None = Field(None, description="Cluster id.")
    broker_id: str | None = Field(None, description="Broker id.")
    listener: str | None = Field(None, description="Listener of the broker.")
    principal: str | None = Field(None, description="Authenticated principal.")
    client_id: str | None = Field(None, description="Client id.")
    client_instance_id: str | None = Field(None, description="Client instance id.")
    client_software_name: str | None = Field(None, description="Software name.")
    client_software_version: str | None = Field(None, description="Software version.")
    client_address: str | None = Field(None, description="Address that the client connects from.")
    client_source_port: int | None = Field(None, description="Port that the client connects from.")
    client_rack: str | None = Field(None, description="The client's rack.")
    group_id: str | None = Field(None, description="Consumer group.")
    group_instance_id: str | None = Field(None, description="Static member id (group.instance.id).")
    group_member_id: str | None = Field(None, description="Member id within the group.")
    transactional_id: str | None = Field(None, description="Transactional id.")
    application_id: str | None = Field(None, description="Application id of Kafka Streams.")
    k8s_namespace: str | None = Field(None, description="Namespace of the client's pod.")
    k8s_workload: str | None = Field(None, description="Name of what made the client's pod.")
    k8s_pod: str | None = Field(None, description="The client's pod.")

    def known(self) -> dict[IdentityKey, str]:
        """Return the keys that are known, as text, in the order of `IDENTITY_KEYS`."""
        return {key: str(value) for key in IDENTITY_KEYS if (value := getattr(self, key)) is not None}
