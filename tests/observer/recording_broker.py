"""A server in the place of a broker that keeps what it gets, and then answers what it was given."""

from __future__ import annotations

import queue
import socket
import threading
from types import TracebackType
from typing import Self


class RecordingBroker:
    """One connection after the other; use as a context manager."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._answers: queue.Queue[bytes] = queue.Queue()
        self._got: queue.Queue[bytes] = queue.Queue()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def bootstrap(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def exchange(self, address: str, asked: bytes, answered: bytes) -> tuple[bytes, bytes]:
        """Send bytes to an address that leads here, and have them answered; what came on either side."""
        host, port = address.split(":")
        self._answers.put(answered)
        with socket.create_connection((host, int(port)), timeout=60) as client:
            reading = threading.Thread(target=lambda: came.append(_rest(client)))
            came: list[bytes] = []
            reading.start()
            _send(client, asked)
            got = self._got.get(timeout=60)
            reading.join()
        return got, came[0]

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return  # it is closed
            with connection:
                self._got.put(_rest(connection))
                _send(connection, self._answers.get())

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


def _send(connection: socket.socket, content: bytes) -> None:
    try:
        connection.sendall(content)
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the observer has closed it, as it may


def _rest(connection: socket.socket) -> bytes:
    parts = []
    try:
        while part := connection.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)
