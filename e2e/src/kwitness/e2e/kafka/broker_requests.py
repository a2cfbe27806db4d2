"""What tests say to a broker themselves: a CLIENT_METRICS config, which APIs it has, and what software they are."""

from __future__ import annotations

import socket
import struct
from collections.abc import Mapping

from kafka import KafkaAdminClient
from kafka.admin import ConfigResource, ConfigResourceType

GET_TELEMETRY_SUBSCRIPTIONS = 71
PUSH_TELEMETRY = 72
_API_VERSIONS = 18


def write_client_metrics(bootstrap: str, name: str, configs: Mapping[str, str]) -> None:
    """Write one CLIENT_METRICS resource, without any check of ours.

    Raises
    ------
    RuntimeError
        The broker refused.
    """
    admin = KafkaAdminClient(bootstrap_servers=bootstrap, client_id="kwitness-test-admin")
    try:
        resource = ConfigResource(ConfigResourceType.CLIENT_METRICS, name, dict(configs))
        # The library's own check knows broker configs only.
        result = admin.alter_configs([resource], raise_on_unknown=False)
    finally:
        admin.close()
    if result != {"client_metrics": {name: "OK"}}:
        raise RuntimeError(f"the broker refused {configs} for {name}: {result}")


def api_keys(address: str, *, timeout: float = 10) -> set[int]:
    """The API keys a broker at `host:port` offers to clients (ApiVersions, version 0).

    Raises
    ------
    OSError
        The broker cannot be reached or hung up.
    """
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=timeout) as connection:
        answer = exchange(connection, header(_API_VERSIONS, 0))
    # correlation id, error code, count; then key, lowest and highest version of each
    (count,) = struct.unpack_from(">i", answer, 6)
    return {struct.unpack_from(">hhh", answer, 10 + 6 * index)[0] for index in range(count)}


def say_software(address: tuple[str, int], name: str, version: str) -> socket.socket:
    """Open a connection and say which software one is (ApiVersions, version 3); it counts until it is closed.

    Raises
    ------
    OSError
        The broker cannot be reached or hung up.
    """
    body = b"".join(bytes([len(text) + 1]) + text.encode() for text in (name, version))
    connection = socket.create_connection(address, timeout=10)
    exchange(connection, header(_API_VERSIONS, 3) + b"\0" + body + b"\0")
    return connection


def header(api_key: int, version: int, client_id: str = "kwitness-test") -> bytes:
    """A request's header, version 1; one of version 2 goes on with a zero byte, for no tags."""
    name = client_id.encode()
    return struct.pack(">hhih", api_key, version, 1, len(name)) + name


def exchange(connection: socket.socket, request: bytes) -> bytes:
    """Send a request and return its answer, from the correlation id on."""
    connection.sendall(struct.pack(">i", len(request)) + request)
    with connection.makefile("rb") as stream:
        (size,) = struct.unpack(">i", stream.read(4))
        return stream.read(size)
