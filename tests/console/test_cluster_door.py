"""Checks who is let in to the console of a cluster by a token, and what that person may see: the API server decides."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shlex
import time
from dataclasses import replace

import pytest
from yarl import URL

from kwitness.console.index.reader_schema import known_namespaces
from kwitness.e2e.api_server import ApiServer
from kwitness.runtime.api_access import ApiAccess

from tests.console.cluster_console import Accounts, Browser, Relay, cluster_console
from tests.console.open_console import OpenConsole

SOON = 0.3
"""Seconds for which answers are used, in tests that wait for their end."""


def forged(token: str, **claims: object) -> str:
    """Return a token with other claims below its signature."""
    header, body, signature = token.split(".")
    content = json.loads(base64.urlsafe_b64decode(body + "==")) | claims
    return f"{header}.{base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip('=')}.{signature}"


async def holds(browser: Browser, path: str, status: int) -> str:
    """Ask until the answer has this status."""
    until = time.monotonic() + 30
    while (answer := await browser.get(path)).status != status:
        assert time.monotonic() < until, answer.text
        await asyncio.sleep(0.1)
    return answer.text


async def test_a_role_in_a_namespace_shows_that_namespace(visitor: Browser, accounts: Accounts) -> None:
    answer = await visitor.sign_in(accounts.token("red-team"), "/topics?order=-writers")

    assert (answer.status, answer.headers["Location"]) == (303, "/topics?order=-writers")
    assert (await visitor.get()).reader == {
        "name": "system:serviceaccount:default:red-team",
        "namespaces": ["red"],
        "writes": True,
        "signs_out": "/sign-out",
    }


async def test_a_role_in_all_namespaces_shows_all(visitor: Browser, accounts: Accounts) -> None:
    await visitor.sign_in(accounts.token("platform"))

    assert (await visitor.get()).reader["namespaces"] is None


async def test_a_namespace_has_a_review_once_the_index_knows_it(api_access: ApiAccess, accounts: Accounts) -> None:
    token = accounts.token("red-team")
    async with cluster_console(api_access, namespaces=["blue"], permissionsSeconds=SOON) as console:
        browser = await console.browser()
        await browser.sign_in(token)
        assert (await browser.get()).status == 403
        console.namespaces.append("red")

        await holds(browser, "/", 200)


async def test_without_permission_a_page_has_the_line_that_gives_it(
    api_server: ApiServer, api_access: ApiAccess, accounts: Accounts
) -> None:
    token = accounts.token("newcomer")
    async with cluster_console(api_access, clientsRole="see-clients", permissionsSeconds=SOON) as console:
        browser = await console.browser()
        assert (await browser.sign_in(token)).status == 303
        answer = await browser.get()

        assert answer.status == 403
        assert "system:serviceaccount:default:newcomer" in answer.text
        line = next(found for found in re.findall(r"<code>(kubectl .*?)</code>", answer.text) if "rolebinding" in found)
        await asyncio.to_thread(api_server.kubectl, *shlex.split(line.replace("NAMESPACE", "green"))[1:])
        await holds(browser, "/", 200)

        assert (await browser.get()).reader["namespaces"] == ["green"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda _: "", "This is no token"),
        (lambda _: "two words", "This is no token"),
        (lambda _: "x" * 16_385, "This is no token"),
        (lambda _: "garbage", "does not accept this token"),
        (lambda token: token[:-8] + "AAAAAAAA", "does not accept this token"),
        (lambda token: forged(token, sub="system:serviceaccount:default:platform"), "does not accept this token"),
        (lambda token: forged(token, exp=1), "This token has expired"),
    ],
)
async def test_other_tokens_let_nobody_in(visitor: Browser, accounts: Accounts, change, reason: str) -> None:
    answer = await visitor.sign_in(change(accounts.token("red-team")))

    assert answer.status == 401
    assert reason in answer.reason
    assert visitor.cookies == {}
    assert (await visitor.get()).status == 401


async def test_a_token_for_another_audience_lets_nobody_in(visitor: Browser, accounts: Accounts) -> None:
    answer = await visitor.sign_in(accounts.token("platform", audiences=["kwitness-inventory.default.main"]))

    assert (answer.status, visitor.cookies) == (401, {})
    assert "without an audience of its own" in answer.reason


async def test_a_permission_that_is_removed_ends_within_the_time_of_an_answer(
    api_access: ApiAccess, accounts: Accounts
) -> None:
    accounts.allow("leaver", "red")
    accounts.allow("leaver", "blue", "see-clients")
    async with cluster_console(api_access, permissionsSeconds=SOON) as console:
        browser = await console.browser()
        await browser.sign_in(accounts.token("leaver"))
        assert (await browser.get()).reader["namespaces"] == ["blue", "red"]

        await asyncio.to_thread(accounts.forbid, "leaver", "red")
        await asyncio.sleep(2 * SOON)
        assert (await browser.get()).reader["namespaces"] == ["blue"]

        await asyncio.to_thread(accounts.forbid, "leaver", "blue")
        await asyncio.sleep(2 * SOON)
        assert (await browser.get()).status == 403


async def test_an_account_that_is_deleted_ends_its_sessions(
    api_server: ApiServer, api_access: ApiAccess, accounts: Accounts
) -> None:
    accounts.allow("gone", "red")
    async with cluster_console(api_access, permissionsSeconds=SOON) as console:
        browser = await console.browser()
        await browser.sign_in(accounts.token("gone"))
        assert (await browser.get("/topics")).status == 200

        await asyncio.to_thread(api_server.objects.delete, "serviceaccount", "gone", namespace="default")
        await holds(browser, "/topics", 401)
        answer = await browser.get("/topics?a=b")

    assert answer.reason == "Your session has ended."
    assert 'name="back" value="/topics?a=b"' in answer.text


async def test_without_the_api_server_nobody_new_is_let_in_and_old_answers_end(
    api_access: ApiAccess, accounts: Accounts
) -> None:
    token = accounts.token("red-team")
    relay = Relay(URL(api_access.server).port or 443)
    await relay.open()
    async with cluster_console(
        replace(api_access, server=f"https://127.0.0.1:{relay.port}"), permissionsSeconds=2 * SOON
    ) as console:
        browser, other = await console.browser(), await console.browser()
        await browser.sign_in(token)
        assert (await browser.get()).status == 200
        await relay.cut()

        refused = await other.sign_in(accounts.token("platform"))
        assert (refused.status, other.cookies) == (503, {})
        assert "cannot be reached" in refused.text
        assert "try again" in refused.text
        assert "red" not in await holds(browser, "/", 503)

        await relay.open()
        await holds(browser, "/", 200)
    await relay.cut()


async def test_a_proxy_passes_the_token_on_with_each_request(api_access: ApiAccess, accounts: Accounts) -> None:
    red, platform = accounts.token("red-team"), accounts.token("platform")
    async with cluster_console(api_access, methods=["proxy"]) as console:
        browser = await console.browser()

        assert (await browser.get(headers={"Authorization": f"Bearer {red}"})).reader["namespaces"] == ["red"]
        all_of_them = (await browser.get(headers={"Authorization": f"bearer {platform}"})).reader
        assert (all_of_them["namespaces"], all_of_them["signs_out"]) == (None, None)
        assert (await browser.get()).status == 401
        assert browser.cookies == {}
        assert (await browser.sign_in(platform)).status == 401
        assert (await browser.get(headers={"X-Forwarded-Access-Token": platform})).status == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-User": "platform"},
        {"X-Forwarded-Email": "admin@example.org", "X-Forwarded-Groups": "system:masters"},
        {"X-Remote-User": "admin", "X-Remote-Group": "system:masters"},
        {"Impersonate-User": "admin"},
        {"Authorization": "Basic YWRtaW46YWRtaW4="},
        {"Authorization": "Bearer system:serviceaccount:default:platform"},
        {"Authorization": "Bearer "},
    ],
)
async def test_a_name_in_a_header_lets_no_request_in(api_access: ApiAccess, accounts: Accounts, headers) -> None:
    async with cluster_console(api_access, methods=["proxy", "token"]) as console:
        answer = await (await console.browser()).get(headers=headers)

    assert answer.status == 401


async def test_a_header_that_settings_name_has_a_token_and_a_name_beside_it_changes_nothing(
    api_access: ApiAccess, accounts: Accounts
) -> None:
    token = accounts.token("red-team")
    async with cluster_console(api_access, methods=["proxy"], proxyHeader="X-Forwarded-Access-Token") as console:
        browser = await console.browser()
        given = {"X-Forwarded-Access-Token": token, "X-Forwarded-User": "platform", "Impersonate-User": "admin"}

        assert (await browser.get(headers=given)).reader["namespaces"] == ["red"]
        assert (await browser.get(headers={"Authorization": f"Bearer {token}"})).status == 401
        twice = [("X-Forwarded-Access-Token", token), ("X-Forwarded-Access-Token", accounts.token("platform"))]
        assert (await browser.get(headers=twice)).status == 401


async def test_a_bearer_token_is_not_read_where_no_proxy_is_set(visitor: Browser, accounts: Accounts) -> None:
    assert (await visitor.get(headers={"Authorization": f"Bearer {accounts.token('platform')}"})).status == 401


async def test_the_index_knows_the_namespaces_of_reviews(console: OpenConsole) -> None:
    assert known_namespaces(console.console._database) == {"shop", "stranger"}
