"""The operator dials no address that the installation denies, also by a name that leads there."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from kwitness.contracts.denied_addresses import DeniedAddresses
from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.adapters.kafka_connection import KafkaConnection
from kwitness.operator.model.errors import OperatorError


@contextmanager
def forwarded(host: str, target: tuple[str, int]) -> Iterator[str]:
    """Forward connections to an address."""

    def copy(source: socket.socket, to: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65_536):
                to.sendall(piece)
        with suppress(OSError):
            to.shutdown(socket.SHUT_WR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                broker = socket.create_connection(target)
                for pair in ((client, broker), (broker, client)):
                    threading.Thread(target=copy, args=pair, daemon=True).start()

    with socket.create_server((host, 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield f"{host}:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


async def reason_of(*servers: str, denied: DeniedAddresses | None = None) -> str | None:
    connection = KafkaConnection(
        bootstrap_servers=servers, client_id="kwitness-operator-test", denied=denied or DeniedAddresses()
    )
    try:
        await KafkaAdmin().observe(connection, ())
    except OperatorError as error:
        return error.reason
    return None


@pytest.mark.parametrize("host", ["169.254.169.254", "[::ffff:169.254.169.254]", "2852039166", "[64:ff9b::a9fe:a9fe]"])
async def test_a_link_local_address_is_not_dialed(host: str) -> None:
    assert await reason_of(f"{host}:80") == "AddressDenied"


@pytest.mark.broker
@pytest.mark.parametrize(("denied", "reason"), [("127.0.0.1/32", "AddressDenied"), ("127.0.0.3/32", None)])
async def test_an_advertised_address_that_is_denied_is_not_dialed(broker, denied: str, reason: str | None) -> None:
    port = int(broker.bootstrap.rpartition(":")[2])
    with forwarded("127.0.0.2", ("127.0.0.1", port)) as address:
        assert await reason_of(address, denied=DeniedAddresses.from_networks([denied])) == reason


@pytest.mark.broker
async def test_an_allowed_address_of_a_name_is_dialed(broker) -> None:
    port = broker.bootstrap.rpartition(":")[2]

    assert await reason_of(f"localhost:{port}", denied=DeniedAddresses.from_networks(["::1/128"])) is None
