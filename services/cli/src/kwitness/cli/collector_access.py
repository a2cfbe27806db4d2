"""The collector of a KafkaCluster, asked as one of its readers (docs/decisions/0102).

The API server's own proxy for Services is no way there: it keeps the `Authorization` header for itself, and checks no
certificate of what it calls. So a port is forwarded to a pod of the collector, TLS goes through it, and the certificate
is checked by the authority that the TelemetryCollector names, as the operator does.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from types import TracebackType
from typing import Final, Self, TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, ValidationError

from kwitness.cli.cluster_access import ClusterAccess
from kwitness.cli.failure import CommandFailedError
from kwitness.cli.forwarded_port import forward
from kwitness.cli.reader_tokens import ReaderTokens
from kwitness.cli.serving_collector import find_cluster, find_collector, parsed
from kwitness.contracts.endpoints import COLLECTOR_PORT
from kwitness.contracts.envelopes import ErrorBody
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.runtime.child_names import collector_name

__all__ = ["CollectorAccess", "CollectorRefusedError", "find_cluster", "find_collector", "parsed"]

_TIMEOUT_S: Final = 30
_MOST_BYTES: Final = 16 * 1024 * 1024
"""Of an answer; a page of a thousand clients is a few megabytes."""

Model = TypeVar("Model", bound=BaseModel)


class CollectorRefusedError(CommandFailedError):
    """The collector answered with an error.

    Attributes
    ----------
    answered
        The HTTP status, such as 404.
    reason
        One stable word, such as UnknownClient.
    """

    def __init__(self, answered: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.answered = answered
        self.reason = reason


class CollectorAccess:
    """Asks one collector, over one connection that is opened with the first question; a context manager.

    Parameters
    ----------
    address
        HOST:PORT where it is reached; None forwards a port to a pod.
    """

    def __init__(self, access: ClusterAccess, collector: TelemetryCollector, address: str | None = None) -> None:
        self._access = access
        self._collector = collector
        self._address = address
        self._connection: http.client.HTTPConnection | None = None
        self._tokens = ReaderTokens(access, collector)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def name(self) -> str:
        """Of the TelemetryCollector."""
        return self._collector.metadata.name

    def close(self) -> None:
        """End the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def get(self, path: str, model: type[Model], **parameters: str | int | None) -> Model:
        """Ask for ``path`` and return the answer as ``model``; parameters that are None are not sent.

        Raises
        ------
        CollectorRefusedError
            It answered with an error, which has the collector's own words.
        NotPermittedError
            No reader's token or no port can be had.
        CommandFailedError
            It cannot be reached, or answers what this release does not understand.
        """
        query = urlencode({name: value for name, value in parameters.items() if value is not None})
        status, body = self._answer(f"{path}?{query}" if query else path)
        try:
            if status == http.client.OK:
                return model.model_validate_json(body)
            error = ErrorBody.model_validate_json(body).error
        except ValidationError as invalid:
            raise CommandFailedError(
                f"what collector {self.name} answers ({status}) is not as this release of kwitness has it: use the "
                "command of the release that is installed"
            ) from invalid
        raise CollectorRefusedError(status, error.reason, f"collector {self.name}: {error.message}")

    def _answer(self, target: str) -> tuple[int, bytes]:
        try:
            return self._asked(target)
        except (http.client.RemoteDisconnected, ConnectionError, BrokenPipeError):
            # A connection that had nothing to do for a minute is closed by the collector.
            self.close()
        except (http.client.HTTPException, OSError) as error:
            raise self._unreachable(error) from error
        try:
            return self._asked(target)
        except (http.client.HTTPException, OSError) as error:
            raise self._unreachable(error) from error

    def _asked(self, target: str) -> tuple[int, bytes]:
        connection = self._connection or self._connected()
        self._connection = connection
        # Nothing is decompressed: a few kilobytes could become gigabytes.
        headers = {"Authorization": f"Bearer {self._tokens.current()}", "Accept-Encoding": "identity"}
        connection.request("GET", target, headers=headers)
        response = connection.getresponse()
        body = response.read(_MOST_BYTES + 1)
        if len(body) > _MOST_BYTES:
            self.close()
            raise CommandFailedError(
                f"collector {self.name} answered more than {_MOST_BYTES >> 20} MiB: ask for less (--limit)"
            )
        return response.status, body

    def _unreachable(self, error: Exception) -> CommandFailedError:
        self.close()
        namespace = self._collector.metadata.namespace
        if isinstance(error, ssl.SSLCertVerificationError):
            reference = self._collector.spec.ingest.tls.ca_config_map_ref
            authority = f"ConfigMap {reference.name}" if reference else "the system's CA certificates"
            return CommandFailedError(
                f"the certificate of collector {self.name} is not accepted by {authority} "
                f"({error.verify_message}): correct spec.ingest.tls of TelemetryCollector {self.name}"
            )
        return CommandFailedError(
            f"collector {self.name} does not answer ({error or type(error).__name__}): see its pods, "
            f"`kubectl get pods --namespace {namespace}`, and their logs"
        )

    def _connected(self) -> http.client.HTTPConnection:
        metadata = self._collector.metadata
        host = f"{collector_name(metadata.name)}.{metadata.namespace}.svc"
        connection = http.client.HTTPConnection(host, COLLECTOR_PORT, timeout=_TIMEOUT_S)
        tls = self._tls()
        plain = self._dialled() if self._address else self._forwarded()
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

    def _dialled(self) -> socket.socket:
        host, _, port = (self._address or "").rpartition(":")
        if not host or not port.isdecimal():
            example = f"127.0.0.1:{COLLECTOR_PORT}"
            raise CommandFailedError(f"{self._address} is no address such as {example} (--collector-address)")
        return socket.create_connection((host.strip("[]"), int(port)), timeout=_TIMEOUT_S)

    def _forwarded(self) -> socket.socket:
        metadata = self._collector.metadata
        pods = [f"{collector_name(metadata.name)}-{ordinal}" for ordinal in range(self._collector.spec.replicas)]
        return forward(self._access, metadata.namespace, pods, COLLECTOR_PORT)
