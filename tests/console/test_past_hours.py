"""Checks how many hours of the past are kept, wait and are read, and what happens beyond each bound."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from kwitness.console.index.contents import new_index
from kwitness.console.index.database import Database, IndexFullError
from kwitness.console.index.past_hours import KEPT_S, MOST_HOURS, MOST_READERS, Hour, HourGoneError, PastHours
from kwitness.console.index.past_traffic import BATCH_END, MOST_BYTES
from kwitness.console.readers import Reader
from kwitness.console.rows.hours import HOUR_MS, hour_of, hour_text
from kwitness.console.sources import hour_reading
from kwitness.console.sources.found_tables import FoundTable
from kwitness.console.sources.past_source import _MOST_ANSWERS, MOST_AT_ONCE, MOST_PROCESSES, MOST_WAITING, PastSource
from kwitness.console.sources.tables import TableSources
from kwitness.console.sources.tables_process import MOST_ANSWERED, Reading, ReadTable, read_in_process
from kwitness.console.sources.tables_program import answered

from tests.console.test_reader_schemas import Clock
from tests.console.traffic_samples import AT, HOUR, moved, windows, write_traffic

ALL = Reader("of all", None)
TABLE = FoundTable("traffic", "traffic", "tables", ("1",), "/nowhere")


@pytest.fixture
def index() -> Iterator[Database]:
    database = new_index()
    yield database
    database.close()


def items(client_id: str, *namespaces: str) -> str:
    """Return rows of an hour as JSON."""
    row = {"api": "Produce", "topic": "orders", "client_id": client_id, "record_bytes_per_s": 5.0}
    return json.dumps([{**row, "k8s_namespace": namespace} for namespace in namespaces or ("shop",)])


def hour(number: int) -> Hour:
    """Return one of several hours."""
    return Hour(TABLE.job, HOUR + number * HOUR_MS)


def schemas(index: Database) -> set[str]:
    """Return the schemas of hours, and of their readers."""
    rows = index.rows("SELECT schema_name AS name FROM information_schema.schemata")
    return {row["name"] for row in rows if row["name"].startswith("past")}


def clients(past: PastHours, number: int, reader: Reader = ALL) -> list[str]:
    """Return the clients of an hour."""
    with past.seen_by(hour(number), reader) as seen:
        return [row["client_id"] for row in seen.database.rows("SELECT client_id FROM members ORDER BY client_id")]


@pytest.mark.parametrize("text", [AT, "2026-11-24T14:00", "2026-11-24T14:59:59.999Z", "2026-11-24T14:30"])
def test_an_hour_is_read_in_the_forms_that_browsers_send(text: str) -> None:
    assert hour_of(text) == HOUR
    assert hour_text(HOUR) == AT


def test_the_hour_that_was_not_used_for_the_longest_time_is_replaced(index: Database) -> None:
    past = PastHours(index)
    for number in range(MOST_HOURS):
        past.fill(hour(number), items(f"client-{number}"))
    assert clients(past, 0) == ["client-0"]

    past.fill(hour(MOST_HOURS), items("new"))

    assert hour(1) not in past
    assert [clients(past, number) for number in (0, MOST_HOURS)] == [["client-0"], ["new"]]
    assert len(schemas(index)) == MOST_HOURS
    with pytest.raises(HourGoneError):
        clients(past, 1)


def test_a_page_that_is_being_made_keeps_the_rows_of_an_hour_that_is_replaced(index: Database) -> None:
    past = PastHours(index)
    past.fill(hour(0), items("old"))

    with past.seen_by(hour(0), Reader("of shop", frozenset({"shop"}))) as seen:
        past.fill(hour(0), items("new"))
        assert seen.database.row("SELECT client_id FROM members") == {"client_id": "old"}
        assert len(schemas(index)) == 3

    assert schemas(index) == {"past_2"}
    assert clients(past, 0) == ["new"]


def test_readers_of_an_hour_have_schemas_of_their_own_so_many_at_once(index: Database) -> None:
    past = PastHours(index)
    namespaces = [f"n{number}" for number in range(MOST_READERS + 1)]
    past.fill(hour(0), items("app", *namespaces))
    past.fill(hour(1), items("other", "n0"))

    for namespace in namespaces:
        reader = Reader(namespace, frozenset({namespace}))
        with past.seen_by(hour(0), reader) as seen:
            assert seen.database.rows("SELECT DISTINCT k8s_namespace AS n FROM traffic") == [{"n": namespace}]
            assert seen.hidden == {"applications": 0, "topics": 0}
    assert clients(past, 1, Reader("n0", frozenset({"n0"}))) == ["other"]

    assert len(schemas(index)) == 2 + MOST_READERS + 1
    assert past.namespaces() == {*namespaces}


def test_an_hour_is_dropped_some_time_after_its_last_page(index: Database) -> None:
    clock = Clock()
    past = PastHours(index, clock=clock)
    past.fill(hour(0), items("app"))
    clients(past, 0, Reader("of shop", frozenset({"shop"})))
    clock.now_s = KEPT_S - 1
    past.drop_unused()
    assert schemas(index) == {"past_1"}, "rows of the reader were not used for longer than a minute"

    clock.now_s = KEPT_S
    past.drop_unused()

    assert schemas(index) == set()


def test_an_hour_beyond_the_memory_leaves_nothing_and_the_present_stays() -> None:
    index = new_index(memory=24 * 1024 * 1024)
    rows = [{"api": "Produce", "topic": f"topic-{n}", "client_id": f"{n}" * 60} for n in range(60_000)]

    with pytest.raises(IndexFullError, match="the index needs more than 24 MiB"):
        PastHours(index).fill(hour(0), json.dumps(rows))

    assert schemas(index) == set()
    assert index.row("SELECT count(*) AS number FROM traffic") == {"number": 0}
    index.close()


@pytest.mark.parametrize("bound", ["MOST_ROWS", "MOST_BYTES"])
def test_the_rows_of_the_most_bytes_are_kept_of_an_hour_with_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    path = write_traffic(tmp_path, [moved(f"client-{n}", "orders", 1_000 * n) for n in range(30)])
    monkeypatch.setattr(hour_reading, bound, 10 if bound == "MOST_ROWS" else 2_000)

    facts, text = answered({"job": "traffic", "path": str(path), "hour_ms": HOUR})

    kept = json.loads(text)
    assert kept[0]["client_id"] == "client-29"
    assert 0 < len(kept) == facts["rows"] <= 10
    assert facts["left_out"] == 30 - len(kept)


def test_rows_are_put_into_the_index_in_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, index: Database
) -> None:
    names = [f"client-{n:02}" for n in range(30)]
    path = write_traffic(tmp_path, [moved(name, "orders", 1_000) for name in names])
    monkeypatch.setattr(hour_reading, "BATCH_ROWS", 7)
    past = PastHours(index)

    facts, text = answered({"job": "traffic", "path": str(path), "hour_ms": HOUR})
    past.fill(hour(0), text)

    assert facts["rows"] == len(names)
    assert [len(json.loads(batch)) for batch in text.split(BATCH_END)] == [7, 7, 7, 7, 2]
    assert clients(past, 0) == names


def test_hours_are_read_by_the_process_and_a_table_of_another_type_is_refused(tmp_path: Path) -> None:
    path = write_traffic(tmp_path, windows(moved("desk", "orders", 3_600)))
    request = {"job": "traffic", "path": str(path), "hour_ms": HOUR}

    reading = read_in_process([request, {**request, "hour_ms": HOUR + HOUR_MS}, {"job": "traffic", "path": str(path)}])

    found, after, known = reading.tables
    [row] = json.loads(found.rows)
    assert (row["client_id"], row["record_bytes_per_s"], found.facts["doubt"]) == ("desk", 1.0, 0)
    assert (after.rows, "rows" in after.facts) == ("[]", False)
    assert after.facts["first_ms"] == after.facts["last_ms"] == HOUR
    assert (known.facts["type"], known.rows) == ("Traffic", "[]")


class Reads:
    """Answers hours as a process does, and counts the processes."""

    def __init__(self, **facts: Any) -> None:
        self.facts, self.count = {"rows": 1, "first_ms": 0, "last_ms": HOUR * 2, **facts}, 0
        self.ended: str | None = None

    def __call__(self, requests: Sequence[Mapping[str, Any]]) -> Reading:
        self.count += 1
        if self.ended:
            return Reading([], self.ended, 0.0)
        return Reading([ReadTable(self.facts, items("app")) for _ in requests], None, 0.0)


class Opened:
    """A source of one table, whose reads and clock tests set."""

    def __init__(self, index: Database, **facts: Any) -> None:
        self.reads, self.clock, self.past = Reads(**facts), Clock(), PastHours(index)
        tables = TableSources([], index, lambda: None)
        tables.past_tables = [TABLE]
        self.source = PastSource(self.past, tables, self.reads, self.clock)

    def state(self, number: int = 0) -> str:
        return self.source.answer(HOUR + number * HOUR_MS, "").state

    async def all_read(self) -> None:
        while self.source._waiting:
            await self.source.read_once()


async def test_so_many_hours_wait_and_a_process_reads_as_many_as_it_may_answer(index: Database) -> None:
    opened = Opened(index)

    assert [opened.state(-number) for number in range(MOST_WAITING + 1)] == ["waiting"] * MOST_WAITING + ["busy"]
    assert opened.state() == "waiting", "it waits already"
    await opened.source.read_once()
    states = [opened.state(-number) for number in range(MOST_AT_ONCE + 1)]
    assert states == ["ready"] * MOST_AT_ONCE + ["waiting"]
    assert MOST_AT_ONCE * MOST_BYTES <= MOST_ANSWERED
    await opened.all_read()

    assert opened.reads.count == MOST_WAITING / MOST_AT_ONCE
    assert opened.state(1 - MOST_WAITING) == "ready"
    assert opened.state(-MOST_WAITING) == "waiting"


async def test_reasons_of_so_many_hours_are_kept(index: Database) -> None:
    opened = Opened(index)
    opened.reads.facts = {"first_ms": HOUR, "last_ms": HOUR}
    for first in range(1, _MOST_ANSWERS + 2, MOST_WAITING):
        for number in range(first, first + MOST_WAITING):
            opened.state(-number)
        await opened.all_read()

    assert opened.state(-1) == "waiting"
    assert opened.state(-_MOST_ANSWERS) == "outside"
    assert len(opened.source._known) == _MOST_ANSWERS


def test_so_many_processes_of_a_minute_read_hours(index: Database) -> None:
    opened = Opened(index)
    for number in range(MOST_PROCESSES):
        assert opened.source._pause_s() == 0
        opened.clock.now_s = number
        opened.source._began.append(number)

    assert opened.source._pause_s() == 60 - (MOST_PROCESSES - 1)
    opened.clock.now_s = 60
    assert opened.source._pause_s() == 0


async def test_an_hour_that_ended_the_process_is_named_and_tried_again_after_a_minute(index: Database) -> None:
    opened = Opened(index)
    opened.reads.ended = "reading it takes more than 768 MiB of memory"
    opened.state()
    await opened.source.read_once()

    answer = opened.source.answer(HOUR, "")

    assert (answer.state, answer.problem) == ("failed", opened.reads.ended)
    opened.clock.now_s = 60
    opened.reads.ended = None
    assert opened.state() == "waiting"
    await opened.source.read_once()
    assert opened.state() == "ready"


async def test_an_open_hour_is_shown_and_read_again_after_a_minute_and_a_final_one_is_not(index: Database) -> None:
    for doubt, count in ((2, 2), (0, 1)):
        opened = Opened(index, doubt=doubt)
        opened.state()
        await opened.source.read_once()
        opened.clock.now_s = 60

        assert opened.state() == "ready"
        await opened.source.read_once() if opened.source._waiting else None

        assert (opened.state(), opened.reads.count) == ("ready", count)


async def test_a_table_that_only_a_driver_reaches_has_a_remedy(index: Database) -> None:
    opened = Opened(index)
    opened.source._tables.past_tables = [dataclasses.replace(TABLE, path=None, problem="mount its claim")]

    answer = opened.source.answer(HOUR, "")

    assert (answer.state, answer.problem) == ("failed", "mount its claim")
