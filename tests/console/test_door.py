"""Checks the door of a console: a code that is used once, a cookie, names, forms, and headers of answers."""

from __future__ import annotations

import re

import aiohttp
import pytest

from kwitness.answers.access.local_route import LocalRoute
from kwitness.console.answers import HEADERS
from kwitness.console.door import CODE_PATH

from tests.collector.collector_process import CollectorProcess
from tests.console.conftest import opened
from tests.console.open_console import OpenConsole, session_of

ADDRESSES = ("/", "/topics", "/topics/orders", "/clients/checkout", "/static/console.css", "/nothing", "/preferences")


async def stranger(console: OpenConsole, path: str, method: str = "GET", **more: object) -> tuple[int, str]:
    """Return what a program without the cookie gets."""
    async with (
        aiohttp.ClientSession() as other,
        other.request(method, f"{console.door.address}{path}", allow_redirects=False, **more) as answer,
    ):
        return answer.status, await answer.text()


@pytest.mark.parametrize("path", ADDRESSES)
async def test_nothing_is_answered_without_the_cookie_but_the_remedy(shared: OpenConsole, path: str) -> None:
    status, text = await stranger(shared, path)

    assert status == 403
    assert "start kwitness console again" in text
    assert "orders" not in text


async def test_the_code_lets_one_browser_in_and_no_second(fleet: CollectorProcess) -> None:
    async with OpenConsole.over(_route(fleet)) as console:
        entrance = console.door.entrance.removeprefix(console.door.address)

        assert (await stranger(console, f"{CODE_PATH}?code=guess"))[0] == 403
        assert (await stranger(console, CODE_PATH))[0] == 403
        assert (await stranger(console, entrance, "POST"))[0] == 403
        assert (await stranger(console, entrance))[0] == 303
        status, text = await stranger(console, entrance)

        assert status == 403
        assert "was used before" in text


async def test_the_cookie_is_for_this_site_alone_and_no_script_reads_it(fleet: CollectorProcess) -> None:
    async with (
        OpenConsole.over(_route(fleet)) as console,
        aiohttp.ClientSession() as browser,
        browser.get(console.door.entrance, allow_redirects=False) as answer,
    ):
        [cookie] = answer.headers.getall("Set-Cookie")

    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Domain" not in cookie


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1", "localhost.example.org:80", ""])
async def test_other_names_that_resolve_to_this_machine_are_refused_also_with_the_cookie(
    shared: OpenConsole, host: str
) -> None:
    async with shared.browser.get(f"{shared.door.address}/", headers={"Host": host}) as answer:
        assert answer.status == 403
        assert shared.door.address in await answer.text()


async def test_the_cookie_of_another_run_is_refused(shared: OpenConsole, fleet: CollectorProcess) -> None:
    async with opened(session_of(fleet)) as other:
        [cookie] = other.browser.cookie_jar
        name = next(iter(shared.browser.cookie_jar)).key
        status, _ = await stranger(shared, "/", headers={"Cookie": f"{name}={cookie.value}"})

    assert status == 403


@pytest.mark.parametrize("origin", ["http://example.org", "null", None])
async def test_forms_of_other_sites_are_refused(shared: OpenConsole, origin: str | None) -> None:
    headers = {"Origin": origin} if origin else {}
    async with shared.browser.post(
        f"{shared.door.address}/preferences", data={"theme": "dark", "back": "/"}, headers=headers
    ) as answer:
        assert answer.status == 403


@pytest.mark.parametrize(
    ("back", "location"),
    [
        ("/topics?order=-writers", "/topics?order=-writers"),
        ("//example.org/", "/"),
        ("/\\example.org", "/"),
        ("https://example.org/", "/"),
        ("/a\r\nSet-Cookie: a=b", "/"),
        ("", "/"),
    ],
)
async def test_a_preference_leads_back_to_a_page_of_the_console_alone(
    shared: OpenConsole, back: str, location: str
) -> None:
    async with shared.browser.post(
        f"{shared.door.address}/preferences",
        data={"theme": "dark", "back": back},
        headers={"Origin": shared.door.address},
        allow_redirects=False,
    ) as answer:
        assert (answer.status, answer.headers["Location"]) == (303, location)

    assert 'data-theme="dark"' in await shared.get("/")


async def test_every_answer_forbids_inline_scripts_frames_and_other_sites(shared: OpenConsole) -> None:
    for path in (*ADDRESSES, "/enter"):
        async with shared.browser.get(f"{shared.door.address}{path}") as answer:
            assert {name: answer.headers.get(name) for name in HEADERS} == dict(HEADERS), path
            text = await answer.text()
        assert "unsafe" not in HEADERS["Content-Security-Policy"]
        if answer.content_type == "text/html":
            assert "<script>" not in text
            assert "style=" not in text
            assert re.search(r"\son[a-z]+=", text) is None


async def test_pages_that_do_not_exist_say_where_to_go(shared: OpenConsole) -> None:
    for path in ("/nothing", "/static/none.css", "/static/htmx.LICENSE", "/clients/", "/static/..%2fpy.typed"):
        async with shared.browser.get(f"{shared.door.address}{path}") as answer:
            assert answer.status == 404, path
            assert "Go to the fleet" in await answer.text()


def _route(fleet: CollectorProcess) -> LocalRoute:
    return LocalRoute(session_of(fleet))
