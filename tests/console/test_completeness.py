"""Checks the page of completeness on tables with the jobs' columns: no answer is never a verdict."""

from __future__ import annotations

import functools
import io
import json
import shlex
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.answers.access.local_route import LocalRoute
from kwitness.cli.__main__ import main
from kwitness.console import process
from kwitness.console.pages.completeness import COMPLETENESS
from kwitness.console.pages.job_examples import COMPLETENESS_JOB, LEDGER_JOB, MIRROR_JOB
from kwitness.console.readers import Reader
from kwitness.console.rows.completeness import CompletenessView, arrivals
from kwitness.console.sources.tables import TableSources
from kwitness.console.sources.tables_process import Reading, ReadTable
from kwitness.contracts.resources.analytics_job import AnalyticsJob

from tests.collector.collector_process import CollectorProcess
from tests.console.arrival_samples import ARRIVED, COMPUTED_MS, MIRRORED, REPORTED
from tests.console.kept_console import kept, with_another_browser
from tests.console.open_console import OpenConsole, cells, figure, in_thread, lines, links, session_of
from tests.console.table_samples import read_here, write_table

UNKNOWN = "\N{EN DASH}"
PAGE = COMPLETENESS.path


@functools.cache
def table_as_of(job: str, path: str) -> ReadTable:
    """Return a table as if it had been written when the samples end: what is missing is judged by that time."""
    [table] = read_here([{"job": job, "path": path}]).tables
    return ReadTable({**table.facts, "computed_ms": COMPUTED_MS}, table.rows)


def read_as_of(requests: Sequence[Mapping[str, str]]) -> Reading:
    """Read tables, each once for all tests."""
    return Reading([table_as_of(request["job"], request["path"]) for request in requests], None, 0.0)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the three tables."""
    path = tmp_path_factory.mktemp("arrived")
    write_table(path, "Completeness", ARRIVED, name="completeness")
    write_table(path, "MirrorAudit", MIRRORED, name="mirror_audit")
    write_table(path, "LedgerAudit", REPORTED, name="ledger_audit")
    return path


@asynccontextmanager
async def opened(collector: CollectorProcess, folder: Path) -> AsyncIterator[OpenConsole]:
    """Open a console that has read the tables."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(process, "TableSources", functools.partial(TableSources, read=read_as_of))
        async with OpenConsole.over(LocalRoute(session_of(collector)), tables=folder) as console:
            await console.enter()
            await console.read("tables")
            yield console


@pytest.fixture(scope="module")
def kept_with_tables(filled: CollectorProcess, folder: Path) -> Iterator[OpenConsole]:
    """A console that has read the tables, for all tests that leave it as it is."""
    with kept(opened(filled, folder)) as console:
        yield console


@pytest.fixture
async def arrived(kept_with_tables: OpenConsole) -> AsyncIterator[OpenConsole]:
    """That console, with a browser of the test."""
    async with with_another_browser(kept_with_tables) as console:
        yield console


@pytest.fixture
async def own(filled: CollectorProcess, folder: Path) -> AsyncIterator[OpenConsole]:
    """A console of the test, which has read the tables."""
    async with opened(filled, folder) as console:
        yield console


def rows_of(page: str, heading: str = "") -> dict[tuple[str, str], list[str]]:
    """Return rows of a table by topic and group, or by the first column where a heading is named."""
    part = page.partition(f'id="{heading}"')[2] if heading else page
    return {(row[0].removesuffix(" no owner"), "" if heading else row[1]): row for row in cells(part)}


