"""Checks the sign-in at an OpenID provider whose ID tokens go to an API server that trusts it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey
from yarl import URL

from kwitness.console.sign_in import attempts, oidc_flow
from kwitness.console.sign_in.cluster_door import FLOW_COOKIE, SESSION_COOKIE
from kwitness.runtime.api_access import ApiAccess

from tests.console.cluster_console import ClusterConsole
from tests.console.oidc_console import oidc_console, signed_in, way_back
from tests.console.openid_provider import CLIENT, SECRET, OpenIdProvider, new_key


@pytest.fixture
async def console(
    trusting_access: ApiAccess, provider: OpenIdProvider, tmp_path: Path
) -> AsyncIterator[ClusterConsole]:
    async with oidc_console(trusting_access, provider, tmp_path) as served:
        yield served


async def test_the_token_of_the_provider_is_that_of_the_api_server(
    console: ClusterConsole, provider: OpenIdProvider
) -> None:
    browser = await console.browser()
    first = await browser.get("/topics?order=-writers")
    assert "Sign in with localhost" in first.text
    assert 'href="/sign-in/oidc?back=/topics%3Forder%3D-writers"' in first.text

    answer = await signed_in(browser, provider, "/topics%3Forder%3D-writers")

    assert (answer.status, answer.headers["Location"]) == (303, "/topics?order=-writers")
    assert (await browser.get()).reader == {
        "name": "oidc:ann",
        "namespaces": ["red"],
        "writes": True,
        "signs_out": "/sign-out",
    }
    assert list(browser.cookies) == [SESSION_COOKIE]


async def test_a_person_without_permission_is_shown_the_own_name(
    console: ClusterConsole, provider: OpenIdProvider
) -> None:
    provider.person = {"sub": "bob o'neil"}
    browser = await console.browser()
    assert (await signed_in(browser, provider)).status == 303
    answer = await browser.get()

    assert answer.status == 403
    assert (
        "kubectl create rolebinding kwitness-clients-oidc-bob-o-neil --clusterrole=view &#39;--user=oidc:bob o"
        in answer.text
    )


async def test_the_cookie_on_the_way_has_no_secret_and_is_for_this_host_alone(
    console: ClusterConsole, provider: OpenIdProvider
) -> None:
    browser = await console.browser()
    answer = await browser.get("/sign-in/oidc")
    [cookie] = answer.cookies
    query = URL(answer.headers["Location"]).query

    assert cookie.startswith(f"{FLOW_COOKIE}=")
    assert all(flag in cookie for flag in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=600"))
    assert not any(query[name] in cookie for name in ("state", "nonce", "code_challenge"))


async def test_a_code_is_worth_nothing_without_the_verifier_of_its_own_flow(
    console: ClusterConsole, provider: OpenIdProvider
) -> None:
    browser, thief = await console.browser(), await console.browser()
    stolen = URL(await way_back(browser, provider)).query["code"]
    own = URL(await way_back(thief, provider)).query["state"]
    answer = await thief.get(f"/sign-in/return?code={stolen}&state={own}")

    assert "does not accept its code" in answer.reason
    assert thief.cookies == {}


@pytest.mark.parametrize("change", [{"state": "guess"}, {"state": ""}, {"iss": "https://other.example.org"}])
async def test_another_state_or_issuer_on_the_way_back_lets_nobody_in(
    console: ClusterConsole, provider: OpenIdProvider, change: dict[str, str]
) -> None:
    browser = await console.browser()
    url = URL(await way_back(browser, provider)).update_query(change)
    provider.requests.clear()
    answer = await browser.get(url.raw_path_qs)

    assert (answer.status, browser.cookies, provider.requests) == (401, {}, [])
    assert "sign in again" in answer.reason


async def test_a_way_back_is_of_one_browser_and_goes_once(console: ClusterConsole, provider: OpenIdProvider) -> None:
    browser, other = await console.browser(), await console.browser()
    path = await way_back(browser, provider)
    cookie = f"{FLOW_COOKIE}={browser.cookies[FLOW_COOKIE]}"

    assert "began in another browser" in (await other.get(path)).reason
    assert (await browser.get(path)).status == 303
    assert "began in another browser" in (await browser.get(path)).reason
    assert "can be used once" in (await other.get(path, headers={"Cookie": cookie})).reason
    assert other.cookies == {}


@pytest.mark.parametrize("cookie", ["", "a.b.c.d", "a.1.b", "é.1.Lw.x"])
async def test_cookies_of_strangers_are_no_way_back(console: ClusterConsole, cookie: str) -> None:
    answer = await (await console.browser()).get(
        "/sign-in/return?code=a&state=b", headers={"Cookie": f"{FLOW_COOKIE}={cookie}"}
    )

    assert "began in another browser" in answer.reason


async def test_a_way_that_is_too_long_ends(
    console: ClusterConsole, provider: OpenIdProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = await console.browser()
    path = await way_back(browser, provider)
    cookie = f"{FLOW_COOKIE}={browser.cookies[FLOW_COOKIE]}"
    later = time.time() + oidc_flow.MAX_FLOW_S
    monkeypatch.setattr(oidc_flow.time, "time", lambda: later)

    assert "more than 10 minutes ago" in (await browser.get(path, headers={"Cookie": cookie})).reason


def other_key(claims: dict[str, Any]) -> str:
    key = new_key()
    return jwt.encode({"alg": "RS256", "kid": key.kid}, claims, key)


def by_secret(claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SECRET * 8))


def unsigned(claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "none"}, claims, OctKey.import_key("x" * 32), algorithms=["none"])


def without(*names: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda claims: {name: value for name, value in claims.items() if name not in names}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda claims: claims | {"nonce": "of another sign-in"}, "InvalidClaimError of nonce"),
        (lambda claims: claims | {"aud": "another client"}, "InvalidClaimError of aud"),
        (lambda claims: claims | {"aud": ["another client", CLIENT], "azp": "another client"}, "another client (azp)"),
        (lambda claims: claims | {"iss": "https://other.example.org"}, "InvalidClaimError of iss"),
        (lambda claims: claims | {"exp": claims["iat"] - 60}, "ExpiredTokenError"),
        (lambda claims: claims | {"iat": claims["iat"] + 600}, "InvalidClaimError of iat"),
        (without("nonce"), "MissingClaimError of nonce"),
        (without("exp"), "MissingClaimError of exp"),
        (without("aud"), "MissingClaimError of aud"),
    ],
)
async def test_claims_that_are_wrong_let_nobody_in(
    console: ClusterConsole, provider: OpenIdProvider, change, reason: str
) -> None:
    provider.change = change
    browser = await console.browser()
    answer = await signed_in(browser, provider)

    assert (answer.status, browser.cookies) == (401, {})
    assert reason in answer.reason


@pytest.mark.parametrize("sign", [other_key, by_secret, unsigned, lambda _: "no.token", lambda _: "x" * 100])
async def test_other_signatures_let_nobody_in(console: ClusterConsole, provider: OpenIdProvider, sign) -> None:
    provider.sign = sign
    browser = await console.browser()
    answer = await signed_in(browser, provider)

    assert (answer.status, browser.cookies) == (401, {})
    assert "is not accepted" in answer.reason


async def test_a_new_key_of_the_provider_is_found_and_the_old_one_forgotten(
    console: ClusterConsole, provider: OpenIdProvider
) -> None:
    browser = await console.browser()
    assert (await signed_in(browser, provider)).status == 303
    old, provider.key = provider.key, new_key()
    assert (await signed_in(browser, provider)).status == 303
    assert (await browser.get()).reader["namespaces"] == ["red"]

    provider.sign = lambda claims: jwt.encode({"alg": "RS256", "kid": old.kid}, claims, old)
    assert (await signed_in(browser, provider)).status == 401


async def test_a_session_ends_with_the_id_token(console: ClusterConsole, provider: OpenIdProvider) -> None:
    end = time.time() + 3
    provider.change = lambda claims: claims | {"exp": int(end)}
    browser = await console.browser()
    await signed_in(browser, provider)
    assert (await browser.get()).status == 200

    await asyncio.sleep(end - time.time())
    assert (await browser.get("/topics")).reason == "Your session has ended."


async def test_a_person_whom_the_provider_refuses_is_shown_its_error_alone(
    console: ClusterConsole, provider: OpenIdProvider
) -> None:
    browser = await console.browser()
    state = URL(await way_back(browser, provider)).query["state"]
    answer = await browser.get(f"/sign-in/return?state={state}&error=access_denied&error_description=call+555-0100")

    assert answer.reason == "The provider did not sign you in (access_denied): try again there."
    assert "555" not in answer.text


async def test_refused_codes_are_bounded_by_the_minute(
    console: ClusterConsole, provider: OpenIdProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "MAX_REFUSED_OF_PEER", 2)
    browser = await console.browser()
    statuses = []
    for _ in range(3):
        state = URL(await way_back(browser, provider)).query["state"]
        statuses.append((await browser.get(f"/sign-in/return?code=guess&state={state}")).status)

    assert statuses == [401, 401, 429]


async def test_an_api_server_that_does_not_know_the_issuer_lets_nobody_in(
    api_access: ApiAccess, accounts: object, provider: OpenIdProvider, tmp_path: Path
) -> None:
    async with oidc_console(api_access, provider, tmp_path) as console:
        browser = await console.browser()
        answer = await signed_in(browser, provider)

    assert (answer.status, browser.cookies) == (401, {})
    assert "sets oidc.checkedBy to console" in answer.reason
