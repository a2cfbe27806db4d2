"""Checks pages in each state, with many rows, with filters and orders, and with names that clients chose."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from urllib.parse import quote, urljoin

import pytest

from kwitness.console.index.members import rebuild
from kwitness.console.index.tables import CONNECTIONS, TRAFFIC
from kwitness.console.pages.names import LONGEST, link_of
from kwitness.sandbox.session import Session

from tests.collector.collector_process import CollectorProcess
from tests.console.conftest import opened
from tests.console.fleet_samples import HOSTILE
from tests.console.kept_console import kept, with_another_browser
from tests.console.open_console import OpenConsole, cells, links, session_of

AWAY = Session(pid=1, bootstrap="", collector_address="127.0.0.1:9", metrics_url="", reader_token="t")
PAGES = ("/", "/?by=client", "/topics", "/topics/orders", "/clients/checkout", "/map", "/map?topic=orders")


async def test_pages_say_that_nothing_was_read_yet(fleet: CollectorProcess) -> None:
    async with opened(session_of(fleet)) as console:
        for path in PAGES:
            page = await console.get(path)
            assert "Reading the collector" in page, path
            assert "not read yet" in page


async def test_pages_say_that_the_collector_is_away_and_what_to_do() -> None:
    async with opened(AWAY) as console:
        await console.read()
        page = await console.get("/")

    assert "Clients cannot be read." in page
    assert "does not answer" in page
    assert "start it again" in page
    assert "The collector has not answered yet" in page
    assert "No client is known" not in page


async def test_rows_stay_while_a_source_is_away_and_numbers_are_lower_bounds(console: OpenConsole) -> None:
    remedy = "the way to it is closed, " + "and this sentence is long, " * 12 + "so open it"
    console.console.sources["connections"].problem = remedy

    page = await console.get("/")

    assert "Connections cannot be read." in page
    assert f"{remedy}." in page
    assert "Rows are those of" in page
    assert '<dd id="connections"><span class="least" title="at least">≥</span> 6</dd>' in page
    assert '<dd id="pushing">4</dd>' in page
    assert len(cells(page)) == 6


async def test_rows_that_cannot_be_put_together_again_say_so(console: OpenConsole) -> None:
    console.console.assembly.problem = "the index is full"

    page = await console.get("/topics")

    assert "These rows are old." in page
    assert "the index is full" in page
    assert len(cells(page)) == 2


async def test_a_partial_answer_names_what_it_lacks(console: OpenConsole) -> None:
    console.console.sources["traffic"].lacks = ("replica 1 of the collector did not answer", "z" * 2_001)

    page = await console.get("/topics/orders")

    assert "Numbers from traffic are lower bounds (≥)." in page
    assert "<li>replica 1 of the collector did not answer.</li>" in page
    assert f"<li>{'z' * 2_000}… (+1 characters).</li>" in page
    assert 'id="writers"><span class="least" title="at least">≥</span> 2</dd>' in page


@pytest.mark.expects_log("GET / cannot be answered")
async def test_a_page_that_cannot_be_made_has_a_mark_by_which_the_terminal_has_the_error(
    console: OpenConsole, caplog: pytest.LogCaptureFixture
) -> None:
    console.console._database.write("DROP TABLE members")

    async with console.browser.get(f"{console.door.address}/") as answer:
        text = await answer.text()

    assert answer.status == 500
    marked = re.search(r"marked ([0-9a-f]{8})\.", text)
    assert marked is not None
    assert marked[1] in caplog.text
    assert answer.headers["Content-Security-Policy"]
    assert "members" not in text


async def test_an_empty_fleet_has_ways_to_see_clients(collector: CollectorProcess) -> None:
    async with opened(session_of(collector)) as console:
        await console.read()
        page = await console.get("/")
        assert "Choose a way:" in page
        assert "No observer counts them." in page
        assert "No topic is in use" in await console.get("/topics")
        assert "No source knows this client now" in await console.get("/clients/checkout")
        assert "Nobody uses this topic now" in await console.get("/topics/orders")


async def test_filters_that_nothing_fits_say_so(shared: OpenConsole) -> None:
    assert "Nothing fits these filters" in await shared.get("/?owner=nobody")
    assert "No topic fits" in await shared.get("/topics?search=nothing")


async def test_names_that_clients_chose_are_text_and_lead_to_their_pages(shared: OpenConsole) -> None:
    page = await shared.get("/?by=client&application=User:stranger")

    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "\x07" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;?gnp?" in page
    address = f"/clients/{quote(HOSTILE, safe='')}"
    assert address in links(page)
    own = await shared.get(address)
    assert "<h1><bdi>&lt;script&gt;alert(1)&lt;/script&gt;?gnp?" in own
    assert "User:stranger" in own
    assert "kwitness why &#39;&lt;script&gt;alert(1)&lt;/script&gt;*&#39;" in own


LENGTHY = "y" * 32_767
ODD = ["..", ".", "a/b", "a?b#c", "a%2fb", "~sha256-none", " ", "a\\b"]


@pytest.fixture(scope="module")
def kept_crowded(filled: CollectorProcess) -> Iterator[OpenConsole]:
    """A console whose index has connections of many clients, and of odd names, beside the fleet."""
    many = [{"client_id": f"client-{number:03}", "principal": "User:many"} for number in range(250)]
    odd = [{"client_id": name, "principal": "User:odd"} for name in ODD]
    with kept(opened(session_of(filled))) as console:
        _add(console, [*many, *odd, {"client_id": LENGTHY, "principal": "User:lengthy"}])
        yield console


@pytest.fixture
async def crowded(kept_crowded: OpenConsole) -> AsyncIterator[OpenConsole]:
    """That console, with a browser of the test."""
    async with with_another_browser(kept_crowded) as console:
        yield console


async def test_a_name_of_32_kib_is_shortened_and_has_a_page(crowded: OpenConsole) -> None:
    page = await crowded.get("/?by=client&search=yyyy")

    assert "y" * (LONGEST + 1) not in page
    assert f"(+{32_767 - LONGEST:,} characters)" in page
    address = link_of("clients", LENGTHY)
    assert len(address) < 100
    assert address in links(page)
    assert "User:lengthy" in await crowded.get(address)


async def test_names_that_resemble_paths_have_pages(crowded: OpenConsole) -> None:
    page = await crowded.get("/?by=client&application=User:odd")

    found = [address for address in links(page) if address.startswith("/clients/")]
    assert len(found) == len(ODD)
    for address in found:
        # As a browser reads them: "." and ".." would name another page.
        assert urljoin("http://x/", address) == f"http://x{address}"
        assert "No source knows" not in await crowded.get(address), address


async def test_pages_have_a_hundred_rows_and_links_to_the_others(crowded: OpenConsole) -> None:
    shown: list[str] = []
    address = "/?by=client&application=User:many&order=application"
    for rows in (100, 100, 50):
        page = await crowded.get(address)
        assert len(cells(page)) == rows
        shown += [row[0].split()[0] for row in cells(page)]
        following = re.search(r'rel="next" href="([^"]*)"', page)
        address = following[1].replace("&amp;", "&") if following else ""

    assert shown == [f"client-{number:03}" for number in range(250)]
    assert not address
    assert "Rows 201 to 250 of 250 client ids" in page


async def test_headings_sort_and_say_so(shared: OpenConsole) -> None:
    page = await shared.get("/?order=-clients")
    numbers = [int(row[2]) for row in cells(page)]

    assert numbers == sorted(numbers, reverse=True)
    assert page.count('aria-sort="descending"') == 1
    assert re.search(r'aria-sort="descending"><a href="/\?order=clients">Client ids', page)
    assert [int(row[2]) for row in cells(await shared.get("/?order=clients"))] == sorted(numbers)


async def test_filters_and_search_select_rows(shared: OpenConsole) -> None:
    async def applications(query: str) -> set[str]:
        return {row[0].split()[0] for row in cells(await shared.get(f"/?{query}"))}

    assert await applications("owner=orders") == {"User:checkout"}
    assert await applications("search=PAYMENTS") == {"User:ledger"}
    assert await applications("defect=*") == {"User:checkout"}
    assert await applications("defect=LostAfterDisconnect") == {"User:checkout"}
    assert await applications("seen=pushing") == {"User:checkout", "User:ledger"}
    assert "reports" in await applications("seen=silent&software=kafka-python")
    assert await applications("order=drop table&page=-1&by=') --&unknown=1") == await applications("")


def _add(console: OpenConsole, items: list[dict[str, str]]) -> None:
    """Have the index know connections beside those of the fleet."""
    database = console.console._database
    listed = [{**item, "opened_at_ms": 1, "observer": "shop/front"} for item in items]
    database.write(CONNECTIONS.added(json.dumps(listed)), TRAFFIC.added("[]"))
    rebuild(database)
