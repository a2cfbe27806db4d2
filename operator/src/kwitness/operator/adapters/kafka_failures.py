"""kafka-python's failures as ours. Nothing that a broker wrote is passed on; only its error codes are."""

from __future__ import annotations

import re
import ssl
from typing import Final, Literal

from kafka import errors as kafka_errors

from kwitness.operator.adapters.kafka_client import BootstrapError, HostRefusedError
from kwitness.operator.adapters.kafka_connection import KafkaConnection
from kwitness.operator.adapters.kafka_probe import refused_certificate, speaks_tls
from kwitness.operator.model.errors import OperatorError, TerminalError, TransientError

__all__ = ["REFUSALS", "Operation", "acl_command", "from_bootstrap", "from_exception", "from_result"]

Operation = Literal["DESCRIBE_CONFIGS", "ALTER_CONFIGS", "CREATE", "DESCRIBE"]
"""Kafka's operations on the cluster resource that the operator needs."""

_RESULT: Final = re.compile(r"\[Error (-?\d+)\]")
_FORBIDDEN: Final = frozenset({29, 30, 31, 53, 65})
_REFUSED_VALUE: Final = frozenset({40, 42, 44})
_UNKNOWN_REQUEST: Final = 35

REFUSALS: Final = frozenset({"Forbidden", "InvalidPattern", "Unsupported"})
"""Reasons of a broker that answers and does not take what it is asked to: nothing is wrong with the connection."""


def acl_command(connection: KafkaConnection, operations: tuple[Operation, ...]) -> str:
    """The ``kafka-acls.sh`` line that grants ``operations`` on the cluster to the operator's principal."""
    principal = f"User:{connection.login.username}" if connection.login else "User:<the operator's principal>"
    granted = " ".join(f"--operation {operation}" for operation in operations)
    server = connection.bootstrap_servers[0]
    return f"kafka-acls.sh --bootstrap-server {server} --add --allow-principal '{principal}' {granted} --cluster"


def from_bootstrap(error: BootstrapError, connection: KafkaConnection) -> OperatorError:
    """Name the reason why no bootstrap server could be used; may connect once more to find out. Blocks."""
    servers = ", ".join(connection.bootstrap_servers)
    if isinstance(error.cause, HostRefusedError):
        return _host_not_allowed()
    if error.stage == "authenticate" and connection.login is not None:
        return _authentication_failed(error, connection)
    for cause in getattr(error.cause, "args", ()):
        if isinstance(cause, ssl.SSLError) and (refused := refused_certificate(servers, cause)) is not None:
            return TransientError("TlsFailed", refused)
    if error.stage == "connect" and connection.tls is None and any(map(speaks_tls, connection.bootstrap_servers)):
        return TransientError("TlsFailed", f"{servers} speaks TLS and spec.tls.enabled is false: set it to true")
    if error.stage == "request" and connection.login is None:
        return TransientError(
            "AuthenticationFailed",
            f"{servers} answered and ended the connection at the first request: the listener wants authentication,"
            " set spec.authentication",
        )
    return TransientError(
        "Unreachable", f"{servers} took the connection and did not answer as Kafka does: check spec.bootstrapServers"
    )


def _authentication_failed(error: BootstrapError, connection: KafkaConnection) -> OperatorError:
    mechanism = connection.login.mechanism if connection.login else ""
    if isinstance(error.cause, kafka_errors.UnsupportedSaslMechanismError):
        return TransientError(
            "AuthenticationFailed",
            f"the listener does not offer SASL {mechanism}: change spec.authentication.type, or name another listener",
        )
    if isinstance(error.cause, kafka_errors.IllegalSaslStateError):
        return TransientError(
            "AuthenticationFailed", "the listener takes no SASL: set spec.authentication.type to none, or name another"
        )
    return TransientError(
        "AuthenticationFailed",
        f"SASL {mechanism} was refused: check username and password in the Secret of spec.authentication.secretRef, and"
        " that the listener offers this mechanism",
    )


def from_exception(error: BaseException, operation: Operation, connection: KafkaConnection) -> OperatorError:
    """Name the reason of a failed request that needed ``operation`` on the cluster."""
    if isinstance(error, HostRefusedError):
        return _host_not_allowed()
    return _from_code(int(getattr(error, "errno", None) or -1), operation, connection)


def from_result(result: str, operation: Operation, connection: KafkaConnection) -> OperatorError | None:
    """Turn a result string of kafka-python's ``alter_configs`` into an error, or None for ``OK``.

    The library never raises for a refused resource: it returns the error's text (kafka/admin/_configs.py of 3.0.12).
    """
    if result == "OK":
        return None
    found = _RESULT.match(result)
    return _from_code(int(found[1]) if found else -1, operation, connection)


def _from_code(code: int, operation: Operation, connection: KafkaConnection) -> OperatorError:
    if code in _FORBIDDEN:
        return TransientError(
            "Forbidden",
            f"the operator lacks {operation} on the cluster; grant it: {acl_command(connection, (operation,))}",
        )
    if code in _REFUSED_VALUE:
        return TerminalError(
            "InvalidPattern",
            f"the broker refused the configuration (error {code}): check spec.match, whose patterns must also be valid"
            " for Java, and spec.metrics",
        )
    if code == _UNKNOWN_REQUEST:
        return TransientError(
            "Unsupported",
            f"the broker has no such request for {operation} (error {code}): Kafka takes subscriptions from 3.7 on;"
            " upgrade it, or have observers with spec.telemetry Terminate ask clients",
        )
    return TransientError(
        "Unreachable", f"the broker did not carry out {operation} (error {code}); it is tried again, see its log"
    )


def _host_not_allowed() -> OperatorError:
    return TransientError(
        "HostNotAllowed",
        "the cluster advertises a broker that is not in the key hosts of the Secret, so the credential was not sent"
        " there: add the brokers' advertised addresses to hosts (host:port or *.suffix:port)",
    )
