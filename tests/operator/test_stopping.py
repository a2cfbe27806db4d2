"""How the tasks of the operator's process end: an error of one is not lost, and none outlives the process."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from kwitness.operator.stopping import unless_stopped, until_stopped


async def _endless() -> None:
    await asyncio.Event().wait()


async def _deaf_to_one_cancellation() -> None:
    with contextlib.suppress(asyncio.CancelledError):
        await _endless()
    await _endless()


async def _failing() -> None:
    raise ValueError("no answer that was foreseen")


def _task(name: str, work) -> asyncio.Task[None]:
    return asyncio.create_task(work, name=name)


async def test_work_that_fails_before_a_stop_raises_its_error() -> None:
    with pytest.raises(ValueError, match="foreseen"):
        await unless_stopped(_failing(), asyncio.Event())


async def test_a_stop_ends_work_that_is_not_done() -> None:
    stop = asyncio.Event()
    assert await unless_stopped(asyncio.sleep(0, "done"), stop) == "done"
    asyncio.get_running_loop().call_later(0.05, stop.set)
    assert await unless_stopped(_endless(), stop) is None
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize("is_guest", [False, True])
async def test_a_task_that_lost_its_cancellation_is_cancelled_once_more(caplog, is_guest: bool) -> None:
    """A guest is not cancelled before it has had the time to end by itself."""
    stop = asyncio.Event()
    deaf = _task("deaf", _endless() if is_guest else _deaf_to_one_cancellation())
    tasks = {_task("queue", _endless()), *(() if is_guest else (deaf,))}
    asyncio.get_running_loop().call_later(0.05, stop.set)

    await until_stopped(tasks, {deaf} if is_guest else set(), stop, patience_s=0.1)

    assert [record.task for record in caplog.records if record.levelname == "WARNING"] == ["deaf"]
    assert all(task.done() for task in {*tasks, deaf})


async def test_a_task_that_ends_by_itself_ends_the_others_and_is_named() -> None:
    stop = asyncio.Event()
    queue = _task("queue", _endless())

    with pytest.raises(RuntimeError, match="lists ended by itself") as raised:
        await until_stopped({queue, _task("lists", _failing())}, set(), stop)

    assert isinstance(raised.value.__cause__, ValueError)
    assert queue.cancelled()
    assert stop.is_set()
