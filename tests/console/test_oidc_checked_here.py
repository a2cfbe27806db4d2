"""Checks the sign-in whose ID tokens the console checks itself, and providers that are away or lie."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from yarl import URL

from kwitness.console.sign_in import openid_provider
from kwitness.console.sign_in.cluster_door import SESSION_COOKIE
from kwitness.e2e.api_server import ApiServer
from kwitness.runtime.api_access import ApiAccess

from tests.console.cluster_console import Accounts, ClusterConsole
from tests.console.oidc_console import oidc_console, signed_in, way_back
from tests.console.openid_provider import OpenIdProvider

HERE = {"checkedBy": "console", "usernamePrefix": "oidc:", "groupsPrefix": "oidc:"}


@pytest.fixture(scope="session")
def pod_access(api_access: ApiAccess, accounts: Accounts, api_server: ApiServer) -> ApiAccess:
    """The API server, which knows no provider, and the account of the console's pod there."""
    token = accounts.token("console")
    accounts.allow("console", None, "system:auth-delegator")
    return replace(api_access, token=token)


@pytest.fixture
async def console(pod_access: ApiAccess, provider: OpenIdProvider, tmp_path: Path) -> AsyncIterator[ClusterConsole]:
    async with oidc_console(pod_access, provider, tmp_path, **HERE) as served:
        yield served


async def test_the_account_of_the_pod_asks_for_the_user_and_nothing_can_be_written(
    console: ClusterConsole, provider: OpenIdProvider
) -> None:
    browser = await console.browser()
    assert (await signed_in(browser, provider)).status == 303

    reader = (await browser.get()).reader
    assert (reader["name"], reader["namespaces"], reader["writes"]) == ("oidc:ann", ["red"], False)


async def test_groups_of_kubernetes_itself_are_not_those_of_a_provider(
    pod_access: ApiAccess, provider: OpenIdProvider, tmp_path: Path
) -> None:
    provider.person["groups"] = ["system:masters", "system:serviceaccounts", "", 7]
    async with oidc_console(pod_access, provider, tmp_path, checkedBy="console") as console:
        browser = await console.browser()
        await signed_in(browser, provider)

        assert (await browser.get()).status == 403


@pytest.mark.parametrize(
    ("person", "settings", "reason"),
    [
        ({"sub": "system:admin"}, {"usernamePrefix": ""}, "set oidc.usernamePrefix"),
        ({"sub": "ann"}, {"usernameClaim": "email"}, "has no claim email"),
        ({"sub": "ann", "email": "a@example.org", "email_verified": False}, {"usernameClaim": "email"}, "not verified"),
        ({"sub": 7}, {}, "InvalidClaimError of sub"),
    ],
)
async def test_names_that_prove_nothing_let_nobody_in(
    pod_access: ApiAccess, provider: OpenIdProvider, tmp_path: Path, *, person, settings, reason: str
) -> None:
    provider.person = person
    async with oidc_console(pod_access, provider, tmp_path, **{**HERE, **settings}) as console:
        browser = await console.browser()
        answer = await signed_in(browser, provider)

    assert (answer.status, browser.cookies) == (401, {})
    assert reason in answer.reason


async def test_a_pod_without_permission_names_the_role_that_it_lacks(
    api_access: ApiAccess, accounts: Accounts, provider: OpenIdProvider, tmp_path: Path
) -> None:
    access = replace(api_access, token=accounts.token("console-without-role"))
    async with oidc_console(access, provider, tmp_path, **HERE) as console:
        browser = await console.browser()
        answer = await signed_in(browser, provider)

    assert (answer.status, SESSION_COOKIE in browser.cookies) == (503, False)
    assert "bind its account to system:auth-delegator" in answer.text


