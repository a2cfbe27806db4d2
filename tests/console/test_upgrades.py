"""Checks the page of upgrades: who breaks, whom to tell, and what is not known; on a table with the job's columns."""

from __future__ import annotations

import csv
import functools
import html
import io
import json
import shlex
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from kwitness.answers.access.local_route import LocalRoute
from kwitness.cli.__main__ import main
from kwitness.console import process
from kwitness.console.pages.job_examples import UPGRADE_JOB
from kwitness.console.pages.mails import mail_to
from kwitness.console.readers import Reader
from kwitness.console.rows.job_tables import shown_table
from kwitness.console.rows.upgrades import Upgrade, UpgradesView, breaking
from kwitness.console.sources.tables import TableSources
from kwitness.contracts.resources.analytics_job import AnalyticsJob

from tests.collector.collector_process import CollectorProcess
from tests.console.kept_console import kept, with_another_browser
from tests.console.open_console import OpenConsole, cells, figure, in_thread, lines, links, session_of
from tests.console.table_samples import HOSTILE, REQUESTS, read_here, write_table

PAGE = "/upgrades?target=4.0"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one table, in which names are hostile."""
    path = tmp_path_factory.mktemp("upgrades of 'all'")
    write_table(path, "UpgradeImpact", REQUESTS, name="upgrade_impact")
    return path


@asynccontextmanager
async def opened(collector: CollectorProcess, folder: Path) -> AsyncIterator[OpenConsole]:
    """Open a console that has read the table."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(process, "TableSources", functools.partial(TableSources, read=read_here))
        async with OpenConsole.over(LocalRoute(session_of(collector)), tables=folder) as console:
            await console.enter()
            await console.read("tables")
            yield console


@pytest.fixture(scope="module")
def kept_with_table(filled: CollectorProcess, folder: Path) -> Iterator[OpenConsole]:
    """A console that has read the table, for all tests."""
    with kept(opened(filled, folder)) as console:
        yield console


@pytest.fixture
async def upgrades(kept_with_table: OpenConsole) -> AsyncIterator[OpenConsole]:
    """That console, with a browser of the test."""
    async with with_another_browser(kept_with_table) as console:
        yield console


async def test_clients_break_by_what_they_used_and_owners_are_named(upgrades: OpenConsole) -> None:
    page = await upgrades.get(PAGE)

    assert (figure(page, "breaks"), figure(page, "owners")) == ("3", "2")
    assert [figure(page, name) for name in ("may-break", "unknown", "unobserved")] == ["1", "2", "1"]
    assert [row[:4] for row in cells(page)] == [
        ["orders orders@example.org", "2", "76", "Fetch 3; Produce 2"],
        ["no owner", "1", "5", "Fetch 3"],
    ]
    clients = cells(page.partition('id="clients"')[2])
    assert [(row[0].split()[0], row[3], row[4]) for row in clients] == [
        ("desk", "Fetch 3; Produce 2", "72"),
        ("=<script>alert(1)</script>?gnp?'\"&", "Fetch 3", "5"),
        ("till", "Fetch 3", "4"),
    ]
    found = {row[0]: row[1] for row in cells(page.partition('id="unseen"')[2])}
    assert found["sarama 1.26.1"] == "MayBreak"
    assert not any(name.endswith("-kwitness") for name in found)
    assert found["apache-kafka-java 0.11.0"] == "Unknown"
    assert found["apache-kafka-java 3.9.0"] == "Unobserved"
    await _has_its_numbers_elsewhere(page)
    await _is_text(page)


async def _has_its_numbers_elsewhere(page: str) -> None:
    """Run the command's lines of the page, whose folder has a space and quotes in its name."""
    answers = []
    for line in lines(page):
        if line.startswith("kwitness "):
            words = [*shlex.split(line)[1:], "--output", "json"]
            answers.append(await in_thread(_answer, words))
    whom, versions = answers
    assert len(whom) == int(figure(page, "breaks"))
    assert {row["client_id"]: row["requests"] for row in whom} == {"desk": 72, "till": 4, HOSTILE: 5}
    assert {row["dropped_in"] for row in versions} == {"4.0", None}


def _answer(words: list[str]) -> list[dict[str, str | int]]:
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", out)
        assert main(words) == 0, words
    answered: list[dict[str, str | int]] = json.loads(out.getvalue())["items"]
    return answered


async def _is_text(page: str) -> None:
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "\x07" not in page


