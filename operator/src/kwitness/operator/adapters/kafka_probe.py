"""Step by step to a listener, so that each step can fail with its own reason: TCP, then TLS, then a first answer.

kafka-python tries again until a time-out whatever went wrong (kafka/net/manager.py of 3.0.12), which would make every
failure look like an unreachable broker.
"""

from __future__ import annotations

import socket
import ssl
from typing import Final

from kwitness.operator.adapters.kafka_connection import KafkaConnection, split_address
from kwitness.operator.model.errors import OperatorError, TransientError

__all__ = ["address_denied", "probe", "refused_certificate", "speaks_tls"]

_CONNECT_SECONDS: Final = 5.0
"""Patience per address; a broker on the same continent answers within one."""

_ANSWER_SECONDS: Final = 10.0
"""Patience for the first bytes of an answer. In TLS 1.3 the refusal of a client certificate comes in their place."""

_API_VERSIONS: Final = bytes.fromhex("0000000a 0012 0000 00000001 0000")
"""ApiVersionsRequest of version 0 with an empty client id, as a frame; each broker answers it before SASL."""


def probe(connection: KafkaConnection) -> None:
    """Get the first bytes of an answer from at least one bootstrap server. Blocks; call it in a thread.

    Reads four bytes, so that listeners that never answer cost no memory and wait for none.

    Raises
    ------
    OperatorError
        Reason HostNotAllowed, Unreachable or TlsFailed; the last server's, when all fail.
    """
    failure: OperatorError | None = None
    for address in connection.bootstrap_servers:
        if not connection.may_reach(address):
            raise TransientError(
                "HostNotAllowed",
                f"{address} is not in the key hosts of the Secret, so nothing was sent there: add it to hosts, or"
                " remove it from spec.bootstrapServers",
            )
    for address in connection.bootstrap_servers:
        host, port = split_address(address)
        try:
            with _connect(connection, host, port) as plain:
                if connection.tls is None:
                    _first_answer(plain, f"{host}:{port}")
                else:
                    _handshake(plain, host, port, connection.tls.context())
        except OperatorError as error:
            # TLS trouble tells more than an address that does not answer.
            if failure is None or failure.reason == "Unreachable":
                failure = error
        else:
            return
    if failure is not None:
        raise failure


def speaks_tls(connection: KafkaConnection, address: str) -> bool:
    """Whether a listener answers a TLS hello; used to explain why a plaintext connection was closed."""
    host, port = split_address(address)
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with _connect(connection, host, port) as plain, context.wrap_socket(plain):
            return True
    except (OSError, OperatorError):
        return False


def address_denied(host: str) -> OperatorError:
    """Say that a name leads to denied addresses alone."""
    return TransientError(
        "AddressDenied",
        f"{host} leads to an address that is denied (limits.deniedAddresses of the chart), so nothing was sent there:"
        " correct spec.bootstrapServers or the listener's advertised address",
    )


def _connect(connection: KafkaConnection, host: str, port: int) -> socket.socket:
    try:
        failure: OSError | None = None
        for *_, address in connection.denied.allowed(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)):
            try:
                return socket.create_connection(address[:2], timeout=_CONNECT_SECONDS)
            except OSError as error:
                failure = error
        raise failure or address_denied(host)
    except socket.gaierror as error:
        raise TransientError(
            "Unreachable", f"the name {host} cannot be resolved: check spec.bootstrapServers and the cluster's DNS"
        ) from error
    except TimeoutError as error:
        raise TransientError(
            "Unreachable",
            f"{host}:{port} did not answer within {_CONNECT_SECONDS:g} s: check spec.bootstrapServers, network policies"
            " and firewalls",
        ) from error
    except OSError as error:
        raise TransientError(
            "Unreachable",
            f"{host}:{port} refused the connection ({error.strerror or 'no route'}): check spec.bootstrapServers and"
            " whether the broker runs",
        ) from error


def _handshake(plain: socket.socket, host: str, port: int, context: ssl.SSLContext) -> None:
    try:
        with context.wrap_socket(plain, server_hostname=host) as secure:
            _first_answer(secure, f"{host}:{port}")
    except ssl.SSLCertVerificationError as error:
        raise TransientError(
            "TlsFailed",
            f"the certificate of {host}:{port} was not accepted ({error.verify_message}): check ca.crt in"
            " spec.tls.caSecretRef and that the certificate is for this name",
        ) from error
    except ssl.SSLError as error:
        raise TransientError("TlsFailed", _explain(f"{host}:{port}", error)) from error
    except (ConnectionError, TimeoutError) as error:
        raise TransientError(
            "TlsFailed", f"{host}:{port} ended the TLS handshake: check that this listener speaks TLS"
        ) from error


def _first_answer(stream: socket.socket, address: str) -> None:
    stream.settimeout(_ANSWER_SECONDS)
    try:
        stream.sendall(_API_VERSIONS)
        stream.recv(4)
    except TimeoutError as error:
        raise TransientError(
            "Unreachable",
            f"{address} took the connection and did not answer within {_ANSWER_SECONDS:g} s: check"
            " spec.bootstrapServers",
        ) from error
    except ConnectionError:
        # The library finds out why, as of an answer that is none of Kafka's.
        return


def refused_certificate(address: str, error: ssl.SSLError) -> str | None:
    """Say which client certificate a listener wants if ``error`` is its refusal of the one it got, or of none."""
    reason = error.reason or ""
    if "CERTIFICATE_REQUIRED" in reason or "HANDSHAKE_FAILURE" in reason:
        return (
            f"{address} wants a client certificate: name one in spec.tls.clientCertificateSecretRef with"
            " spec.authentication.type mtls"
        )
    if "UNKNOWN_CA" in reason or "BAD_CERTIFICATE" in reason or "CERTIFICATE_UNKNOWN" in reason:
        return f"{address} did not accept our client certificate: check spec.tls.clientCertificateSecretRef"
    return None


def _explain(address: str, error: ssl.SSLError) -> str:
    refused = refused_certificate(address, error)
    if refused is not None:
        return refused
    if error.reason in {"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "UNEXPECTED_EOF_WHILE_READING"}:
        return f"{address} did not answer with TLS: set spec.tls.mode to Disabled, or name the listener with TLS"
    return f"the TLS handshake with {address} failed ({error.reason or 'no reason given'}): check spec.tls"
