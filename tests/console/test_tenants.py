"""Checks that two readers with one namespace each find nothing of the other on any page of the console."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote, urlencode

import pytest
import pytest_asyncio

from kwitness.console.pages.all_pages import PAGES
from kwitness.console.pages.names import link_of
from kwitness.console.pages.page import Page
from kwitness.console.readers import Reader
from kwitness.console.rows.completeness import CompletenessView
from kwitness.console.rows.costs import CostView
from kwitness.console.rows.findings import FindingsView
from kwitness.console.rows.fleet import FleetView
from kwitness.console.rows.map import MapView
from kwitness.console.rows.subscriptions import SubscriptionsView
from kwitness.console.rows.topics import TopicsView
from kwitness.console.rows.upgrades import UpgradesView

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import batch, gauges, push
from tests.collector.scoped_tenants import Tenant, introduce
from tests.console.conftest import opened
from tests.console.open_console import OpenConsole, lasting, links, session_of
from tests.console.rows_of_tables import add_rows
from tests.soak import SOAKS

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

SHOP, BANK = Tenant("shop", window_ms=600_000), Tenant("bank", window_ms=600_000)
OF_SHOP, OF_BANK = (Reader(f"reader of {tenant.name}", frozenset({tenant.name})) for tenant in (SHOP, BANK))
OF_ALL, OF_NONE = Reader("reader of all", None), Reader("reader of none", frozenset())
OF_MINT = Reader("reader of mint", frozenset({"mint"}))
"""Has a row in each table of the index, of those too that this collector fills with nothing."""
LONG_OF_BANK = "bank-" + "x" * 8_000
WALKED = 400
"""Addresses that are walked from one page."""
FORMS = ("/static/", "/preferences", "/findings/seen")
"""Addresses that are no pages."""


class Tenants(NamedTuple):
    """A console of both tenants, pages of one of them from before the other one came, and pages by their readers."""

    console: OpenConsole
    alone: dict[str, str]
    walked: dict[Reader, dict[str, str]]

    async def pages_of(self, reader: Reader) -> dict[str, str]:
        """Return the pages that a reader comes to, walked once."""
        if reader not in self.walked:
            self.walked[reader] = await walk(self.console, reader)
        return self.walked[reader]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tenants(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tenants]:
    process = CollectorProcess(tmp_path_factory.mktemp("tenants")).start()
    introduce([process], (SHOP, BANK))
    process.post("/v1/gauges", gauges({("sarama", "1"): 3}))
    SHOP.send(process, victim="bank")
    async with opened(session_of(process)) as console:
        await read(console, process, SHOP)
        alone = await walk(console, OF_SHOP)
        process.post("/v1/gauges", gauges({("sarama", "1"): 8}, asking=["bank-1", "bank-2"], seq=2))
        BANK.send(process, victim="shop")
        long = push(99, b"", client="bank-long", client_id=LONG_OF_BANK, principal="User:bank-long")
        assert process.push(batch([long], epoch=9)).status == 200
        await read(console, process, SHOP, BANK)
        add_rows(console.console._database, "mint")
        console.console.assembly.readers.make_again()
        yield Tenants(console, alone, {})
    process.kill()


async def read(console: OpenConsole, process: CollectorProcess, *listing: Tenant) -> None:
    """Have the console read what is known now, with lists of connections that are of now."""
    process.get("/v1/connections")
    for tenant in listing:
        tenant.list_connections(process)
    await console.read()


async def walk(console: OpenConsole, reader: Reader) -> dict[str, str]:
    """Return the pages that a reader comes to from all pages by links, filters, orders and search, by address."""
    console.door.reader = reader
    waiting = [page.path for page in PAGES if not page.is_named]
    waiting += [f"{path}?{urlencode({'search': text})}" for path in ("/", "/topics") for text in ("app", "1", "User:")]
    waiting += [f"/?{urlencode({name: value})}" for name, value in FILTERS]
    found: dict[str, str] = {}
    while waiting and len(found) < WALKED:
        address = waiting.pop(0)
        found[address] = await console.get(address)
        waiting += [
            link for link in links(found[address]) if leads_on(link, address) and link not in {*found, *waiting}
        ]
    assert not waiting, f"more than {WALKED} addresses"
    return found


def leads_on(link: str, address: str) -> bool:
    """Return whether a link is walked: one to a page, but not each order of each selection."""
    is_page = link.startswith("/") and not link.startswith(FORMS)
    return is_page and not ("order=" in link and "?" in address)


FILTERS = [
    ("seen", "pushing"),
    ("seen", "silent"),
    ("seen", "wire"),
    ("seen", "inside"),
    ("defect", "*"),
    ("owner", "*"),
    ("software", "*"),
    ("by", "client"),
]


async def test_pages_are_those_that_were_made_before_the_other_one_came(tenants: Tenants) -> None:
    together = await tenants.pages_of(OF_SHOP)

    assert {*together} == {*tenants.alone}
    assert {link_of("clients", SHOP.in_pod["client_id"]), "/topics/shop-topic", "/topics/shared-topic"} <= {*together}
    for address, page in together.items():
        assert lasting(page) == lasting(tenants.alone[address]), address


@pytest.mark.parametrize(("reader", "own", "other"), [(OF_SHOP, "shop", "bank"), (OF_BANK, "bank", "shop")])
async def test_no_page_names_anything_of_the_other_one(tenants: Tenants, reader: Reader, own: str, other: str) -> None:
    found = await tenants.pages_of(reader)

    assert {page.path for page in PAGES if not page.is_named} <= {*found}
    for address, page in found.items():
        assert other not in page, address
        assert "mint" not in page, address
        assert "infra" not in page, address
        assert "sarama" not in page, address
    assert f"User:{own}" in found["/"]
    assert f"{own}-topic" in found["/topics"]


VIEWS = {
    "/": FleetView,
    "/topics": TopicsView,
    "/map": MapView,
    "/upgrades": UpgradesView,
    "/completeness": CompletenessView,
    "/cost": CostView,
    "/subscriptions": SubscriptionsView,
    "/findings": FindingsView,
}
"""Fields that pages read of their addresses; other pages are asked by all fields."""


def fields_of(page: Page) -> Sequence[str]:
    """Return the fields that a page may select rows by; in soak those of other pages too."""
    view = VIEWS.get(page.path)
    return FIELDS if SOAKS or view is None else [field for field in FIELDS if field in view.__dataclass_fields__]


def questions(name: str) -> Iterator[str]:
    """Yield addresses that ask for a name."""
    for page in PAGES:
        if page.is_named:
            yield from (f"{page.path}/{quote(f'{name}{end}', safe='')}" for end in ENDS)
        else:
            for field in fields_of(page):
                yield f"{page.path}?{urlencode({field: name})}"
            yield f"{page.path}?{urlencode({'search': name.upper(), 'by': 'client', 'order': '-owner', 'page': '2'})}"
    for field in FIELDS[:5]:
        yield f"/?{urlencode({field: f'{name}*', 'by': 'client', 'order': '-connections'})}"


FIELDS = ("search", "owner", "application", "software", "version", "client", "topic", "prefix", "namespace", "kind")
ENDS = ("", "/client_id", "/topic", "/name", "/group_id", "-in-pod", "-outside", "-topic", "-forger")


async def test_the_reader_of_a_row_in_each_table_sees_these_alone(tenants: Tenants) -> None:
    found = await tenants.pages_of(OF_MINT)

    for address, page in found.items():
        assert "shop" not in page, address
        assert "bank" not in page, address
    assert "mint/mint/k8s_workload" in found["/"]


@pytest.mark.soak
async def test_names_of_the_other_one_are_answered_as_unknown_names(tenants: Tenants) -> None:
    console = tenants.console
    console.door.reader = OF_SHOP

    unknown = [lasting(await console.get(address)) for address in questions("cafe")]
    for name in ("bank", "mint"):
        for address, page in zip(questions(name), unknown, strict=True):
            answered = (await console.get(address)).replace(name, "cafe").replace(name.upper(), "CAFE")
            assert lasting(answered) == page, address


async def test_the_digest_of_a_long_name_of_the_other_one_is_not_resolved(tenants: Tenants) -> None:
    console, address = tenants.console, link_of("clients", LONG_OF_BANK)

    console.door.reader = OF_ALL
    assert "User:bank-long" in await console.get(address)
    for reader in (OF_SHOP, OF_BANK, OF_NONE):  # its namespace is not proven, so it is in none
        console.door.reader = reader
        assert "bank-" not in (await console.get(address))


async def test_groups_are_those_that_observers_in_pods_of_the_namespace_saw(tenants: Tenants) -> None:
    async def groups(reader: Reader, topic: str) -> set[str]:
        tenants.console.door.reader = reader
        return {*re.findall("[a-z]+-group-[a-z]+", await tenants.console.get(f"/topics/{topic}"))}

    both = {f"{name}-group-{kind}" for name in ("shop", "bank") for kind in ("sidecar", "gateway")}
    assert await groups(OF_ALL, "shared-topic") == both
    assert await groups(OF_SHOP, "shared-topic") == await groups(OF_SHOP, "shop-topic") == {"shop-group-sidecar"}
    assert await groups(OF_BANK, "shared-topic") == {"bank-group-sidecar"}


async def test_a_topic_of_both_shows_the_clients_and_sums_of_the_reader_alone(tenants: Tenants) -> None:
    async def topic(reader: Reader) -> tuple[str, str]:
        tenants.console.door.reader = reader
        page = await tenants.console.get("/topics/shared-topic")
        [writers] = re.findall(r'id="writers">(\d+)', page)
        [written] = re.findall(r"<dt>written</dt><dd>([^<]*)", page)
        return writers, written

    writers, written = await topic(OF_ALL)
    assert writers == "4"
    assert await topic(OF_SHOP) == await topic(OF_BANK) == ("1", "16.7\N{NO-BREAK SPACE}B/s")
    assert written == "66.7\N{NO-BREAK SPACE}B/s"


async def test_what_is_hidden_is_counted_where_no_filter_is_set(tenants: Tenants) -> None:
    console = tenants.console

    async def hidden(reader: Reader, address: str) -> list[str]:
        console.door.reader = reader
        return re.findall(r'id="hidden">(\d+) more', await console.get(address))

    console.door.reader = OF_ALL
    [applications] = re.findall(r"<dt>applications</dt><dd>(\d+)", await console.get("/"))
    assert await hidden(OF_ALL, "/") == await hidden(OF_ALL, "/topics") == []
    assert await hidden(OF_NONE, "/") == [applications]
    assert await hidden(OF_SHOP, "/") == [str(int(applications) - 1)]
    assert await hidden(OF_NONE, "/topics") == ["4"]
    assert await hidden(OF_SHOP, "/topics") == ["2"]
    for address in ("/?search=a", "/?owner=b*", "/?seen=wire", "/topics?search=a", "/topics?owner=b*"):
        assert await hidden(OF_SHOP, address) == []


async def test_sentences_of_sources_are_without_names_for_readers_of_namespaces(tenants: Tenants) -> None:
    console = tenants.console
    sources = console.console.sources
    sources["connections"].lacks = ("observer bank/gateway did not answer",)
    sources["traffic"].problem = "collector bank/main does not answer"
    try:
        console.door.reader = OF_ALL
        of_all = await console.get("/")
        console.door.reader = OF_SHOP
        of_shop = await console.get("/")
    finally:
        sources["connections"].lacks, sources["traffic"].problem = (), None

    assert "observer bank/gateway did not answer." in of_all
    assert "collector bank/main does not answer." in of_all
    assert "bank" not in of_shop
    assert "Numbers from connections are lower bounds (≥)." in of_shop
    assert "Traffic cannot be read." in of_shop
    assert "ask who runs kwitness" in of_shop


@pytest.mark.expects_log("GET / cannot be answered")
async def test_an_error_names_nothing(tenants: Tenants) -> None:
    console = tenants.console
    console.door.reader = OF_BANK
    await console.get("/")
    readers = console.console.assembly.readers
    with readers.seen_by(OF_BANK) as seen:
        seen.database.write("DROP TABLE members")

        async with console.browser.get(f"{console.door.address}/?search=x") as answer:
            text = await answer.text()

        readers.make_again()

    assert answer.status == 500
    assert "bank" not in text
    assert "members" not in text
    assert "User:bank" in await console.get("/")
