"""kafka-python's admin client, made to name itself, to fail instead of hiding, and to call on allowed hosts only."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

from kafka import KafkaAdminClient
from kafka import errors as kafka_errors
from kafka.net.compat import KafkaNetClient
from kafka.net.inet import KafkaNetSocket
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector
from kafka.protocol.metadata import ApiVersionsRequest

from kwitness.contracts.allowed_hosts import join_address
from kwitness.contracts.denied_addresses import DeniedAddresses
from kwitness.operator.adapters.kafka_connection import KafkaConnection

__all__ = ["AddressDeniedError", "AdminClient", "BootstrapError", "HostRefusedError", "Stage", "open_client"]

Stage = Literal["connect", "authenticate", "request"]
_STAGES: Final[tuple[Stage, ...]] = ("request", "authenticate", "connect")

_CHECKED: Final = "checked"
_TIMEOUT_MS: Final = 10_000
"""Milliseconds for bootstrap and for each request: long enough for a broker that is being elected."""

_MOST_BYTES: Final = 4 * 1024 * 1024
"""Of an answer; a listener may be anyone's, and the library makes an object of each entry, up to 20 times the bytes."""

_TELEMETRY_KEYS: Final = frozenset({71, 72})
"""GetTelemetrySubscriptions and PushTelemetry; advertised only with a telemetry plugin."""


class HostRefusedError(kafka_errors.KafkaError):  # type: ignore[misc]  # the library has no types
    """A broker advertised an address to which the credential must not be sent."""


class AddressDeniedError(kafka_errors.KafkaError):  # type: ignore[misc]  # the library has no types
    """A name led to denied addresses alone; its text is the name."""


class BootstrapError(Exception):
    """No bootstrap server could be used.

    ``stage`` tells how far the best one came: ``connect`` (nothing was answered), ``authenticate`` (versions were
    answered, then SASL failed) or ``request`` (the first request after that failed). ``cause`` is the library's.
    """

    def __init__(self, cause: BaseException | None, stage: Stage) -> None:
        super().__init__(f"no bootstrap server could be used ({stage})")
        self.cause = cause
        self.stage = stage


class _Manager(KafkaConnectionManager):  # type: ignore[misc]  # the library has no types
    """Tries each bootstrap server once and keeps the reason, where the library tries until a time-out and drops it."""

    connection: KafkaConnection

    async def _do_bootstrap(self, deadline: float | None) -> bool:  # noqa: ARG002 - the library's signature
        failures: dict[Stage, BaseException] = {}
        for broker in self.cluster.bootstrap_brokers():
            connection = self.get_connection(
                broker.node_id,
                timeout_ms=_TIMEOUT_MS,
                pop_on_close=False,
                refresh_metadata_on_err=False,
                reset_backoff_on_connect=False,
            )
            stage: Stage = "connect"
            try:
                await connection
                stage = "request"
                await self.cluster.refresh_metadata(broker.node_id)
                if self.cluster.brokers():
                    return True
            except (kafka_errors.KafkaError, OSError) as error:
                # With TLS the library sees the end of the connection before it reads the answer that SASL failed, so
                # the class of the error does not tell; that versions were answered before does.
                if stage == "connect" and connection.broker_version_data is not None:
                    stage = "authenticate"
                failures[stage] = error
            finally:
                self._conns.pop(broker.node_id, connection).close()
        reached: Stage = next((stage for stage in _STAGES if stage in failures), "connect")
        raise BootstrapError(failures.get(reached), reached)

    async def _build_transport(self, node: Any, timeout_at: float | None = None) -> Any:
        address = join_address(node.host, node.port)
        if not self.connection.may_reach(address):
            raise HostRefusedError(address)
        return await super()._build_transport(node, timeout_at=timeout_at)


class _CheckedSocket(KafkaNetSocket):  # type: ignore[misc]  # the library has no types
    """Dials allowed addresses alone: what is resolved here is what the library connects to.

    The library picks a class by the scheme of its `proxy_url`, which holds the denied networks here.
    """

    SCHEMES: Final = (_CHECKED,)

    def __init__(self, proxy_url: str) -> None:
        super().__init__(proxy_url)
        self._denied = DeniedAddresses(tuple(filter(None, proxy_url.partition("://")[2].split(","))))

    def dns_lookup(self, host: str, port: int, raise_error: bool = False) -> list[Any]:  # noqa: FBT001, FBT002
        found = super().dns_lookup(host, port, raise_error)
        allowed = self._denied.allowed(found)
        if found and not allowed:
            raise AddressDeniedError(host)
        return allowed


class AdminClient(KafkaAdminClient):  # type: ignore[misc]  # the library has no types
    """The admin client with one more setting and one more question."""

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = {
        **KafkaAdminClient.DEFAULT_CONFIG,
        "client_software_name": "kwitness-operator",
    }

    def describe_brokers(self) -> tuple[str, list[dict[str, Any]]]:
        """The cluster's id, and of each broker ``broker_id``, ``host``, ``port`` and ``rack``."""
        try:
            described = self.describe_cluster()
        except KeyError:
            # kafka-python 3.0.12 misses a field in the answer of brokers before 3.7 (kafka/admin/_cluster.py).
            metadata = self._manager.run(self._get_cluster_metadata, [])
            return metadata["cluster_id"], [{**one, "broker_id": one["node_id"]} for one in metadata["brokers"]]
        return described["cluster_id"], described["brokers"]

    def has_telemetry(self, broker_id: int) -> bool:
        """Whether one broker advertises the telemetry requests."""
        return bool(self._manager.run(self._ask_telemetry, broker_id))

    async def _ask_telemetry(self, broker_id: int) -> bool:
        request = ApiVersionsRequest(
            client_software_name=self._manager.config["client_software_name"],
            client_software_version=self._manager.config["client_software_version"],
            min_version=3,
        )
        response = await self._manager.send(request, node_id=broker_id)
        return {entry.api_key for entry in response.api_keys} >= _TELEMETRY_KEYS


def open_client(connection: KafkaConnection) -> AdminClient:
    """Bootstrap a client. Blocks up to `_TIMEOUT_MS` per server; call it in a thread and close the client.

    Raises
    ------
    BootstrapError
        With the library's exception as ``cause``.
    """

    def build(**configs: Any) -> KafkaNetClient:
        network = NetworkSelector(**configs)
        manager = _Manager(network, **configs)
        manager.connection = connection
        return KafkaNetClient(net=network, manager=manager)

    login: dict[str, Any] = {}
    if connection.login is not None:
        login = {
            "sasl_mechanism": connection.login.mechanism,
            "sasl_plain_username": connection.login.username,
            "sasl_plain_password": connection.login.password,
        }
    return AdminClient(
        bootstrap_servers=list(connection.bootstrap_servers),
        client_id=connection.client_id,
        security_protocol=connection.security_protocol,
        ssl_context=connection.tls.context() if connection.tls else None,
        proxy_url=f"{_CHECKED}://{','.join(connection.denied.networks)}",
        receive_message_max_bytes=_MOST_BYTES,
        request_timeout_ms=_TIMEOUT_MS,
        bootstrap_timeout_ms=_TIMEOUT_MS * max(1, len(connection.bootstrap_servers)),
        # Each reconcile opens a client of its own and closes it; nothing is left to reconnect for.
        reconnect_backoff_max_ms=1000,
        kafka_client=build,
        **login,
    )