@pytest.mark.parametrize(
    ("path", "status", "body", "reason"),
    [
        ("/description", 200, {"issuer": "https://other.example.org"}, "describes another issuer"),
        ("/description", 500, {}, "it answered 500"),
        ("/description", 302, {}, "it answered 302"),
        ("/description", 200, ["no object"], "not a JSON object"),
        ("/description", 200, {"issuer": "x" * 262_144}, "more than 256 KiB"),
    ],
)
async def test_a_provider_that_describes_itself_wrongly_is_not_used(
    console: ClusterConsole, provider: OpenIdProvider, *, path: str, status: int, body, reason: str
) -> None:
    provider.answers[path] = status, body
    browser = await console.browser()
    answers = [await browser.get("/sign-in/oidc") for _ in range(3)]

    assert [answer.status for answer in answers] == [503] * 3
    assert reason in answers[-1].text
    assert provider.requests == ["/description"]


@pytest.mark.parametrize("endpoint", ["http://login.example.org/token", "", None, "file:///etc/passwd"])
async def test_addresses_that_are_not_https_get_no_secret(
    console: ClusterConsole, provider: OpenIdProvider, endpoint: str | None
) -> None:
    provider.answers["/description"] = (
        200,
        {
            "issuer": provider.issuer,
            "authorization_endpoint": f"{provider.issuer}/authorize",
            "token_endpoint": endpoint,
        },
    )
    browser = await console.browser()
    answer = await signed_in(browser, provider)

    assert answer.status == 503
    assert "no token_endpoint that begins with https://" in answer.text


@pytest.mark.parametrize(
    ("path", "status", "body", "reason"),
    [
        ("/token", 200, {}, "request the scope openid"),
        ("/token", 307, {}, "it answered 307 to /token"),
        ("/keys", 200, {"keys": [{}] * 101}, "no list of 100 keys at most"),
        ("/keys", 200, {"keys": [{"kty": "RSA"}]}, "key set cannot be read"),
        ("/keys", 200, {"keys": []}, "key set cannot be read"),
        ("/keys", 404, {}, "it answered 404 to /keys"),
    ],
)
async def test_a_provider_that_answers_wrongly_lets_nobody_in(
    console: ClusterConsole, provider: OpenIdProvider, *, path: str, status: int, body, reason: str
) -> None:
    provider.answers[path] = status, body
    browser = await console.browser()
    answer = await signed_in(browser, provider)

    assert (answer.status, SESSION_COOKIE in browser.cookies) == (503, False)
    assert reason in answer.text


async def test_a_secret_that_is_wrong_or_lacking_is_named(
    console: ClusterConsole, provider: OpenIdProvider, tmp_path: Path
) -> None:
    browser = await console.browser()
    (tmp_path / "secret").write_text("another")
    assert "compare oidc.clientId and its secret" in (await signed_in(browser, provider)).text

    (tmp_path / "secret").unlink()
    assert "cannot be read from its file" in (await signed_in(browser, provider)).text


async def test_a_provider_that_is_away_lets_nobody_new_in_until_it_is_back(
    console: ClusterConsole, provider: OpenIdProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openid_provider, "_PROBLEM_S", 0.1)
    monkeypatch.setattr(openid_provider, "_DESCRIBED_S", 0.1)
    browser, other = await console.browser(), await console.browser()
    await signed_in(browser, provider)
    path = await way_back(other, provider)
    await asyncio.sleep(0.2)
    await asyncio.to_thread(provider.close)

    assert "cannot be reached" in (await other.get(path)).text
    assert (await other.get("/sign-in/oidc")).status == 503
    assert (await browser.get()).status == 200

    await asyncio.to_thread(provider.listen)
    await asyncio.sleep(0.2)
    assert (await signed_in(other, provider)).status == 303


async def test_a_provider_whose_certificate_is_not_trusted_is_not_used(
    pod_access: ApiAccess, provider: OpenIdProvider, tmp_path: Path
) -> None:
    async with oidc_console(pod_access, provider, tmp_path, **HERE, caFile=None) as console:
        answer = await (await console.browser()).get("/sign-in/oidc")

    assert answer.status == 503
    assert "name its CA in oidc.caFile" in answer.text


async def test_scopes_are_those_of_settings_with_openid(
    pod_access: ApiAccess, provider: OpenIdProvider, tmp_path: Path
) -> None:
    async with oidc_console(pod_access, provider, tmp_path, **HERE, scopes=["email"]) as console:
        address = (await (await console.browser()).get("/sign-in/oidc")).headers["Location"]

    assert URL(address).query["scope"] == "openid email"
