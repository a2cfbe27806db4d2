"""An API server and a broker as the release before left them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.upgrade.broker import upgraded_broker
from tests.upgrade.installation import Installation
from tests.upgrade.snapshot import Snapshot


@pytest.fixture(scope="session")
def snapshot() -> Snapshot:
    return Snapshot.latest()


@pytest.fixture
def broker() -> Iterator[LocalBroker]:
    with upgraded_broker() as broker:
        yield broker


@pytest.fixture
def installation(empty_server: ApiServer, broker: LocalBroker, snapshot: Snapshot, tmp_path: Path) -> Installation:
    """The release before, with what its operator left."""
    installation = Installation(empty_server, tmp_path)
    installation.install(snapshot.chart)
    snapshot.restore(empty_server, broker)
    return installation
