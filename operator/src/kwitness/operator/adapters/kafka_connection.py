"""How to reach one Kafka cluster, credentials included; and to whom those credentials may be shown."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field

from kwitness.contracts.allowed_hosts import CredentialHosts
from kwitness.contracts.denied_addresses import DeniedAddresses
from kwitness.contracts.sasl import SaslMechanism
from kwitness.operator.adapters.trusted_authorities import NoCertificateError, trusting
from kwitness.operator.model.errors import TransientError
from kwitness.runtime.memory_files import in_memory

__all__ = ["KafkaConnection", "SaslLogin", "TlsMaterial", "split_address"]


@dataclass(frozen=True, slots=True)
class SaslLogin:
    """A user name and password for SASL; neither appears in ``repr``."""

    mechanism: SaslMechanism
    username: str = field(repr=False)
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class TlsMaterial:
    """PEM texts; ``ca_certificates`` None: the system's. ``certificate`` and ``key`` come together or not at all."""

    ca_certificates: str | None = field(default=None, repr=False)
    certificate: str | None = field(default=None, repr=False)
    key: str | None = field(default=None, repr=False)

    def context(self) -> ssl.SSLContext:
        """Build the client's side of TLS 1.2 or newer.

        Raises
        ------
        TransientError
            Reason TlsFailed, when a PEM text is not one or key and certificate do not belong together; nobody watches
            Secrets, so it is looked at again.
        """
        try:
            context = trusting(self.ca_certificates)
        except NoCertificateError as error:
            raise TransientError(
                "TlsFailed", "ca.crt of spec.tls.caSecretRef holds no PEM certificate: put the authority's there"
            ) from error
        if self.certificate is not None and self.key is not None:
            try:
                with in_memory(self.certificate) as certificate, in_memory(self.key) as key:
                    context.load_cert_chain(certificate, key)
            except ssl.SSLError as error:
                raise TransientError(
                    "TlsFailed",
                    "tls.crt and tls.key of spec.tls.clientCertificateSecretRef are no PEM certificate with its key",
                ) from error
        return context


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaConnection:
    """Everything needed to connect as the operator.

    ``allowed_hosts`` has an entry for each Secret whose credential is sent; none where there is no credential to
    protect. Addresses that are ``denied`` are not dialed. ``cluster_id`` is the cluster that the addresses must lead
    to; None where that is to be found out.
    """

    bootstrap_servers: tuple[str, ...]
    client_id: str
    tls: TlsMaterial | None = None
    login: SaslLogin | None = None
    allowed_hosts: tuple[CredentialHosts, ...] = ()
    denied: DeniedAddresses = field(default_factory=DeniedAddresses)
    cluster_id: str | None = None

    @property
    def security_protocol(self) -> str:
        """Kafka's word for the combination of TLS and SASL."""
        return ("SASL_" if self.login else "") + ("SSL" if self.tls else "PLAINTEXT")

    def may_reach(self, address: str) -> bool:
        """Whether every credential of this connection may be sent to ``host:port``."""
        return all(hosts.allows(address) for hosts in self.allowed_hosts)


def split_address(address: str) -> tuple[str, int]:
    """Split ``host:port`` or ``[v6]:port``."""
    host, _, port = address.rpartition(":")
    return host.removeprefix("[").removesuffix("]"), int(port)
