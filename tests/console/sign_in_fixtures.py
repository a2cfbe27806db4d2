"""The API server of tests of the sign-in, accounts on it, and a console behind the door of a cluster."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from kwitness.e2e.api_server import ApiServer
from kwitness.runtime.api_access import ApiAccess, find_access

from tests.console.cluster_console import Accounts, Browser, ClusterConsole, cluster_console


@pytest.fixture(scope="session")
def api_access(api_server: ApiServer) -> ApiAccess:
    return find_access(api_server.kubeconfig)


@pytest.fixture(scope="session")
def accounts(api_server: ApiServer) -> Accounts:
    """Accounts with a role to see clients, and the namespaces red, blue and green."""
    found = Accounts(api_server)
    found.role()
    for name in ("red", "blue", "green"):
        api_server.objects.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    found.allow("red-team", "red")
    found.allow("platform", None)
    return found


@pytest.fixture
async def cluster(api_access: ApiAccess) -> AsyncIterator[ClusterConsole]:
    async with cluster_console(api_access) as served:
        yield served


@pytest.fixture
async def visitor(cluster: ClusterConsole) -> Browser:
    return await cluster.browser()
