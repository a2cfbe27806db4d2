"""kafka-python's failures as ours. Nothing that a broker wrote is passed on; only its error codes are."""

from __future__ import annotations

import re
import ssl
from typing import Final, Literal

from kafka import errors as kafka_errors

from kwitness.operator.adapters.kafka_client import AddressDeniedError, BootstrapError, HostRefusedError
from kwitness.operator.adapters.kafka_connection import KafkaConnection
from kwitness.operator.adapters.kafka_probe import address_denied, refused_certificate, speaks_tls
from kwitness.operator.model.errors import OperatorError, TerminalError, TransientError

__all__ = [
    "Operation",
    "acl_command",
    "answer_too_large",
    "from_bootstrap",
    "from_exception",
    "from_result",
    "from_topic",
]

Operation = Literal["DESCRIBE_CONFIGS", "ALTER_CONFIGS", "CREATE", "DESCRIBE"]
"""Kafka's operations on the cluster resource that the operator needs; those on configs are for subscriptions."""

_RESULT: Final = re.compile(r"\[Error (-?\d+)\]")
_LENGTH: Final = re.compile(r"frame length: (\d+)$")
_LONGEST_FRAME: Final = 100 * 1024 * 1024
"""Bytes, the default of brokers' `socket.request.max.bytes`."""
_FORBIDDEN: Final = frozenset({29, 30, 31, 53, 65})
_REFUSED_VALUE: Final = frozenset({40, 42, 44})
_UNSUPPORTED: Final = 35
_NO_ANSWER: Final = frozenset({-1, 7})
_TOPIC_REFUSED: Final = {
    17: "the brokers take no such name: change spec.topics.prefix",
    37: "the brokers do not take so many partitions: change spec.topics.onCreate.partitions",
    38: "there are fewer brokers than spec.topics.onCreate.replicationFactor asks for: lower it, or add brokers",
    40: "the brokers refuse the configuration: see whether they take spec.topics.onCreate.retention",
    44: "a policy of the brokers (create.topic.policy.class.name) refuses it: change spec.topics, or make it by hand as"
    " the policy wants it",
}


def acl_command(connection: KafkaConnection, operations: tuple[Operation, ...]) -> str:
    """The ``kafka-acls.sh`` line that grants ``operations`` on the cluster, to fill the operator's principal into."""
    # Not by its name, which is in a Secret, and more people may read a status.
    granted = " ".join(f"--operation {operation}" for operation in operations)
    server = connection.bootstrap_servers[0]
    return f"kafka-acls.sh --bootstrap-server {server} --add --allow-principal User:OPERATOR {granted} --cluster"


def from_bootstrap(error: BootstrapError, connection: KafkaConnection) -> OperatorError:
    """Name the reason why no bootstrap server could be used; may connect once more to find out. Blocks."""
    servers = ", ".join(connection.bootstrap_servers)
    if isinstance(error.cause, HostRefusedError):
        return _host_not_allowed()
    if isinstance(error.cause, AddressDeniedError):
        return address_denied(str(error.cause))
    if error.stage == "authenticate" and connection.login is not None:
        return _authentication_failed(error, connection)
    for cause in getattr(error.cause, "args", ()):
        if isinstance(cause, ssl.SSLError) and (refused := refused_certificate(servers, cause)) is not None:
            return TransientError("TlsFailed", refused)
    if (
        error.stage == "connect"
        and connection.tls is None
        and any(speaks_tls(connection, server) for server in connection.bootstrap_servers)
    ):
        return TransientError("TlsFailed", f"{servers} speaks TLS and spec.tls.mode is Disabled: set it to Required")
    return answer_too_large() if _is_too_large(error.cause) else _not_of_kafka(error, connection)


def _not_of_kafka(error: BootstrapError, connection: KafkaConnection) -> OperatorError:
    servers = ", ".join(connection.bootstrap_servers)
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
    if isinstance(error, AddressDeniedError):
        return address_denied(str(error))
    if _is_too_large(error):
        return answer_too_large()
    code = int(getattr(error, "errno", None) or -1)
    if operation == "DESCRIBE" or code in _NO_ANSWER:
        return _unanswered(code, operation, connection)
    return from_topic(code, connection) if operation == "CREATE" else _from_code(code, operation, connection)


def from_topic(code: int, connection: KafkaConnection) -> OperatorError:
    """Name the reason why a topic was not created; that others name it is the caller's."""
    if code in _FORBIDDEN:
        return TransientError(
            "TopicsMissing",
            "not there, and the operator may not create it: make it by hand, or grant CREATE"
            f" ({acl_command(connection, ('CREATE',))})",
        )
    if code in _TOPIC_REFUSED:
        return TerminalError("TopicsRefused", f"{_TOPIC_REFUSED[code]} (error {code})")
    return TransientError("TopicsRefused", f"the brokers did not create it (error {code}); it is tried again")


def answer_too_large() -> OperatorError:
    """Name the reason where an answer is longer than the operator reads, or needs more memory than a helper has."""
    return TransientError(
        "AnswerTooLarge",
        "a listener of the cluster sends answers that are too large for the operator (above 4 MiB, or of too many"
        " entries): check that spec.bootstrapServers leads to Kafka, and what stands between",
    )


def from_result(result: str, operation: Operation, connection: KafkaConnection) -> OperatorError | None:
    """Turn a result string of kafka-python's ``alter_configs`` into an error, or None for ``OK``.

    The library never raises for a refused resource: it returns the error's text (kafka/admin/_configs.py of 3.0.12).
    """
    if result == "OK":
        return None
    found = _RESULT.match(result)
    return _from_code(int(found[1]) if found else -1, operation, connection)


def _unanswered(code: int, operation: Operation, connection: KafkaConnection) -> OperatorError:
    if code in _FORBIDDEN:
        return _forbidden(operation, connection)
    return TransientError(
        "Unreachable", f"the broker did not carry out {operation} (error {code}); it is tried again, see its log"
    )


def _forbidden(operation: Operation, connection: KafkaConnection) -> OperatorError:
    return TransientError(
        "Forbidden",
        f"the operator lacks {operation} on the cluster; grant it: {acl_command(connection, (operation,))}",
    )


def _from_code(code: int, operation: Operation, connection: KafkaConnection) -> OperatorError:
    """What went wrong with subscriptions."""
    if code in _FORBIDDEN:
        return _forbidden(operation, connection)
    if code == _UNSUPPORTED:
        return TerminalError(
            "Unsupported",
            "the brokers know no subscriptions to client metrics, which Kafka has since 3.7: upgrade them, or let"
            " observers ask clients in their place (spec.telemetry Terminate of an ObserverDeployment)",
        )
    if code in _REFUSED_VALUE:
        return TerminalError(
            "InvalidPattern",
            f"the broker refused the configuration (error {code}): check spec.match, whose patterns must also be valid"
            " for Java, and spec.metrics",
        )
    return TransientError(
        "NotCarriedOut", f"the broker did not carry out {operation} (error {code}); it is tried again, see its log"
    )


def _is_too_large(error: BaseException | None) -> bool:
    # A larger length than brokers take themselves is of another protocol, such as HTTP.
    length = _LENGTH.search(str(error)) if isinstance(error, kafka_errors.InvalidReceiveError) else None
    return length is not None and int(length[1]) <= _LONGEST_FRAME


def _host_not_allowed() -> OperatorError:
    return TransientError(
        "HostNotAllowed",
        "the cluster advertises a broker that is not in the key hosts of the Secret, so the credential was not sent"
        " there: add the brokers' advertised addresses to hosts (host:port or *.suffix:port)",
    )
