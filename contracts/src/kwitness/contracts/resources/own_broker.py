"""Observers beside brokers, in the brokers' own pods: where clients come in, and where the broker listens itself."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import ConfigDict, Field

from kwitness.contracts.dns_label import DnsLabel

from .contract_model import Contract, Rule, rules
from .label_selector import LabelSelector

__all__ = ["BrokerTls", "InboundRedirect", "OwnBroker", "PodVolume"]

_LOOPBACK_PORT: Final = 19092

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


class InboundRedirect(Contract):
    """Connections from outside of the broker's pod to the listener's port are redirected to the observer.

    The brokers' configuration stays as it is. The listener speaks plaintext. Only pods of namespaces whose Pod Security
    level is privileged get such an observer.
    """


class OwnBroker(Contract):
    """Observers in the brokers' own pods; clients keep their addresses."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                f"has(self.redirect) || self.port != (has(self.loopbackPort) ? self.loopbackPort : {_LOOPBACK_PORT})",
                "loopbackPort must not be port, where the observer listens: give the brokers' listener another one",
                field_path=".loopbackPort",
            ),
            Rule(
                "(has(self.selector.matchLabels) && size(self.selector.matchLabels) > 0) || "
                "(has(self.selector.matchExpressions) && size(self.selector.matchExpressions) > 0)",
                "selector must name labels of the brokers' pods: an empty one selects every pod",
                field_path=".selector",
            ),
            Rule(
                "!has(self.redirect) || !has(self.loopbackPort)",
                "redirect leaves the brokers' listener where it is, loopbackPort says where it was moved: remove one "
                "of them",
                field_path=".redirect",
            ),
            Rule(
                "!has(self.redirect) || !has(self.tls)",
                "redirect is for listeners in plaintext: remove tls, or move the listener to loopbackPort in place of "
                "redirect",
                field_path=".redirect",
            ),
        )
    )
    selector: LabelSelector = Field(description="The brokers' pods, of this resource's namespace; not empty.")
    port: int = Field(
        9092,
        description="The port in the brokers' advertised.listeners, where the observer listens in their place. With "
        "redirect: the one in their listeners, where they listen themselves.",
        ge=1024,
        le=65_535,
    )
    loopback_port: int | None = Field(
        None,
        description="The port in the brokers' listeners, which are at 127.0.0.1 and speak plaintext there. Absent: "
        f"{_LOOPBACK_PORT}, or none with redirect. It must not be port.",
        ge=1,
        le=65_535,
    )
    tls: BrokerTls | None = Field(
        None, description="TLS of clients, which the observer ends. Absent: they speak plaintext to it."
    )
    redirect: InboundRedirect | None = Field(
        None,
        description="Redirects connections from outside of the broker's pod to the observer, and leaves the brokers' "
        "listener where it is. For namespaces whose Pod Security level is privileged. Absent: the listener was moved. "
        "Not together with loopbackPort or tls.",
    )

    @property
    def own_port(self) -> int:
        """Where the broker listens itself."""
        return self.port if self.redirect is not None else self.loopback_port or _LOOPBACK_PORT