async def test_a_mail_to_an_owner_names_its_clients(upgrades: OpenConsole) -> None:
    mails = [urlsplit(address) for address in links(await upgrades.get(PAGE)) if address.startswith("mailto:")]

    to_orders, to_nobody = mails
    assert to_orders.path == "orders@example.org"
    body = parse_qs(to_orders.query)["body"][0]
    assert "- desk (User:desk, apache-kafka-java 2.0.0): Fetch 3; Produce 2; 72 requests, the last 20" in body
    assert body.count("\r\n- ") == 2
    assert parse_qs(to_orders.query)["subject"] == ["Your Kafka clients and the upgrade to 4.0"]
    assert to_nobody.path == ""
    assert "\x07" not in parse_qs(to_nobody.query)["body"][0]


@pytest.mark.parametrize("contact", ["a@b.c?cc=x@y.z", "a@b.c,x@y.z", "a@b.c\r\nBcc: x@y.z", "#orders", "", None])
def test_a_contact_that_is_no_mail_address_is_no_recipient(contact: str | None) -> None:
    assert mail_to(contact, "s", "b") == "mailto:?subject=s&body=b"


async def test_clients_of_an_owner_are_a_csv_that_no_spreadsheet_runs(upgrades: OpenConsole) -> None:
    address = f"{upgrades.door.address}{PAGE}"
    async with upgrades.browser.get(f"{address}&owner=orders&format=csv") as answer:
        rows = list(csv.DictReader(io.StringIO(await answer.text())))
        assert answer.headers["Content-Type"].startswith("text/csv")
        assert answer.headers["Content-Disposition"] == 'attachment; filename="upgrades.csv"'
    assert [(row["owner"], row["client_id"], row["requests"]) for row in rows] == [
        ("orders", "desk", "72"),
        ("orders", "till", "4"),
    ]
    async with upgrades.browser.get(f"{address}&unowned=1&format=csv") as answer:
        [row] = csv.DictReader(io.StringIO(await answer.text()))
    assert row["client_id"].startswith("'=<script>")
    assert "\x07" not in row["client_id"]


async def test_release_filters_and_order_are_in_the_address(upgrades: OpenConsole) -> None:
    async def clients(query: str) -> list[str]:
        page = await upgrades.get(f"/upgrades?{query}")
        return [row[0].split()[0] for row in cells(page.partition('id="clients"')[2])]

    assert await clients("target=4.0&owner=orders&order=client_id") == ["desk", "till"]
    assert await clients("target=4.0&owner=ord*&search=TILL") == ["till"]
    assert len(await clients("target=4.0&unowned=1")) == 1
    assert "Who breaks when brokers go to Kafka 4.4" in await upgrades.get("/upgrades?target=nonsense")
    assert "No client that breaks fits" in await upgrades.get(f"{PAGE}&owner=nobody")
    assert "No client was seen to use what Kafka 3.9 drops" in await upgrades.get("/upgrades?target=3.9")


def test_clients_that_were_seen_last_before_the_time_do_not_count(upgrades: OpenConsole) -> None:
    database = upgrades.console._database
    view = UpgradesView(target="4.0")
    upgrade = Upgrade.shown(shown_table(database, "UpgradeImpact", ""), view)

    assert "once" not in {row["client_id"] for row in breaking(database, view, upgrade).rows}
    long = Upgrade(upgrade.job, upgrade.target, 0, upgrade.releases)
    assert "once" in {row["client_id"] for row in breaking(database, view, long).rows}


async def test_without_a_table_the_page_has_a_job_to_copy(shared: OpenConsole) -> None:
    page = await shared.get("/upgrades")

    assert "No table of UpgradeImpact was found" in page
    assert html.escape(UPGRADE_JOB, quote=False).replace('"', "&#34;") in page
    job = AnalyticsJob.model_validate(yaml.safe_load(UPGRADE_JOB))
    assert job.spec.analysis.parameters.upgrade_impact is not None


async def test_readers_of_a_namespace_have_the_clients_of_it_alone(upgrades: OpenConsole) -> None:
    upgrades.door.reader = Reader("of shop", frozenset({"shop"}))
    page = await upgrades.get(PAGE)

    assert [row[0].split()[0] for row in cells(page.partition('id="clients"')[2])] == ["till"]
    assert figure(page, "breaks") == "1"
    assert "desk" not in page
    upgrades.door.reader = Reader("of none", frozenset({"none"}))
    assert "Nothing of your namespaces is here" in await upgrades.get(PAGE)
