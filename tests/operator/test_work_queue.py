"""Keys are coalesced, worked on one at a time, and tried again as the error's class says."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import sys
import time
from collections.abc import Callable

import pytest

from kwitness.operator import work_queue
from kwitness.operator.model.errors import TerminalError, TransientError
from kwitness.operator.work_queue import Requeue, WorkQueue
from kwitness.sandbox.waiting import Patience


@contextlib.asynccontextmanager
async def running(queue: WorkQueue[str]):
    task = asyncio.create_task(queue.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until(condition: Callable[[], object]) -> None:
    with Patience() as patience:
        while not condition():
            patience.note(None)
            await asyncio.sleep(0.01)


async def test_a_key_added_many_times_is_worked_on_once():
    done: list[str] = []

    async def reconcile(key: str) -> Requeue:
        done.append(key)
        return Requeue()

    queue = WorkQueue("Test", reconcile, resync=60)
    for _ in range(100):
        queue.add("a")
    async with running(queue):
        await until(lambda: done)
        await asyncio.sleep(0.05)
    assert done == ["a"]


async def test_a_key_that_changes_while_it_is_worked_on_is_worked_on_again_afterwards():
    at_once, most, rounds = 0, 0, 0

    async def reconcile(_: str) -> Requeue:
        nonlocal at_once, most, rounds
        at_once, rounds = at_once + 1, rounds + 1
        most = max(most, at_once)
        if rounds == 1:
            queue.add("a")
        await asyncio.sleep(0.05)
        at_once -= 1
        return Requeue()

    queue = WorkQueue("Test", reconcile, resync=60)
    queue.add("a")
    async with running(queue):
        await until(lambda: rounds == 2)
        await asyncio.sleep(0.1)
    assert (rounds, most) == (2, 1)


async def test_different_keys_are_worked_on_side_by_side_up_to_the_number_of_workers():
    at_once, most = 0, 0

    async def reconcile(_: str) -> Requeue:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.02)
        at_once -= 1
        return Requeue.never()

    queue = WorkQueue("Test", reconcile, resync=60, workers=3)
    for key in "abcdefgh":
        queue.add(key)
    async with running(queue):
        await until(lambda: most == 3 and at_once == 0)
    assert most == 3


@pytest.mark.parametrize(
    ("error", "rounds"),
    [
        pytest.param(TransientError("Unreachable", "x"), 3, id="passing"),
        pytest.param(RuntimeError("x"), 3, id="unforeseen"),
        pytest.param(TerminalError("InvalidPattern", "x"), 1, id="settled"),
    ],
)
async def test_the_class_of_the_error_decides_on_a_retry(error, rounds, monkeypatch):
    monkeypatch.setattr(work_queue, "_FIRST_DELAY", 0.01)
    times: list[float] = []

    async def reconcile(_: str) -> Requeue:
        times.append(time.monotonic())
        if len(times) < 3:
            raise error
        return Requeue()

    queue = WorkQueue("Test", reconcile, resync=60)
    queue.add("a")
    async with running(queue):
        await until(lambda: len(times) >= rounds)
        await asyncio.sleep(0.2)
    assert len(times) == rounds


async def test_intervals_grow_and_success_forgets_them(monkeypatch):
    monkeypatch.setattr(work_queue, "_FIRST_DELAY", 0.02)
    monkeypatch.setattr(work_queue.random, "uniform", lambda _low, high: high)
    times: list[float] = []

    async def reconcile(_: str) -> Requeue:
        times.append(time.monotonic())
        raise TransientError("Unreachable", "x")

    queue = WorkQueue("Test", reconcile, resync=60)
    queue.add("a")
    async with running(queue):
        await until(lambda: len(times) == 5)
    gaps = [second - first for first, second in itertools.pairwise(times)]
    assert all(gap >= 0.02 * 2**number for number, gap in enumerate(gaps))


async def test_one_stuck_key_does_not_stop_the_others():
    done: list[str] = []

    async def reconcile(key: str) -> Requeue:
        if key == "stuck":
            await asyncio.sleep(60)
        done.append(key)
        return Requeue()

    queue = WorkQueue("Test", reconcile, resync=60)
    queue.add("stuck")
    queue.add("b")
    async with running(queue):
        await until(lambda: done == ["b"])


async def test_every_key_is_looked_at_again_at_the_resync_unless_it_is_gone():
    done: list[str] = []

    async def reconcile(key: str) -> Requeue:
        done.append(key)
        return Requeue.never() if key == "gone" else Requeue()

    queue = WorkQueue("Test", reconcile, resync=0.05)
    queue.add("gone")
    queue.add("a")
    async with running(queue):
        await until(lambda: done.count("a") >= 3)
    assert done.count("gone") == 1


async def test_a_later_time_does_not_push_back_an_earlier_one():
    done: list[float] = []
    start = time.monotonic()

    async def reconcile(_: str) -> Requeue:
        done.append(time.monotonic() - start)
        return Requeue()

    queue = WorkQueue("Test", reconcile, resync=60)
    queue.add("a", 0.05)
    queue.add("a", 30)
    async with running(queue):
        await until(lambda: done)
    assert done[0] < 15


@pytest.mark.parametrize("steps", range(6))
async def test_it_ends_when_told_so_while_a_key_is_being_added(steps):
    async def reconcile(_: str) -> Requeue:
        return Requeue()

    queue = WorkQueue("Test", reconcile, resync=60)
    queue.add("later", 60)
    task = asyncio.create_task(queue.run())
    await asyncio.sleep(0.01)

    queue.add("now")
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()

    await until(task.done)


async def test_a_weekend_of_failures_does_not_end_the_attempts(monkeypatch):
    monkeypatch.setattr(work_queue, "_FIRST_DELAY", 0.0)
    attempts, outage = dict.fromkeys("abcd", 0), 1100
    back: set[str] = set()

    async def reconcile(key: str) -> Requeue:
        attempts[key] += 1
        if attempts[key] <= outage:
            raise TransientError("Unreachable", "x")
        back.add(key)
        return Requeue()

    queue = WorkQueue("Test", reconcile, resync=60, workers=len(attempts))
    for key in attempts:
        queue.add(key)
    async with running(queue):
        await until(lambda: back == set(attempts))
    assert set(attempts.values()) == {outage + 1}


def _steps(work: Callable[[], object]) -> int:
    """Return how many functions and generators were entered."""
    entered = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal entered
        entered += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return entered


async def test_four_times_the_keys_cost_about_four_times_the_steps():
    async def reconcile(_: str) -> Requeue:
        return Requeue()

    def add(keys: int) -> None:
        queue = WorkQueue("Test", reconcile, resync=60)
        for number in range(keys):
            queue.add(str(number))

    assert _steps(lambda: add(2000)) < 5 * _steps(lambda: add(500))


async def test_replaced_times_are_not_remembered_for_ever():
    done = 0

    async def reconcile(_: str) -> Requeue:
        nonlocal done
        done += 1
        return Requeue(after=3600)

    queue = WorkQueue("Test", reconcile, resync=3600)
    async with running(queue):
        for number in range(1, 2_000):
            queue.add("a")
            for _ in range(10):
                await asyncio.sleep(0)
            assert done == number
        assert len(queue._order) < 1_100
