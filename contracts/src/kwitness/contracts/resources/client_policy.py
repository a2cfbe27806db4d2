"""What is expected of clients: part of a KafkaCluster."""

from __future__ import annotations

from pydantic import Field

from .contract_model import Contract, list_map

__all__ = ["ClientPolicy", "MinimumVersion"]


class MinimumVersion(Contract):
    """The least version of a client software that is welcome."""

    client_software_name: str = Field(
        description="Name as clients announce it, such as apache-kafka-java. librdkafka means the librdkafka inside "
        "its bindings too.",
        min_length=1,
        max_length=128,
        pattern=r"^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$",
    )
    version: str = Field(
        description="The least version, numbers with dots between them, such as 3.7.0. Of a binding it is the "
        "binding's own. Pre-releases of it are below it.",
        min_length=1,
        max_length=32,
        pattern=r"^[0-9]{1,6}(\.[0-9]{1,6}){0,4}$",
    )


class ClientPolicy(Contract):
    """What is expected of clients; nothing is kept from connecting."""

    minimum_versions: tuple[MinimumVersion, ...] = Field(
        (),
        description="Least versions of client software. Connected clients below are named by the warning "
        "ClientsBelowMinimum and counted in kwitness_clients_below_minimum_version.",
        max_length=64,
        json_schema_extra=list_map("clientSoftwareName"),
    )
