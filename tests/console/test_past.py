"""Checks pages of an hour of the past: their numbers, links, states, and what readers of one namespace see."""

from __future__ import annotations

import functools
import html
import json
import re
import shlex
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import pytest_asyncio

from kwitness.answers.access.local_route import LocalRoute
from kwitness.cli.__main__ import main
from kwitness.console import process
from kwitness.console.pages.all_pages import PAGES
from kwitness.console.pages.names import shown as shown_name
from kwitness.console.pages.numbers import rate
from kwitness.console.readers import Reader
from kwitness.console.rows.hours import HOUR_MS, hour_text
from kwitness.console.sources.past_source import PastSource
from kwitness.console.sources.tables import TableSources

from tests.console.open_console import OpenConsole, cells, figure, in_thread, lasting, lines, links
from tests.console.rows_of_tables import add_rows
from tests.console.sight_samples import SIGHTS
from tests.console.table_samples import HOSTILE, read_here, write_table
from tests.console.test_pages import AWAY
from tests.console.traffic_samples import AT, HOUR, moved, requested, windows, write_traffic

ORDERS = {"owner": "orders", "owner_contact": "#orders", "topic_owner": "sales", "topic_owner_contact": "#sales"}
SHOP = {"k8s_namespace": "shop", "k8s_workload": "till", "principal": "User:till"}
BANK = {"k8s_namespace": "bank", "k8s_workload": "vault", "principal": "User:vault"}
ROWS = [
    *windows(moved("desk", "then-orders", 7_200_000, principal="User:desk", **ORDERS, errors={"0": 9, "6": 2})),
    # Another address of the same client: one row for pages.
    moved(
        "desk", "then-orders", 3_600_000, principal="User:desk", **ORDERS, errors={"6": 1}, client_address="10.0.0.9"
    ),
    moved("late", "then-orders", 1_800_000, api="Fetch", principal="User:late"),
    moved("till-1", "till-topic", 360_000, **SHOP),
    moved("vault-1", "vault-topic", 360_000, **BANK),
    moved(HOSTILE, HOSTILE, 36_000, principal="User:x"),
    requested("desk", principal="User:desk"),
    requested("quiet", principal="User:quiet", client_software_name="librdkafka", client_software_version="2.5.0"),
    moved("desk", "then-orders", 36_000, principal="User:desk", window_start_ms=HOUR - 2 * HOUR_MS),
    moved("desk", "then-orders", 72_000, principal="User:desk", window_start_ms=HOUR + HOUR_MS, state="open"),
]
NONE = "\N{EN DASH}"
PAST_PAGES = [page for page in PAGES if page.has_past]


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def reads_here() -> Iterator[None]:
    """Have tables read in this process, which has loaded the libraries."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "TableSources", functools.partial(TableSources, read=read_here))
        patch.setattr(process, "PastSource", functools.partial(PastSource, read=read_here))
        yield


@asynccontextmanager
async def opened(folder: Path | None) -> AsyncIterator[OpenConsole]:
    """Open a console that has found the tables of a folder; its clients of now are those of the namespace `now`."""
    async with OpenConsole.over(LocalRoute(AWAY), tables=folder) as console:
        await console.enter()
        add_rows(console.console._database, "now")
        await console.read("tables")
        yield console


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory, reads_here: None) -> AsyncIterator[OpenConsole]:
    """A console with one table, in which names are hostile."""
    folder = tmp_path_factory.mktemp("past of 'all'")
    write_traffic(folder, ROWS)
    write_table(folder, "ClientInventory", SIGHTS)
    async with opened(folder) as console:
        yield console


@pytest.fixture
def past(shared: OpenConsole) -> OpenConsole:
    """That console, with a reader of all."""
    shared.door.reader = Reader("of all", None)
    return shared


async def shown(console: OpenConsole, path: str) -> str:
    """Return a page of the past, which is read after it was requested."""
    page = await console.get(path)
    if "Reading that hour" in page:
        await console.console.past.read_once()
        page = await console.get(path)
    return page


async def test_an_hour_is_read_after_it_was_requested_and_the_page_refreshes_until_then(past: OpenConsole) -> None:
    page = await past.get(f"/?at={AT}")

    assert "The hour is read from table <bdi>traffic</bdi>" in page
    assert f'hx-get="/?at={AT}" hx-trigger="every 2s"' in page
    assert f'<a href="/?at={AT}">Show the page again</a>' in page
    await past.console.past.read_once()
    page = await past.get(f"/?at={AT}")
    assert "This is the past: 2026-11-24 14:00 UTC to 2026-11-24 15:00 UTC." in page
    assert "hx-trigger" not in page
    assert "now/now" not in page, "a client of now"


async def test_numbers_are_means_of_the_hour_alone(past: OpenConsole) -> None:
    fleet = await shown(past, f"/?at={AT}&search=desk")
    topics = await shown(past, f"/topics?at={AT}&search=then")
    topic = await shown(past, f"/topics/then-orders?at={AT}")
    client = await shown(past, f"/clients/desk?at={AT}")

    [desk] = cells(fleet)
    assert desk == [
        "User:desk",
        "orders #orders",
        "1",
        NONE,
        NONE,
        "apache-kafka-java 4.3.1",
        "3 kB/s 1 topic",
        NONE,
        NONE,
        "w seen on the wire",
    ]
    [orders] = cells(topics)
    assert orders[:6] == ["then-orders", "sales #sales", "1", "1", "3 kB/s 30 records/s", "500 B/s 5 records/s"]
    assert [figure(topic, name) for name in ("writers", "readers")] == ["1", "1"]
    assert cells(topic)[0][-5:] == ["3 kB/s", "30", NONE, NONE, "6 NOT_LEADER_OR_FOLLOWER: 3"]
    assert "3\N{NO-BREAK SPACE}kB/s" in client
    assert figure(await shown(past, f"/map?at={AT}"), "written").startswith("3.21")


async def test_a_client_that_used_no_topic_is_in_the_fleet_with_its_defects(past: OpenConsole) -> None:
    page = await shown(past, f"/?at={AT}&search=quiet")

    [[application, *_, seen_by]] = cells(page)
    assert (application, seen_by) == ("User:quiet", "w seen on the wire")
    assert "known to be wrong: " in page


async def test_what_is_known_now_alone_is_grey_and_named(past: OpenConsole) -> None:
    fleet = await shown(past, f"/?at={AT}&seen=pushing")

    assert [figure(fleet, name) for name in ("pushing", "connections")] == ["not known then"] * 2
    for column in ("Pushing", "Connections", "Lag"):
        assert f'class="number then">{column} <span class="unit">not known then' in fleet
    assert '<select name="seen">' not in fleet
    assert "User:desk" in fleet, "what is not known then selects nothing"
    topic = await shown(past, f"/topics/then-orders?at={AT}")
    assert "Groups and what they committed are not in tables of Traffic" in topic
    client = await shown(past, f"/clients/desk?at={AT}")
    assert figure(client, "instances") == "not known then"
    assert "/series/" not in topic + client


def has_past(address: str) -> bool:
    """Return whether an address is one of a page that shows hours of the past."""
    path = urlsplit(address).path
    return any(path.startswith(f"{page.path}/") if page.is_named else path == page.path for page in PAST_PAGES)


async def test_links_stay_at_the_hour_until_one_leads_back_to_now(past: OpenConsole) -> None:
    waiting, found = [f"/?at={AT}"], {f"/?at={AT}"}
    while waiting:
        text = await shown(past, waiting.pop())
        assert 'id="past"' in text
        found_now = re.findall(r'href="([^"]*)">Back to now<', text) + re.findall(r'action="([^"]*)"', text)
        leave = {html.unescape(address) for address in found_now}
        for address in {*links(text)} - found:
            if not has_past(address):
                continue
            at = parse_qs(urlsplit(address).query).get("at")
            assert at or address in leave, address
            if at:
                found.add(address)
            if at == [AT] and "order=" not in address:
                waiting.append(address)

    visited = {urlsplit(address).path for address in found}
    assert {"/", "/topics", "/map", "/topics/then-orders", "/clients/desk", "/clients/till-1"} <= visited
    page = await shown(past, f"/topics?at={AT}&search=then&page=2")
    assert f'href="/topics?search=then&amp;at={"2026-11-24T13%3A00Z"}"' in page
    assert '<a href="/topics?search=then">Back to now</a>' in page
    assert f'name="at" value="{AT}"' in page


@pytest.mark.parametrize(
    ("address", "column"),
    [("/", "application"), ("/?by=client", "client_id"), ("/topics", "topic"), ("/topics/then-orders", "client_id")],
)
async def test_the_line_of_the_drawer_gives_the_numbers_of_the_page(
    past: OpenConsole, capsys: pytest.CaptureFixture[str], address: str, column: str
) -> None:
    page = await shown(past, f"{address}{'&' if '?' in address else '?'}at={AT}")

    line, *_ = lines(page)
    program, *arguments = shlex.split(line)
    assert program == "kwitness"
    assert await in_thread(main, [*arguments, "--output", "json"]) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["items"]
    written = {shown_name(row[column]): row["written_bytes_per_s"] for row in rows if row["written_bytes_per_s"]}
    assert written["then-orders" if column == "topic" else "User:desk" if column == "application" else "desk"] == 3_000
    for name, bytes_per_s in written.items():
        [found] = [row for row in cells(page) if row[0].split(" ")[0] == name.split(" ")[0]]
        assert rate(bytes_per_s).replace("\N{NO-BREAK SPACE}", " ") in " ".join(found), name


async def test_who_is_gone_or_new_since_the_hour_is_in_a_table_with_first_and_last_sights(
    past: OpenConsole, capsys: pytest.CaptureFixture[str]
) -> None:
    page = await shown(past, f"/?at={AT}")

    counts = dict(re.findall(r'data-since="([^"]*)">\s*(\d+)', page))
    assert counts == {"still there": "1", "gone since": "1", "new since": "1"}
    assert cells(page.partition('id="since"')[2]) == [
        ["left", "User:left", "no owner", "gone since", "2026-11-23 14:00 UTC", "2026-11-25 14:00 UTC"],
        ["came", "User:came", "orders", "new since", "2026-11-24 15:00 UTC", "2026-11-26 14:00 UTC"],
    ]
    _, *arguments = shlex.split(lines(page)[1])
    assert await in_thread(main, [*arguments, "--output", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["items"]
    assert {row["since"]: str(row["clients"]) for row in rows} == counts
    of_team = await shown(past, f"/?at={AT}&owner=orders")
    assert [row[0] for row in cells(of_team.partition('id="since"')[2])] == ["came"]
    assert 'id="since"' not in await shown(past, f"/?at={AT}&software=librdkafka")


async def test_a_client_has_its_first_and_last_sight_also_where_no_source_knows_it(past: OpenConsole) -> None:
    desk = await shown(past, f"/clients/desk?at={AT}")
    left = await past.get("/clients/left")

    assert "It pushed first 2026-11-15 14:00 UTC and last 2026-11-27 14:00 UTC" in desk
    assert "by the table of ClientInventory: still there." in desk
    assert (
        "It pushed first 2026-11-23 14:00 UTC and last 2026-11-25 14:00 UTC, by the table of ClientInventory." in left
    )


async def test_readers_of_a_namespace_see_its_rows_of_the_past_alone(past: OpenConsole) -> None:
    console = past.console
    await shown(past, f"/?at={AT}")
    assert {"shop", "bank"} <= {*console.namespaces()}
    for own, other in (("till", "vault"), ("vault", "till")):
        past.door.reader = Reader(f"of {own}", frozenset({"shop" if own == "till" else "bank"}))
        for path in (
            "/",
            "/?by=client",
            "/topics",
            "/map",
            "/map?by=application",
            f"/clients/{own}-1",
            f"/topics/{own}-topic",
        ):
            page = await past.get(f"{path}{'&' if '?' in path else '?'}at={AT}")
            assert own in page, path
            assert other not in page, path
            assert "desk" not in page, path
            assert str(past.console._backends.tables) not in page
        assert [row[0] for row in cells(await past.get(f"/topics?at={AT}"))] == [f"{own}-topic"]
        assert "gone or new since is for readers of all namespaces" in await past.get(f"/?at={AT}")
        assert 'id="sight"' not in await past.get(f"/clients/left?at={AT}") + await past.get("/clients/left")
        for path in (f"/clients/{other}-1", f"/topics/{other}-topic"):
            unknown = (await past.get(f"{path.replace(other, 'cafe')}?at={AT}")).replace("cafe", other)
            assert lasting(await past.get(f"{path}?at={AT}")) == lasting(unknown)


async def test_names_are_text(past: OpenConsole) -> None:
    for path in ("/", "/topics", "/map"):
        page = await shown(past, f"{path}?at={AT}&by=client")
        assert "&lt;script&gt;alert(1)" in page
        assert "<script>alert" not in page
        assert "\u202e" not in page


@pytest.mark.parametrize(
    "text", ["yesterday", "2026-13-24T14:00Z", "2026-11-24T14:00+01:00", "1969-12-31T23:00Z", "x" * 5_000]
)
async def test_nonsense_is_now(past: OpenConsole, text: str) -> None:
    page = await past.get("/", params={"at": text})

    assert "now/now" in page
    assert 'id="past"' not in page
    assert 'name="at" value=' not in page.replace('name="at" step="3600" value=""', "")


async def test_an_hour_that_is_not_kept_names_those_that_are(past: OpenConsole) -> None:
    early = await shown(past, f"/?at={hour_text(HOUR - 3 * HOUR_MS)}")
    late = await shown(past, f"/topics/then-orders?at={hour_text(HOUR + 2 * HOUR_MS)}")

    for page in (early, late):
        assert "That hour is not kept" in page
        assert ">2026-11-24 12:00 UTC</a> to " in page
        assert ">2026-11-24 15:00 UTC</a>." in page
    assert "Earlier hours are not kept" in early
    assert 'rel="prev"' not in early
    assert "Later hours are not computed yet" in late


async def test_an_hour_without_a_request_is_empty_with_the_reason(past: OpenConsole) -> None:
    for path in ("/", "/topics", "/map", "/topics/then-orders", "/clients/desk", "/map?topic=then-orders"):
        page = await shown(past, f"{path}{'&' if '?' in path else '?'}at={hour_text(HOUR - HOUR_MS)}")
        assert "No observer counted such a request in that hour" in page, path


async def test_an_hour_that_is_not_over_or_not_final_is_marked(past: OpenConsole) -> None:
    now = hour_text(int(time.time() * 1000) // HOUR_MS * HOUR_MS)
    assert "That hour is not over" in await past.get(f"/map?at={now}")

    page = await shown(past, f"/?at={hour_text(HOUR + HOUR_MS)}")

    assert "Numbers from traffic of that hour are lower bounds" in page
    assert "the hour is open, and is read again after a minute" in page


async def test_without_a_table_the_page_has_the_job_to_apply() -> None:
    async with opened(None) as console:
        page = await console.get(f"/?at={AT}")

    assert "No table of Traffic was found" in page
    assert "type: Traffic" in page
    assert "hx-trigger" not in page


async def test_tables_that_are_not_known_yet_are_loading() -> None:
    async with OpenConsole.over(LocalRoute(AWAY)) as console:
        await console.enter()
        page = await console.get(f"/?at={AT}")

    assert "Reading which tables there are" in page
    assert 'hx-trigger="every 2s"' in page


async def test_one_of_several_tables_is_chosen_by_the_address(tmp_path: Path, reads_here: None) -> None:
    write_traffic(tmp_path, ROWS[:1], name="a")
    write_traffic(tmp_path, [moved("other", "other-topic", 3_600_000)], name="b")
    async with opened(tmp_path) as console:
        for name in ("c", "d"):
            write_table(tmp_path, "ClientInventory", SIGHTS, name=name)
        await console.read("tables")
        page = await console.get(f"/?at={AT}")
        assert "Each is of one Kafka cluster." in page
        assert [link for link in links(page) if "job=" in link] == [
            f"/?at={AT.replace(':', '%3A')}&job={name}" for name in ("a", "b")
        ]

        page = await shown(console, f"/?at={AT}&job=b")

        assert "other" in page
        assert "desk" not in page
        assert "There are several tables of ClientInventory" in page
        assert "/clients/other?at=2026-11-24T14%3A00Z&job=b" in links(page)
        console.door.reader = Reader("of shop", frozenset({"shop"}))
        page = await console.get(f"/?at={AT}")
        assert "Ask who runs kwitness" in page
        assert "job=a" not in page


async def test_a_table_that_is_gone_is_named(tmp_path: Path, reads_here: None) -> None:
    path = write_traffic(tmp_path, ROWS[:1])
    async with opened(tmp_path) as console:
        for file in path.glob("**/*.parquet"):
            file.unlink()

        page = await shown(console, f"/?at={AT}")
        assert "That hour cannot be read" in page
        assert ".parquet not found" in page
        console.door.reader = Reader("of shop", frozenset({"shop"}))
        page = await console.get(f"/?at={AT}")
        assert "so ask who runs kwitness" in page
        assert ".parquet" not in page
