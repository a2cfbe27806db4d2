"""Who a client is: the keys that every signal carries, spelled the same everywhere. Unknown means absent."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

__all__ = ["DEFAULT_LABELS", "IDENTITY_KEYS", "Identity", "IdentityKey"]

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


class Identity(BaseModel):
    """What is known about one client; a key that is not known is None and absent in every serialised form."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    cluster_id: str | None = None
    broker_id: str | None = None
    listener: str | None = None
    principal: str | None = None
    client_id: str | None = None
    client_instance_id: str | None = None
    client_software_name: str | None = None
    client_software_version: str | None = None
    client_address: str | None = None
    client_source_port: int | None = None
    client_rack: str | None = None
    group_id: str | None = None
    group_instance_id: str | None = None
    group_member_id: str | None = None
    transactional_id: str | None = None
    application_id: str | None = None
    k8s_namespace: str | None = None
    k8s_workload: str | None = None
    k8s_pod: str | None = None

    def known(self) -> dict[IdentityKey, str]:
        """Return the keys that are known, as text, in the order of `IDENTITY_KEYS`."""
        return {key: str(value) for key in IDENTITY_KEYS if (value := getattr(self, key)) is not None}
