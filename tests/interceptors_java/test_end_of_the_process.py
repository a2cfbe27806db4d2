"""An application that does not close its clients ends soon, and its last report arrives."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from tests.interceptors_java.conftest import PROGRAMS, Application
from tests.interceptors_java.reported import Reported

_WANTED = {"interceptors": [{"name": "audit", "type": "Audit"}]}


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address where connections are not answered."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_a_client_that_stays_open_is_reported_with_the_last_word(
    reported: Reported, under_the_agent: Application, nobody: str
) -> None:
    under_the_agent("4.3.1", PROGRAMS / "LeavesOpen.java", nobody, wanted=_WANTED, KWITNESS_END_WITHIN_MS="12000")

    assert reported.refused == []
    assert reported.heads[-1].state.ended


@pytest.mark.parametrize("answers", [True, False])
def test_the_end_waits_for_a_second(
    reported: Reported, under_the_agent: Application, nobody: str, *, answers: bool
) -> None:
    """Three seconds are for a machine that does much else."""
    url = {} if answers else {"collector": {"url": f"http://{nobody}", "replicas": 1, "token_file": "/dev/null"}}

    began_to_end = under_the_agent("4.3.1", PROGRAMS / "LeavesOpen.java", nobody, wanted=_WANTED | url)

    assert time.time() - int(began_to_end) / 1000 < 1 + 3
