"""Checks what the index reads again: changes by cursor alone, and how sources say that they are old or partial."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest

from kwitness.answers.access.collector_access import CollectorAccess
from kwitness.answers.access.local_route import LocalRoute
from kwitness.answers.failure import CommandFailedError
from kwitness.console.index.contents import new_index
from kwitness.console.index.database import Database, IndexFullError
from kwitness.console.index.processor_share import PAUSE_FOR_WORK, ProcessorShare
from kwitness.console.sources.client_changes import ClientChanges
from kwitness.console.sources.source import PERIOD_S, Source

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import batch
from tests.console.fleet_samples import CHECKOUT, LEDGER, pushed
from tests.console.open_console import session_of

MOST_A_MINUTE_S = 2.0
WORK_S = 0.2


class Counted(CollectorAccess):
    """Counts the items of answers."""

    items = 0

    def get(self, path: str, model: Any, **parameters: Any) -> Any:
        answer = super().get(path, model, **parameters)
        if "since" in parameters:
            self.items += len(answer.items)
        return answer


def known(index: Database) -> dict[str, int]:
    """Return the time of the last push by instance."""
    rows = index.rows("SELECT client_instance_id, last_push_ms FROM clients ORDER BY ALL")
    return {row["client_instance_id"]: row["last_push_ms"] for row in rows}


def answered(collector: CollectorProcess) -> dict[str, int]:
    """Return the same of the collector's own answer."""
    return {item["client_instance_id"]: item["last_push_ms"] for item in collector.get("/v1/clients").body["items"]}


def test_only_changes_are_read_again_and_the_times_of_pushes(collector: CollectorProcess) -> None:
    index = new_index()
    access = Counted(LocalRoute(session_of(collector)))
    changes = ClientChanges(access, index)
    now_ms = int(time.time() * 1000)
    collector.push(batch([pushed(number, CHECKOUT, now_ms) for number in range(1, 6)]))

    assert changes.read() == []
    assert known(index) == answered(collector)
    assert access.items == 5

    collector.push(batch([pushed(2, CHECKOUT, now_ms), pushed(6, LEDGER, now_ms)]))
    changes.read()
    assert access.items == 6
    assert known(index) == answered(collector)
    assert len(known(index)) == 6

    collector.push(batch([{**pushed(1, CHECKOUT, now_ms), "terminating": True}]))
    changes.read()
    assert access.items == 7
    ended = index.rows("SELECT client_instance_id FROM clients WHERE terminated")
    assert ended == [{"client_instance_id": "instance-1"}]
    assert known(index) == answered(collector)


def test_a_collector_that_was_restarted_is_read_from_the_beginning(collector: CollectorProcess) -> None:
    index = new_index()
    changes = ClientChanges(CollectorAccess(LocalRoute(session_of(collector))), index)
    now_ms = int(time.time() * 1000)
    collector.push(batch([pushed(1, CHECKOUT, now_ms), pushed(2, CHECKOUT, now_ms)]))
    changes.read()
    collector.kill()
    for path in collector.folder.glob("state-*/*"):
        path.unlink()
    collector.start()
    collector.push(batch([pushed(3, LEDGER, now_ms)], epoch=2))

    changes.read()

    assert known(index) == answered(collector)
    assert [*known(index)] == ["instance-3"]


async def test_a_source_keeps_its_last_answer_and_the_reason_why_the_next_one_failed() -> None:
    answers: list[list[str] | Exception] = [
        ["a replica lacks"],
        CommandFailedError("it is away"),
        [],
        IndexFullError("full"),
    ]
    changed: list[str] = []

    def read() -> list[str]:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    source = Source("traffic", read, changed=lambda: changed.append(source.state))
    assert source.state == "loading"

    for _ in range(4):
        await source.read_once()

    assert changed == ["partial", "failed", "complete", "failed"]
    assert source.problem == "full"
    assert source.as_of_ms is not None


@pytest.mark.parametrize("worked_s", [(0.01, 0.02), (0.5, 0.1, 0.1), (4.0, 0.2, 2.5, 0.0)])
def test_all_work_together_needs_two_seconds_of_a_processor_a_minute(worked_s: tuple[float, ...]) -> None:
    workers = [SimpleNamespace(worked_s=worked) for worked in worked_s]

    pause_s = ProcessorShare(workers).pause_s(PERIOD_S)

    assert pause_s == max(PERIOD_S, PAUSE_FOR_WORK * sum(worked_s))
    assert sum(worked_s) * 60 / pause_s <= MOST_A_MINUTE_S


async def test_a_source_knows_how_much_of_a_processor_its_last_read_took() -> None:
    def work() -> list[str]:
        began = time.thread_time()
        while time.thread_time() - began < WORK_S:
            pass
        return []

    source = Source("busy", work, changed=lambda: None)
    await source.read_once()

    assert WORK_S <= source.worked_s < 2 * WORK_S
