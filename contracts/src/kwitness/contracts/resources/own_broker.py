"""What an ObserverDeployment in mode Broker says of the brokers in whose pods its observers stand."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from kwitness.contracts.dns_label import DnsLabel

from .contract_model import Contract, Rule, rules

__all__ = ["BrokerTls", "OwnBroker", "PodVolume"]

VolumeFile = Annotated[
    str,
    Field(min_length=1, max_length=253, pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$"),
]


class PodVolume(Contract):
    """Files of a volume that the brokers' pods have already; it is mounted into the observer, read-only."""

    volume: DnsLabel = Field(description="Name of the volume in the pod.")
    certificate: VolumeFile = Field(
        "tls.crt", description="The certificate and those that it is signed by, PEM: path within the volume."
    )
    key: VolumeFile = Field("tls.key", description="Its private key, PEM: path within the volume.")


class BrokerTls(Contract):
    """TLS of clients, which the observer ends with the broker's own certificate."""

    from_pod_volume: PodVolume = Field(
        description="Where the certificate is. A change of the files acts without a restart."
    )


class OwnBroker(Contract):
    """The broker in the observer's pod: where its clients come in, and where it listens itself."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "self.port != self.loopbackPort",
                "loopbackPort must not be port, where the observer listens: give the brokers' listener another one",
                field_path=".loopbackPort",
            )
        )
    )
    port: int = Field(
        9092,
        description="The port in the brokers' advertised.listeners, where the observer listens in their place.",
        ge=1024,
        le=65_535,
    )
    loopback_port: int = Field(
        19092,
        description="The port in the brokers' listeners, which are at 127.0.0.1 and speak plaintext there.",
        ge=1,
        le=65_535,
    )
    tls: BrokerTls | None = Field(
        None, description="TLS of clients, which the observer ends. Absent: they speak plaintext to it."
    )
