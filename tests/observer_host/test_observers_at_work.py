"""Several observers at once: whatever one does, it does it to itself."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from kwitness.observer.host.crew import Crew
from kwitness.observer.host.ledger import Ledger
from kwitness.observer.host.worker import Worker
from kwitness.observer.interface import Observer
from kwitness.observer.loading import make_observer
from kwitness.observer.ordering import Arrival

from tests.eventually import eventually
from tests.observer_host.event_lines import event
from tests.observer_host.sample_observers import Hanging, Raising, RaisingOnClose, Silent

DRAIN = {"drain_seconds": 30.0, "close_seconds": 5.0}
AT_ONCE = {"drain_seconds": 0.0, "close_seconds": 0.0}


@pytest.fixture
def hanging() -> Iterator[type[Hanging]]:
    Hanging.released = threading.Event()
    yield Hanging
    Hanging.released.set()


def settled(worker: Worker) -> Ledger:
    return eventually(worker.ledger, lambda ledger: ledger.queued == 0, every=0.01)


def written(file: Path) -> Callable[[], Observer]:
    return partial(make_observer, "tests.observer_host.sample_observers.Written", {"file": str(file)})


def offer(crew: Crew, count: int) -> None:
    crew.offer([Arrival(event(number, kind=("request", "response")[number % 2]), size=10) for number in range(count)])


def test_one_that_raises_and_one_that_hangs_lose_their_own_events_alone(tmp_path: Path, hanging: type[Hanging]) -> None:
    crew = Crew(
        [
            Worker("raising", Raising),
            Worker("hanging", hanging, most_events=3),
            Worker("written", written(tmp_path / "calls")),
            Worker("silent", Silent),
        ]
    )
    crew.start()
    raising, hung, kept, silent = crew.workers
    eventually(lambda: crew.trouble, lambda trouble: trouble is None, every=0.01)

    offer(crew, 1)
    eventually(lambda: hung.call_seconds, every=0.01)
    crew.offer([Arrival(event(number), size=10) for number in range(1, 20)])

    assert settled(kept) == settled(silent) == Ledger(accepted=20, delivered=20)
    assert settled(raising) == Ledger(accepted=20, dropped={"raised": 20})
    assert hung.ledger() == Ledger(accepted=20, queued=4, dropped={"queue_full": 16})
    noted = [json.loads(line) for line in (tmp_path / "calls").read_text().splitlines()]
    assert [one[2] for one in noted] == [event(number).occurred_at_ms for number in range(20)]


def test_one_that_hangs_is_left_alone_at_the_end_and_what_it_did_not_take_is_counted(hanging: type[Hanging]) -> None:
    worker = Worker("hanging", hanging)
    worker.start()
    crew = Crew([worker])
    offer(crew, 5)
    eventually(lambda: worker.call_seconds, every=0.01)

    crew.stop(**AT_ONCE)

    assert worker.ledger() == Ledger(accepted=5, dropped={"closing": 5})
    hanging.released.set()
    eventually(lambda: not worker._thread.is_alive(), every=0.01)
    assert worker.ledger() == Ledger(accepted=5, dropped={"closing": 5})


def test_at_the_end_each_is_called_for_what_is_queued_then_closed_with_its_timeout_and_never_called_again(
    tmp_path: Path,
) -> None:
    file = tmp_path / "calls"
    worker = Worker("written", written(file))
    crew = Crew([worker])
    offer(crew, 100)
    worker.start()

    crew.stop(**DRAIN)
    offer(crew, 1)

    assert worker.ledger() == Ledger(accepted=101, delivered=100, dropped={"closing": 1})
    calls = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(calls) == 101
    assert calls[-1] == ["close", 5.0]


def test_one_that_raises_when_it_is_closed_ends_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    worker = Worker("stubborn", RaisingOnClose)
    worker.start()

    Crew([worker]).stop(**DRAIN)

    assert not worker._thread.is_alive()
    assert [(one.message, one.__dict__["reason"]) for one in caplog.records] == [
        ("An observer raised when it was closed", "OSError: disk full")
    ]


def test_what_it_raises_is_logged_once_a_minute_with_class_and_reason(caplog: pytest.LogCaptureFixture) -> None:
    worker = Worker("raising", Raising)
    worker.start()
    offer(Crew([worker]), 50)

    settled(worker)

    (line,) = [one for one in caplog.records if one.levelno == logging.WARNING]
    assert (line.__dict__["observer"], line.__dict__["class"], line.__dict__["reason"]) == (
        "raising",
        "tests.observer_host.sample_observers.Raising",
        "RuntimeError: no table for this topic",
    )


@pytest.mark.expects_log("An observer cannot be used")
def test_one_that_cannot_be_made_is_said_to_be_and_the_others_work() -> None:
    unusable = Worker("orders", partial(make_observer, "shop.audit.Orders", {}))
    crew = Crew([unusable, Worker("silent", Silent)])
    offer(crew, 2)
    crew.start()
    trouble = eventually(lambda: crew.trouble, lambda said: said is not None and "cannot" in said, every=0.01)
    offer(crew, 3)

    assert trouble is not None
    assert trouble.startswith("observer orders: the module of shop.audit.Orders cannot be imported")
    assert settled(unusable) == Ledger(accepted=5, dropped={"unusable": 5})
    assert settled(crew.workers[1]) == Ledger(accepted=5, delivered=5)


def test_reading_waits_for_the_quickest_of_those_who_work_and_for_nobody_who_hangs(
    hanging: type[Hanging], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = Worker("slow", hanging, most_events=2), Worker("quick", Silent)
    both, alone = Crew([slow, quick]), Crew([slow])
    both.start()
    eventually(lambda: both.trouble, lambda trouble: trouble is None, every=0.01)
    offer(both, 1)
    eventually(lambda: slow.call_seconds, every=0.01)
    offer(both, 2)

    assert (slow.has_room, alone.has_room) == (False, False)
    settled(quick)
    assert both.has_room
    monkeypatch.setattr("kwitness.observer.host.worker._STUCK_S", 0.0)
    assert alone.has_room
