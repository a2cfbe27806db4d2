"""Starts a collector with the invented fleet, and consoles over it in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from kwitness.answers.access.cluster_access import ClusterAccess, connect
from kwitness.answers.access.local_route import LocalRoute
from kwitness.answers.access.options import AccessOptions
from kwitness.e2e.api_server import ApiServer
from kwitness.sandbox.session import Session

from tests.cli.conftest import another_namespace, api, namespace  # noqa: F401 - fixtures of the API server
from tests.collector.collector_process import CollectorProcess
from tests.console.chromium import chromium
from tests.console.finding_samples import apply_jobs
from tests.console.fleet_samples import OWNERS, fill, stay
from tests.console.kept_console import kept, with_another_browser
from tests.console.open_console import OpenConsole, session_of
from tests.console.sign_in_fixtures import (  # noqa: F401
    accounts,
    api_access,
    cluster,
    provider,
    started_provider,
    trusting_access,
    trusting_server,
    visitor,
)
from tests.console.subscription_samples import apply_subscriptions

DRAWN: Final = "shop"
"""The namespace of resources that are drawn."""


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CollectorProcess]:
    """A collector that was filled with the fleet."""
    process = CollectorProcess(tmp_path_factory.mktemp("fleet"))
    process.own(OWNERS)
    process.start()
    fill(process)
    yield process
    process.kill()


@pytest.fixture
def fleet(filled: CollectorProcess) -> CollectorProcess:
    """A collector that knows the fleet now; tests do not change it."""
    stay(filled)
    return filled


@pytest.fixture
def collector(tmp_path: Path) -> Iterator[CollectorProcess]:
    """A collector that knows nothing, of one test."""
    process = CollectorProcess(tmp_path).start()
    yield process
    process.kill()


@pytest.fixture
async def console(fleet: CollectorProcess) -> AsyncIterator[OpenConsole]:
    """A console of the test, which has read the fleet once, and a browser that was let in."""
    async with opened(session_of(fleet)) as opened_console:
        await opened_console.read()
        yield opened_console


@pytest.fixture(scope="session")
def kept_console(filled: CollectorProcess) -> Iterator[OpenConsole]:
    """A console that has read the fleet once, for all tests."""
    with kept(_that_has_read(filled)) as console:
        yield console


@asynccontextmanager
async def _that_has_read(collector: CollectorProcess) -> AsyncIterator[OpenConsole]:
    await asyncio.to_thread(stay, collector)
    async with opened(session_of(collector)) as console:
        await console.read()
        yield console


@pytest.fixture
async def shared(kept_console: OpenConsole) -> AsyncIterator[OpenConsole]:
    """A console that has read the fleet, with a browser of the test; tests leave the console as it is."""
    async with with_another_browser(kept_console) as console:
        yield console


@pytest.fixture
async def unread(fleet: CollectorProcess) -> AsyncIterator[OpenConsole]:
    """A console that has read nothing yet, and a browser that was let in."""
    async with opened(session_of(fleet)) as opened_console:
        yield opened_console


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Chromium, for all tests that draw pages."""
    async with chromium() as started:
        yield started


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def drawn_console(filled: CollectorProcess, api: ApiServer) -> AsyncIterator[OpenConsole]:  # noqa: F811
    """A console that has read fleet and resources once, for all tests that draw pages; they leave it as it is."""
    api.objects.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": DRAWN}})
    apply_subscriptions(api, DRAWN)
    apply_jobs(api, DRAWN)
    stay(filled)
    access = connect(AccessOptions(kubeconfig=api.kubeconfig, namespace=DRAWN))
    async with over_kubernetes(filled, access) as console:
        await console.read()
        yield console


@asynccontextmanager
async def opened(session: Session) -> AsyncIterator[OpenConsole]:
    """Open a console of a session, which has read nothing."""
    async with OpenConsole.over(LocalRoute(session)) as console:
        await console.enter()
        yield console


@pytest.fixture
def session_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of sessions that commands of this process look into."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    return tmp_path


@pytest.fixture
def access(api: ApiServer, namespace: str) -> ClusterAccess:  # noqa: F811
    """The administrator's access to the API server, in a namespace of the test."""
    return connect(AccessOptions(kubeconfig=api.kubeconfig, namespace=namespace))


@asynccontextmanager
async def over_kubernetes(collector: CollectorProcess, access: ClusterAccess) -> AsyncIterator[OpenConsole]:
    """Open a console of a collector and a Kubernetes, whose resources were read once."""
    async with OpenConsole.over(LocalRoute(session_of(collector)), access) as console:
        await console.enter()
        await console.read("resources")
        yield console
