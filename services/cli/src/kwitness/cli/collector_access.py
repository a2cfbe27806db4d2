"""The collector of a KafkaCluster, asked as one of its readers (docs/decisions/0102).

The API server's own proxy for Services is no way there: it keeps the `Authorization` header for itself, and checks no
certificate of what it calls. So a port is forwarded to a pod of the collector, TLS goes through it, and the certificate
is checked by the authority that the TelemetryCollector names, as the operator does.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, Self, TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, ValidationError

from kwitness.cli.cluster_access import ClusterAccess
from kwitness.cli.cluster_reference import cluster_of
from kwitness.cli.failure import CommandFailedError, NotPermittedError
from kwitness.cli.forwarded_port import forward
from kwitness.contracts.audiences import inventory_audience
from kwitness.contracts.endpoints import COLLECTOR_PORT
from kwitness.contracts.envelopes import ErrorBody
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.precedence import precedence
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.runtime.child_names import collector_name

__all__ = ["CollectorAccess", "CollectorRefusedError", "find_cluster", "find_collector"]

_TIMEOUT_S: Final = 30
_MOST_BYTES: Final = 16 * 1024 * 1024
"""Of an answer; a page of a thousand clients is a few megabytes."""
_TOKEN_S: Final = 300
"""Half of what a token is good for."""

Model = TypeVar("Model", bound=BaseModel)
Resource = TypeVar("Resource", bound=BaseModel)


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


def find_cluster(access: ClusterAccess, name: str | None) -> KafkaCluster:
    """Return the KafkaCluster ``name`` or ``NAMESPACE/NAME``; without a name the only one of the namespace.

    Raises
    ------
    CommandFailedError
        There is none, or without a name there are several.
    """
    if name is not None:
        namespace, _, own = name.rpartition("/")
        found = access.get("KafkaCluster", own, namespace or None)
        if found is None:
            raise CommandFailedError(
                f"there is no KafkaCluster {own} in namespace {namespace or access.namespace}: name another by "
                "--cluster, or its namespace by --namespace"
            )
        return parsed(KafkaCluster, found)
    items = access.items("KafkaCluster", access.namespace)
    match items:
        case [one]:
            return parsed(KafkaCluster, one)
        case []:
            raise CommandFailedError(
                f"there is no KafkaCluster in namespace {access.namespace}: name one by --cluster NAMESPACE/NAME, or "
                "its namespace by --namespace"
            )
        case _:
            names = ", ".join(one["metadata"]["name"] for one in items)
            raise CommandFailedError(f"namespace {access.namespace} has several KafkaClusters ({names}): use --cluster")


def find_collector(access: ClusterAccess, cluster: KafkaCluster) -> TelemetryCollector:
    """Return the TelemetryCollector that serves ``cluster``, of its namespace or else of any.

    Raises
    ------
    CommandFailedError
        There is none, or it is suspended.
    """
    home = cluster.metadata.namespace
    serving = _serving(access.items("TelemetryCollector", home), cluster)
    if serving is None:
        try:
            serving = _serving(access.items("TelemetryCollector", None), cluster)
        except NotPermittedError as error:
            raise NotPermittedError(
                f"no TelemetryCollector of namespace {home} names KafkaCluster {cluster.metadata.name}, and others are "
                f"not seen: {error}"
            ) from error
    if serving is None:
        raise CommandFailedError(
            f"no TelemetryCollector names KafkaCluster {cluster.metadata.name} of namespace {home}, so nothing is "
            "known of its clients: apply one"
        )
    if serving.spec.suspend:
        raise CommandFailedError(
            f"TelemetryCollector {serving.metadata.name} is suspended, so nobody answers: set spec.suspend to false"
        )
    return serving


def _serving(items: list[dict[str, Any]], cluster: KafkaCluster) -> TelemetryCollector | None:
    key = (cluster.metadata.namespace, cluster.metadata.name)
    named = [one for one in items if cluster_of(one) == key]
    return min(
        (parsed(TelemetryCollector, one) for one in named),
        key=lambda one: precedence(one.spec.priority, one.metadata.namespace, one.metadata.name),
        default=None,
    )


def parsed(model: type[Resource], body: Mapping[str, Any]) -> Resource:
    """Return a resource as its model; a status of another release is left out.

    Raises
    ------
    CommandFailedError
        Its spec is not of this release.
    """
    for content in (body, {name: value for name, value in body.items() if name != "status"}):
        try:
            return model.model_validate(content)
        except ValidationError as error:
            failure = error
    issue = failure.errors()[0]
    field = ".".join(str(part) for part in issue["loc"])
    raise CommandFailedError(
        f"{body['kind']} {body['metadata']['name']} is not as this release of kwitness has it ({field}: "
        f"{issue['msg']}): use the command of the release that is installed"
    ) from failure


class CollectorAccess:
    """Asks one collector, over one connection that is opened with the first question; a context manager.

    Parameters
    ----------
    address
        HOST:PORT where its port 8443 is reached; None forwards a port to a pod.
    """

    def __init__(self, access: ClusterAccess, collector: TelemetryCollector, address: str | None = None) -> None:
        self._access = access
        self._collector = collector
        self._address = address
        self._connection: http.client.HTTPConnection | None = None
        self._token = ""
        self._token_until = 0.0

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
        headers = {"Authorization": f"Bearer {self._bearer()}", "Accept-Encoding": "identity"}
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
            authority = f"ConfigMap {reference.name}" if reference else "the system's authorities"
            return CommandFailedError(
                f"the certificate of collector {self.name} is not accepted by {authority} "
                f"({error.verify_message}): correct spec.ingest.tls of TelemetryCollector {self.name}"
            )
        return CommandFailedError(
            f"collector {self.name} does not answer ({error or type(error).__name__}): see its pods, "
            f"`kubectl get pods --namespace {namespace}`, and their logs"
        )

    def _bearer(self) -> str:
        if time.monotonic() >= self._token_until:
            self._token = self._new_token()
            self._token_until = time.monotonic() + _TOKEN_S
        return self._token

    def _new_token(self) -> str:
        """Ask for a token of the first reader whose token may be had."""
        metadata, readers = self._collector.metadata, self._collector.spec.ingest.readers
        audience = inventory_audience(metadata.namespace, metadata.name)
        refused: NotPermittedError | None = None
        for reader in readers:
            try:
                token = self._access.token(reader.service_account, reader.namespace or metadata.namespace, audience)
            except NotPermittedError as error:
                refused = refused or error
                continue
            if token is not None:
                return token
        if refused is not None:
            raise NotPermittedError(f"no token of a reader of collector {metadata.name} can be had: {refused}")
        if readers:
            names = ", ".join(f"{one.namespace or metadata.namespace}/{one.service_account}" for one in readers)
            raise CommandFailedError(
                f"the readers of collector {metadata.name} do not exist ({names}): create such a service account"
            )
        raise CommandFailedError(
            f"spec.ingest.readers of TelemetryCollector {metadata.name} names nobody who may read: create a service "
            f"account, and name it there\n"
            f"  kubectl create serviceaccount kwitness-readers --namespace {metadata.namespace}\n"
            f"  kubectl patch ktc {metadata.name} --namespace {metadata.namespace} --type merge "
            """--patch '{"spec":{"ingest":{"readers":[{"serviceAccount":"kwitness-readers"}]}}}'"""
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
            raise CommandFailedError(f"{self._address} is no address such as 127.0.0.1:8443 (--collector-address)")
        return socket.create_connection((host.strip("[]"), int(port)), timeout=_TIMEOUT_S)

    def _forwarded(self) -> socket.socket:
        metadata = self._collector.metadata
        pods = [f"{collector_name(metadata.name)}-{ordinal}" for ordinal in range(self._collector.spec.replicas)]
        return forward(self._access, metadata.namespace, pods, COLLECTOR_PORT)
