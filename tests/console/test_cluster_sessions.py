"""Checks sessions of the console in a cluster: cookies, addresses, forms, their end, and what strangers cost."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from kwitness.console import readers
from kwitness.console.sign_in import attempts, permissions, sessions
from kwitness.console.sign_in.attempts import Attempts
from kwitness.console.sign_in.cluster_door import SESSION_COOKIE
from kwitness.console.sign_in.credentials import Credential
from kwitness.console.sign_in.permissions import Permissions
from kwitness.console.sign_in.reviews import ApiReviews
from kwitness.console.sign_in.sessions import Sessions
from kwitness.e2e.api_server import ApiServer
from kwitness.runtime.api_access import ApiAccess

from tests.console.cluster_console import Accounts, Browser, ClusterConsole, cluster_console


async def test_the_cookie_is_of_this_host_alone_and_no_script_reads_it(visitor: Browser, accounts: Accounts) -> None:
    token = accounts.token("red-team")
    [cookie] = (await visitor.sign_in(token)).cookies

    assert cookie.startswith("__Host-")
    for flag in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/"):
        assert flag in cookie, flag
    assert "Domain" not in cookie
    assert not any(part in cookie for part in token.split("."))


async def test_tokens_are_in_no_log_page_or_error(
    api_access: ApiAccess, accounts: Accounts, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    good, bad = accounts.token("red-team"), "sha256~" + "stranger" * 8
    shown = []
    async with cluster_console(api_access, methods=["token", "proxy"]) as console:
        browser = await console.browser()
        shown += [await browser.sign_in(bad), await browser.sign_in(good), await browser.get()]
        shown += [await browser.get(headers={"Authorization": f"Bearer {token}"}) for token in (bad, good)]
        shown += [await browser.post("/sign-out")]

    assert [answer.status for answer in shown] == [401, 303, 200, 401, 200, 200]
    texts = [caplog.text, *(f"{answer.text}{dict(answer.headers)}{answer.cookies}" for answer in shown)]
    for secret in (bad, *good.split(".")[1:]):
        assert not any(secret in text for text in texts)
    assert "system:serviceaccount:default:red-team" in [getattr(record, "reader", "") for record in caplog.records]


async def test_each_sign_in_has_a_new_id_and_the_one_before_is_worth_nothing(
    cluster: ClusterConsole, accounts: Accounts
) -> None:
    browser, thief = await cluster.browser(), await cluster.browser()
    browser.session.cookie_jar.update_cookies({SESSION_COOKIE: "chosen-by-a-stranger"})
    await browser.sign_in(accounts.token("red-team"))
    first = browser.cookies[SESSION_COOKIE]
    await browser.sign_in(accounts.token("platform"))
    second = browser.cookies[SESSION_COOKIE]

    assert len({"chosen-by-a-stranger", first, second}) == 3
    for number, status in (("chosen-by-a-stranger", 401), (first, 401), (second, 200)):
        assert (await thief.get(headers={"Cookie": f"{SESSION_COOKIE}={number}"})).status == status


async def test_two_browsers_see_what_each_may(cluster: ClusterConsole, accounts: Accounts) -> None:
    one, other = await cluster.browser(), await cluster.browser()
    await one.sign_in(accounts.token("red-team"))
    await other.sign_in(accounts.token("platform"))

    assert (await one.get()).reader["namespaces"] == ["red"]
    assert (await other.get()).reader["namespaces"] is None
    await one.post("/sign-out")
    assert [(await each.get()).status for each in (one, other)] == [401, 200]


async def test_signing_out_ends_the_session_also_for_who_has_its_cookie(visitor: Browser, accounts: Accounts) -> None:
    await visitor.sign_in(accounts.token("red-team"))
    number = visitor.cookies[SESSION_COOKIE]
    answer = await visitor.post("/sign-out")

    assert answer.reason == "You have signed out."
    assert visitor.cookies == {}
    assert (await visitor.get(headers={"Cookie": f"{SESSION_COOKIE}={number}"})).reason == "Your session has ended."


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1", "localhost", ""])
async def test_other_names_are_refused_also_with_the_cookie(visitor: Browser, accounts: Accounts, host: str) -> None:
    await visitor.sign_in(accounts.token("red-team"))

    for path in ("/", "/sign-in", "/static/console.css"):
        assert (await visitor.get(path, headers={"Host": host})).status == 403


@pytest.mark.parametrize("origin", ["http://example.org", "null", None])
@pytest.mark.parametrize("path", ["/sign-in", "/sign-out", "/preferences"])
async def test_forms_of_other_sites_are_refused(
    visitor: Browser, accounts: Accounts, path: str, origin: str | None
) -> None:
    token = accounts.token("red-team")
    await visitor.sign_in(token)
    headers = {"Origin": origin} if origin else {}

    assert (await visitor.post(path, {"token": token}, headers=headers)).status == 403
    assert (await visitor.get()).status == 200


@pytest.mark.parametrize(
    ("back", "location"),
    [
        ("/clients/a%2Fb?x=1", "/clients/a%2Fb?x=1"),
        ("//example.org/", "/"),
        ("/\\example.org", "/"),
        ("https://example.org/", "/"),
        ("/a\r\nSet-Cookie: a=b", "/"),
        ("/" + "a" * 2_048, "/"),
        ("", "/"),
    ],
)
async def test_signing_in_goes_back_to_an_address_of_the_console_alone(
    visitor: Browser, accounts: Accounts, back: str, location: str
) -> None:
    assert (await visitor.sign_in(accounts.token("red-team"), back)).headers["Location"] == location


async def test_a_first_visit_gets_the_form_which_returns_to_the_address(visitor: Browser) -> None:
    answer = await visitor.get("/topics/orders?order=-lag")

    assert (answer.status, answer.reason) == (401, "")
    assert 'name="back" value="/topics/orders?order=-lag"' in answer.text
    assert "kubectl create token NAME" in answer.text
    assert answer.headers["HX-Refresh"] == "true"
    assert answer.headers["Cache-Control"] == "no-store"


async def test_a_form_larger_than_any_token_is_not_read(visitor: Browser) -> None:
    answer = await visitor.post("/sign-in", {"token": "x" * 20_481})

    assert answer.status == 413
    assert "too large" in answer.text


async def test_a_session_ends_with_its_token_and_with_its_age(
    visitor: Browser, accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    await visitor.sign_in(accounts.token("red-team"))
    now = time.time()
    for later, status in ((3_500, 200), (3_700, 401)):
        monkeypatch.setattr(sessions.time, "time", lambda moment=now + later: moment)
        assert (await visitor.get()).status == status


def test_sessions_of_a_person_and_of_all_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Sessions()
    credential = Credential.of_token("token")
    own = [kept.begin(credential, "one") for _ in range(sessions.MAX_OF_USER + 1)]
    other = kept.begin(credential, "other")

    assert [kept.find(number) is not None for number in own] == [False] + [True] * sessions.MAX_OF_USER
    monkeypatch.setattr(sessions, "MAX_SESSIONS", len(kept))
    newest = kept.begin(credential, "third")
    assert kept.find(other) is None
    assert all(kept.find(number) for number in (*own[1:], newest))

    end = time.time() + sessions.MAX_AGE_S
    monkeypatch.setattr(sessions.time, "time", lambda: end)
    assert kept.find(newest) is None


async def test_refused_sign_ins_are_bounded_by_the_minute_and_who_is_signed_in_goes_on(
    api_server: ApiServer, api_access: ApiAccess, accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "MAX_REFUSED_OF_PEER", 3)
    red, platform = accounts.token("red-team"), accounts.token("platform")
    async with cluster_console(api_access, methods=["token", "proxy"]) as console:
        browser, stranger = await console.browser(), await console.browser()
        await browser.sign_in(red)
        begin = api_server.audit_end()
        statuses = [(await stranger.sign_in(f"guess-{number}")).status for number in range(6)]
        statuses += [
            (await stranger.get(headers={"Authorization": f"Bearer guess-{number}"})).status for number in (7, 8)
        ]
        last = await stranger.sign_in(platform)
        reviews = [event for event in api_server.audit(begin) if event["verb"] == "create"]

        assert statuses == [401, 401, 401, 429, 429, 429, 429, 429]
        assert (last.status, "try again in a minute" in last.text) == (429, True)
        assert len(reviews) == 3
        assert (await browser.get()).status == 200
        monkeypatch.setattr(attempts, "_MINUTE_S", 0.0)
        assert (await stranger.sign_in(platform)).status == 303


def test_refused_sign_ins_of_all_addresses_and_those_at_once_are_bounded() -> None:
    counted = Attempts()
    for number in range(attempts.MAX_REFUSED):
        with counted.attempt(f"10.0.0.{number}") as attempt:
            attempt.is_refused = True
    with pytest.raises(attempts.RefusedError, match="within a minute"), counted.attempt("10.0.1.1"):
        pass

    busy = Attempts()
    checking = [busy.attempt("10.0.0.1") for _ in range(attempts.MAX_AT_ONCE)]
    for attempt in checking:
        attempt.__enter__()
    with pytest.raises(attempts.RefusedError, match="are being checked"), busy.attempt("10.0.0.2"):
        pass
    for attempt in checking:
        attempt.__exit__(None, None, None)
    with busy.attempt("10.0.0.2"):
        pass


async def test_a_refused_token_has_one_review_in_some_seconds(
    api_server: ApiServer, cluster: ClusterConsole, visitor: Browser
) -> None:
    begin = api_server.audit_end()
    for _ in range(4):
        assert (await visitor.sign_in("the-same-guess")).status == 401

    assert len([event for event in api_server.audit(begin) if event["verb"] == "create"]) == 1


async def test_namespaces_of_a_person_and_known_tokens_are_bounded(
    api_access: ApiAccess, accounts: Accounts, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(permissions, "MAX_NAMESPACES", 2)
    monkeypatch.setattr(permissions, "MAX_KNOWN", 2)
    accounts.allow("all-teams", "blue")
    accounts.allow("all-teams", "red", "see-clients")
    tokens = [accounts.token(name) for name in ("all-teams", "red-team", "platform")]
    async with ApiReviews.opened(api_access) as reviews:
        found = Permissions(reviews, _known("blue", "green", "red"), 60)
        seen = [await found.reader(Credential.of_token(token)) for token in tokens]

        assert [reader and reader.namespaces for reader in seen] == [{"blue"}, set(), None]
        assert "More namespaces have clients than are asked about" in caplog.text
        assert [found.is_known(Credential.of_token(token)) for token in tokens] == [False, True, True]


async def test_a_person_with_more_namespaces_than_a_reader_has_is_shown_what_to_do(
    api_access: ApiAccess, accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readers, "MOST_NAMESPACES", 1)
    accounts.allow("two-teams", "blue")
    accounts.allow("two-teams", "red")
    async with cluster_console(api_access, methods=["proxy"]) as console:
        browser = await console.browser()
        given = {"Authorization": f"Bearer {accounts.token('two-teams')}"}
        for _ in range(2):
            answer = await browser.get(headers=given)

            assert answer.status == 403
            assert "in all of them by a ClusterRoleBinding" in answer.text


async def test_many_requests_of_a_session_ask_once(
    api_server: ApiServer, api_access: ApiAccess, accounts: Accounts
) -> None:
    async with cluster_console(api_access) as console:
        browser = await console.browser()
        token = accounts.token("red-team")
        begin = api_server.audit_end()
        await browser.sign_in(token)
        answers = await asyncio.gather(*(browser.get() for _ in range(20)))
        reviews = [event for event in api_server.audit(begin) if event["verb"] == "create"]

    assert {answer.status for answer in answers} == {200}
    assert len(reviews) == 1 + 1 + 3


async def test_a_client_certificate_is_refused_since_it_would_speak_for_everybody(api_access: ApiAccess) -> None:
    with pytest.raises(ValueError, match="use a service account"):
        async with ApiReviews.opened(replace(api_access, has_client_certificate=True)):
            pass


def _known(*names: str) -> Callable[[], list[str]]:
    return lambda: list(names)
