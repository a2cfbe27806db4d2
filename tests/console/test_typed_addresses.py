"""Checks pages that a person names on the command line: `kwitness console PAGE`."""

from __future__ import annotations

import os
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from kwitness.answers.access.local_route import LocalRoute
from kwitness.answers.failure import WrongUseError
from kwitness.cli.console import PAGES as COMPLETED
from kwitness.console.pages.all_pages import PAGES
from kwitness.console.pages.typed_address import typed_address
from kwitness.sandbox.session import published

from tests.cli.forked_command import run_forked
from tests.collector.collector_process import CollectorProcess
from tests.console.open_console import OpenConsole, session_of


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("", "/"),
        ("?owner=orders", "/?owner=orders"),
        ("map", "/map"),
        ("/topics?order=-writers", "/topics?order=-writers"),
        ("topics/orders", "/topics/orders"),
        ("subscriptions/shop/slow", "/subscriptions/shop%2Fslow"),
        ("clients/a/b c", "/clients/a%2Fb%20c"),
        ("clients/a%2Fb%20c", "/clients/a%2Fb%20c"),
        ("clients/checkout?x=\r\nSet-Cookie: a", "/clients/checkout?x=%0D%0ASet-Cookie:%20a"),
    ],
)
def test_a_page_is_found_by_its_path_and_names_as_they_are(typed: str, address: str) -> None:
    assert typed_address(typed) == address


@pytest.mark.parametrize("typed", ["nothing", "clients", "clients/", "//example.org", "https://example.org/", "map/x"])
def test_other_pages_are_refused_with_those_that_there_are(typed: str) -> None:
    with pytest.raises(
        WrongUseError, match=r"there is no page .*: there are clients/NAME, topics, .* subscriptions/NAMESPACE/NAME"
    ):
        typed_address(typed)


@pytest.mark.parametrize(
    ("to", "location"),
    [
        ("/clients/a%2Fb", "/clients/a%2Fb"),
        ("//example.org/", "/"),
        ("/\\example.org", "/"),
        ("https://example.org/", "/"),
        ("/a\r\nSet-Cookie: a=b", "/"),
    ],
)
async def test_the_entrance_leads_to_a_page_of_the_console_alone(
    fleet: CollectorProcess, to: str, location: str
) -> None:
    async with (
        OpenConsole.over(LocalRoute(session_of(fleet))) as console,
        aiohttp.ClientSession() as browser,
        browser.get(URL(console.door.entrance_to(to), encoded=True), allow_redirects=False) as answer,
    ):
        assert (answer.status, answer.headers["Location"]) == (303, location)


def test_a_shell_completes_all_pages_of_the_navigation() -> None:
    assert ["/", *(f"/{name}" for name in COMPLETED)] == [page.path for page in PAGES if page.title]


@pytest.mark.slow
def test_the_command_refuses_a_page_before_it_opens(fleet: CollectorProcess, session_folder: Path) -> None:
    with published(session_of(fleet)):
        done = run_forked(["console", "nothing", "--no-browser"], session_folder, {**os.environ})

    assert done.returncode == 2
    assert "kwitness console: there is no page nothing: there are clients/NAME" in done.stderr
    assert done.stdout == ""
