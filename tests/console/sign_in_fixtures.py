"""The API server of tests of the sign-in, accounts on it, and a console behind the door of a cluster."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from kwitness.e2e.api_server import ApiServer
from kwitness.runtime.api_access import ApiAccess, find_access

from tests.console.cluster_console import Accounts, Browser, ClusterConsole, cluster_console
from tests.console.openid_provider import CLIENT, OpenIdProvider


@pytest.fixture(scope="session")
def api_access(api_server: ApiServer) -> ApiAccess:
    return find_access(api_server.kubeconfig)


@pytest.fixture(scope="session")
def accounts(api_server: ApiServer) -> Accounts:
    """Accounts with a role to see clients, and the namespaces red, blue and green."""
    found = Accounts(api_server)
    found.prepare()
    return found


@pytest.fixture
async def cluster(api_access: ApiAccess) -> AsyncIterator[ClusterConsole]:
    async with cluster_console(api_access) as served:
        yield served


@pytest.fixture
async def visitor(cluster: ClusterConsole) -> Browser:
    return await cluster.browser()


@pytest.fixture(scope="session")
def started_provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenIdProvider]:
    started = OpenIdProvider(tmp_path_factory.mktemp("login")).start()
    yield started
    started.stop()


@pytest.fixture
def provider(started_provider: OpenIdProvider) -> OpenIdProvider:
    """An OpenID provider that does not lie yet."""
    started_provider.reset()
    return started_provider


@pytest.fixture(scope="session")
def trusting_server(started_provider: OpenIdProvider) -> Iterator[ApiServer]:
    """An API server that knows the provider as issuer, whose group red-team may see clients of the namespace red."""
    arguments = (
        f"--oidc-issuer-url={started_provider.issuer}",
        f"--oidc-client-id={CLIENT}",
        f"--oidc-ca-file={started_provider.ca_file}",
        "--oidc-username-prefix=oidc:",
        "--oidc-groups-claim=groups",
        "--oidc-groups-prefix=oidc:",
    )
    with ApiServer(arguments=arguments) as server:
        Accounts(server).prepare()
        yield server


@pytest.fixture(scope="session")
def trusting_access(trusting_server: ApiServer) -> ApiAccess:
    return find_access(trusting_server.kubeconfig)
