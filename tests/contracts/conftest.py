"""The API server that the tests of contracts share, with our definitions in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kwitness.e2e.api_server import ApiServer

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def api_with_crds(api_server: ApiServer) -> ApiServer:
    api_server.define(ROOT / "crds")
    return api_server