async def test_topics_and_groups_have_what_was_lost_and_what_is_not_known(arrived: OpenConsole) -> None:
    page = await arrived.get(PAGE)

    numbers = {name: figure(page, name) for name in ("topics", "lost", "duplicated", "unknown", "open")}
    assert numbers == {"topics": "3", "lost": "1", "duplicated": "1", "unknown": "5", "open": "3"}
    states = {subject: row[2] for (topic, subject), row in rows_of(page).items() if topic == "orders"}
    assert states == {
        "billing by interceptors": "records lost no window is open",
        "billing by observers": "records lost no window is open",
        "mail by interceptors": "all arrived no window is open",
        "search by observers": "all arrived open since 2026-09-21 14:08 UTC",
        "young by observers": "not judged yet open",
        "crowded by observers": "not known no window is open",
        "holes by observers": "not known no window is open",
        "seeker by observers": "passed over no window is open",
        "unobserved by its offsets": "not known no window is open",
        "what was written by interceptors": "not known no window is open",
        "the log by its offsets": "not known open since 2026-09-21 14:08 UTC",
    }
    billing = rows_of(page)["orders", "billing by interceptors"]
    assert billing[3:9] == ["7", "0", "2", "0", "0", "2026-09-21 13:13 UTC to 2026-09-21 14:13 UTC"]


async def test_what_nothing_observed_has_no_numbers(arrived: OpenConsole) -> None:
    rows = rows_of(await arrived.get(PAGE))

    unobserved = rows["orders", "unobserved by its offsets"]
    assert unobserved[3:8] == [UNKNOWN] * 4 + ["all nothing saw what it was handed"]
    assert rows["orders", "the log by its offsets"][7] == "11 offsets of clients that nothing saw"
    assert rows["stock", "what applications sent by interceptors"][7] == "6 sent, and no answer seen"
    assert rows["orders", "crowded by observers"][7] == "0 more ranges than are told apart"
    assert not any(subject.startswith("gone") for _, subject in rows)


async def test_mirrors_that_do_not_answer_are_not_in_step(arrived: OpenConsole) -> None:
    rows = {topic: row for (topic, _), row in rows_of(await arrived.get(PAGE), "mirrors").items()}

    assert rows["orders main.orders"][1:] == [
        "records missing , not all known as of 2026-09-21 14:13 UTC",
        "8 by offsets",
        "0",
        UNKNOWN,
        "1m30s 2 records",
        "1 of 2 partitions without evidence or answer",
        "2026-09-21 13:43 UTC",
    ]
    assert rows["stock main.stock"][1].startswith("records changed")
    assert rows["same main.same"][1].startswith("in step")
    assert [row[1].partition(" as of")[0] for topic, row in rows.items() if "script" in topic] == ["not mirrored"]


async def test_hops_of_the_ledger_add_up_and_reports_that_may_still_come_are_queued(arrived: OpenConsole) -> None:
    page = await arrived.get(PAGE)
    rows = {topic.split()[0]: row[1:] for (topic, _), row in rows_of(page, "ledger").items()}

    observers = rows["Observer"]
    assert [text.split()[0] for text in observers[:7]] == ["312", "300", "3", "5", "4", "0", "0"]
    accepted, delivered, queued, dropped, missing = (int(text.split()[0]) for text in observers[:5])
    assert accepted == delivered + queued + dropped + missing
    assert observers[3].startswith("5 queue_full 3")
    assert observers[7] == "2026-09-21 13:43 UTC"
    assert rows["Interceptors"][6] == "2"
    assert [row[0].split()[0] for row in cells(page.partition("Table of sources")[2])] == [
        "kafka/gateway-1",
        "shop/till/1",
        "kafka/gateway-2",
        "cluster/1",
    ]


async def test_numbers_elsewhere_are_those_of_the_page(arrived: OpenConsole) -> None:
    page = await arrived.get(PAGE)
    answers = [
        await in_thread(_answer, [*shlex.split(line)[1:], "--output", "json"])
        for line in lines(page)
        if line.startswith("kwitness ")
    ]

    by_group, by_mirror, by_kind = answers
    shown = arrivals(arrived.console._database, CompletenessView(), "completeness").rows
    elsewhere = {(row["topic"], row["group_id"], row["evidence"]): row for row in by_group}
    for row in (row for row in shown if row["partitions"] > 1 or row["subject"] == "group"):
        counts = {name: row[name] for name in ("lost", "skipped", "duplicated", "late", "not_seen")}
        assert counts.items() <= elsewhere[row["topic"], row["group_id"], row["evidence"]].items()
    mirrors = {row["topic"]: (row["missing"], row["extra"], row["not_known"]) for row in by_mirror}
    assert (mirrors["orders"], mirrors["same"]) == ((8, 0, 1), (0, 0, 0))
    kinds = {row["kind"]: (row["delivered"], row["missing"], row["dropped"], row["duplicates"]) for row in by_kind}
    assert kinds["Observer"] == (300, 4, 5, 0)
    assert kinds["Plugin"] == (100, None, 0, 1)


