"""Fixtures of the tests with real clients."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.observer.dialled_ports import ports_of_peers


@pytest.fixture
def dialled() -> Iterator[set[int]]:
    """The ports that this process was connected to, looked at all the time."""
    seen: set[int] = set()
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.005):
            seen.update(ports_of_peers())

    thread = threading.Thread(target=watch)
    thread.start()
    yield seen
    ended.set()
    thread.join()
