"""The way to a collector in Kubernetes: a forwarded port, TLS through it, and a reader's service account.

The API server's own proxy for Services is no way there: it keeps the `Authorization` header for itself, and checks no
certificate of what it calls. So a port is forwarded to a pod of the collector, and the certificate is checked by the
authority that the TelemetryCollector names, as the operator does.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from typing import Final, Protocol

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.access.forwarded_port import dial, forward
from kwitness.answers.access.reader_tokens import ReaderTokens
from kwitness.answers.access.serving_collector import find_collector
from kwitness.answers.failure import CommandFailedError
from kwitness.contracts.endpoints import COLLECTOR_PORT
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.runtime.child_names import collector_name

__all__ = ["KubernetesRoute", "Tokens", "route_to"]

_TIMEOUT_S: Final = 30


class Tokens(Protocol):
    """Tokens of a reader of one collector."""

    def current(self) -> str:
        """Return a token that is valid now.

        Raises
        ------
        CommandFailedError
            None can be had.
        """


class KubernetesRoute:
    """The way to the collector of a TelemetryCollector; see `CollectorRoute`.

    Parameters
    ----------
    address
        HOST:PORT where it is reached; None forwards a port to a pod.
    tokens
        Tokens to read it with; None requests them for a reader that it names.
    """

    def __init__(
        self,
        access: ClusterAccess,
        collector: TelemetryCollector,
        address: str | None = None,
        tokens: Tokens | None = None,
    ) -> None:
        self._access = access
        self._collector = collector
        self._address = address
        self._tokens = tokens or ReaderTokens(access, collector)

    @property
    def name(self) -> str:
        """Of the TelemetryCollector."""
        return self._collector.metadata.name

    def token(self) -> str:
        """A token of a reader that the TelemetryCollector names."""
        return self._tokens.current()

    def explain(self, error: Exception) -> str:
        """Name the resource to correct, or where to look."""
        if isinstance(error, ssl.SSLCertVerificationError):
            reference = self._collector.spec.ingest.tls.ca_config_map_ref
            authority = f"ConfigMap {reference.name}" if reference else "the system's CA certificates"
            return (
                f"the certificate of collector {self.name} is not accepted by {authority} "
                f"({error.verify_message}): correct spec.ingest.tls of TelemetryCollector {self.name}"
            )
        return (
            f"collector {self.name} does not answer ({error or type(error).__name__}): see its pods, "
            f"`kubectl get pods --namespace {self._collector.metadata.namespace}`, and their logs"
        )

    def connect(self) -> http.client.HTTPConnection:
        """Forward a port, or dial the address, and speak TLS where the collector does."""
        metadata = self._collector.metadata
        host = f"{collector_name(metadata.name)}.{metadata.namespace}.svc"
        connection = http.client.HTTPConnection(host, COLLECTOR_PORT, timeout=_TIMEOUT_S)
        tls = self._tls()
        plain = dial(self._address, "--collector-address", COLLECTOR_PORT) if self._address else self._forwarded()
        plain.settimeout(_TIMEOUT_S)
        connection.sock = plain if tls is None else tls.wrap_socket(plain, server_hostname=host)
        return connection

    def _tls(self) -> ssl.SSLContext | None:
        settings = self._collector.spec.ingest.tls
        if settings.secret_ref is None:
            return None
        reference = settings.ca_config_map_ref
        if reference is None:
            return ssl.create_default_context()
        found = self._access.config_map(reference.name, self._collector.metadata.namespace)
        authority = (found or {}).get("ca.crt")
        try:
            if authority:
                return ssl.create_default_context(cadata=authority)
        except ssl.SSLError as error:
            raise CommandFailedError(
                f"ca.crt of ConfigMap {reference.name} holds no PEM certificate: put the authority's there"
            ) from error
        raise CommandFailedError(
            f"ConfigMap {reference.name} of TelemetryCollector {self.name} has no ca.crt: add it, or correct "
            "spec.ingest.tls.caConfigMapRef"
        )

    def _forwarded(self) -> socket.socket:
        metadata = self._collector.metadata
        pods = [f"{collector_name(metadata.name)}-{ordinal}" for ordinal in range(self._collector.spec.replicas)]
        return forward(self._access, metadata.namespace, pods, COLLECTOR_PORT)


def route_to(access: ClusterAccess, cluster: KafkaCluster, address: str | None) -> KubernetesRoute:
    """Return the way to the collector that acts for ``cluster``.

    Raises
    ------
    CommandFailedError
        As `find_collector`.
    """
    return KubernetesRoute(access, find_collector(access, cluster), address)