def _answer(words: list[str]) -> list[dict[str, Any]]:
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", out)
        assert main(words) == 0, words
    answered: list[dict[str, Any]] = json.loads(out.getvalue())["items"]
    return answered


async def test_filters_and_order_are_in_the_address(arrived: OpenConsole) -> None:
    async def subjects(query: str) -> list[str]:
        return [row[1] for row in cells(await arrived.get(f"{PAGE}?{query}"))]

    assert await subjects("topic=orders&group=bill*&order=lost") == ["billing by observers", "billing by interceptors"]
    needing = await subjects("topic=orders&attention=1")
    assert needing[:2] == ["billing by interceptors", "billing by observers"]
    assert not {"mail by interceptors", "search by observers", "young by observers"} & {*needing}
    assert "No topic and group fit" in await arrived.get(f"{PAGE}?topic=absent")
    assert "No mirrored topic fits" in await arrived.get(f"{PAGE}?topic=absent")
    narrowed = await arrived.get(f"{PAGE}?topic=stock")
    assert any("topic = 'stock'" in line for line in lines(narrowed))
    assert "/topics/stock" in links(narrowed)


async def test_owners_are_those_of_topics(own: OpenConsole) -> None:
    assert "Owners of topics are not known yet" in await own.get(f"{PAGE}?owner=shop")
    own.console._database.write("UPDATE topics SET owner = 'shop' WHERE topic = 'orders'")
    if not own.console._database.rows("SELECT 1 FROM topics WHERE topic = 'orders'"):
        own.console._database.write("INSERT INTO topics (topic, owner) VALUES ('orders', 'shop')")

    page = await own.get(f"{PAGE}?owner=sh*")

    assert {row[0] for row in cells(page)} == {"orders shop"}


async def test_names_of_strangers_are_texts(arrived: OpenConsole) -> None:
    page = await arrived.get(PAGE)

    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "\x07" not in page
    assert [row[2] for (topic, _), row in rows_of(page).items() if topic.startswith("=")] == [
        "all arrived no window is open"
    ]


async def test_rows_of_a_job_that_has_read_all_are_final(own: OpenConsole) -> None:
    database = own.console._database
    database.write("UPDATE job_tables SET is_behind = false")
    assert rows_of(await own.get(PAGE))["orders", "mail by interceptors"][2] == "all arrived final"

    database.write("UPDATE job_tables SET is_behind = true")
    assert "left to read" in rows_of(await own.get(PAGE))["orders", "mail by interceptors"][2]


async def test_readers_of_a_namespace_have_a_sentence_since_rows_have_no_namespace(arrived: OpenConsole) -> None:
    arrived.door.reader = Reader("of shop", frozenset({"shop"}))

    page = await arrived.get(PAGE)

    assert "Nothing of your namespaces is here" in page
    assert not {"billing", "gateway-1", "main.orders"} & {*page.replace("/", " ").split()}
    assert "<tbody>" not in page


async def test_a_partial_source_makes_numbers_lower_bounds(own: OpenConsole) -> None:
    own.console._states["completeness"].lacks = ("12 rows of table completeness, the least important ones",)

    page = await own.get(PAGE)

    assert figure(page, "lost") == "≥ 1"
    assert "12 rows of table completeness" in page


async def test_without_tables_the_page_has_jobs_to_copy(shared: OpenConsole) -> None:
    page = await shared.get(PAGE)

    for job_type in ("Completeness", "MirrorAudit", "LedgerAudit"):
        assert f"No table of {job_type} was found" in page
    jobs = [AnalyticsJob.model_validate(yaml.safe_load(job)) for job in (COMPLETENESS_JOB, MIRROR_JOB, LEDGER_JOB)]
    assert [job.spec.analysis.type for job in jobs] == ["Completeness", "MirrorAudit", "LedgerAudit"]
