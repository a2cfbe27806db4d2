"""What a person reads while the demo works."""

from __future__ import annotations

import io

import pytest

from kwitness.demo import progress as module
from kwitness.demo.progress import DemoError, Progress, wait_until
from kwitness.sandbox.waiting import WAITS_LOG

from tests.eventually import eventually


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, which passes only when somebody sleeps."""
    now = [0.0]
    monkeypatch.delenv(WAITS_LOG, raising=False)
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(module.time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    return now


def test_a_wait_is_named_once_and_then_only_how_long_it_lasts(clock: list[float]) -> None:
    out = io.StringIO()
    progress = Progress(total=1, out=out)

    with progress.step("the broker"):
        wait_until(
            lambda: None if clock[0] >= 40 else "broker 1: 0 of 1 ready" if clock[0] < 33 else "its port",
            progress=progress,
            component="broker",
            log="",
        )

    assert out.getvalue().splitlines() == [
        "[ 1/1] the broker (0 s so far)",
        "        waits for broker 1: 0 of 1 ready",
        "        ... 15 s",
        "        ... 30 s",
        "        waits for its port",
        "        done in 40 s",
    ]


def test_a_step_shows_the_time_spent_before_it(clock: list[float]) -> None:
    out = io.StringIO()
    progress = Progress(total=2, out=out)
    for title in ("the node", "the broker"):
        with progress.step(title):
            clock[0] += 85

    assert out.getvalue().splitlines()[::2] == ["[ 1/2] the node (0 s so far)", "[ 2/2] the broker (85 s so far)"]


def test_a_step_that_prints_nothing_is_still_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REMIND_SECONDS", 0.1)
    out = io.StringIO()

    with Progress(total=1, out=out).step("a long command"):
        eventually(out.getvalue, lambda text: text.count(" s in this step") >= 2)


def test_a_wait_that_does_not_end_names_the_component_what_it_lacks_and_its_log(clock: list[float]) -> None:
    with pytest.raises(DemoError, match=r"broker: nothing moved for 181 s, .*; seen last: 'its port'") as failed:
        wait_until(lambda: "its port", progress=Progress(total=1, out=io.StringIO()), component="broker", log="here")

    assert (failed.value.component, failed.value.log) == ("broker", "here")


def test_a_wait_lasts_as_long_as_something_moves(clock: list[float]) -> None:
    wait_until(
        lambda: None if clock[0] > 1000 else "its port",
        progress=Progress(total=1, out=io.StringIO()),
        component="broker",
        log="here",
        signs=(lambda: clock[0] // 100,),
    )

    assert clock[0] == 1001
