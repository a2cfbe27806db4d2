"""The API server that the tests of contracts share, with our definitions in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.e2e.api_server import ApiServer

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def api_with_crds() -> Iterator[ApiServer]:
    with ApiServer() as server:
        server.kubectl("apply", "--server-side", "-f", str(ROOT / "crds"))
        server.cluster().await_definitions()
        yield server
