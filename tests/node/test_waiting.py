"""Waits end because nothing moves, and never because of the time that something takes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from kwitness.sandbox.process_signs import ProcessSigns
from kwitness.sandbox.waiting import (
    CEILING,
    WAITS_LOG,
    Patience,
    WaitFailedError,
    run_to_end,
    slowest_waits,
    wait_for_exit,
    wait_until,
)

BUSY = "while True: pass"
IDLE = "import time; time.sleep(1000)"
CHATTY = "import time\nwhile True: print('still here', flush=True); time.sleep(0.05)"


class Clock:
    """Time in seconds, which passes only when `look_every` looks."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def looks(
    clock: Clock,
    see: Callable[[float], object],
    *,
    until: float,
    every: float = 1.0,
    signs: tuple[Callable[[], object], ...] = (),
    processes: Callable[[float], bool] = lambda _now: False,
) -> float:
    """Look each second with a patience of 60 s, and return when it ended: by itself, or at `until`."""
    with Patience(signs=signs, clock=clock, processes=processes) as patience:
        while clock.now < until:
            patience.note(see(clock.now))
            clock.now += every
    return clock.now


@pytest.fixture(autouse=True)
def not_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """These waits say nothing about the machine."""
    monkeypatch.delenv(WAITS_LOG, raising=False)


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[[str], subprocess.Popen[bytes]]]:
    """Starts programs in Python with their output in a file, and ends them after the test."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(program: str) -> subprocess.Popen[bytes]:
        with (tmp_path / f"{len(processes)}.log").open("ab") as log:
            processes.append(subprocess.Popen([sys.executable, "-c", program], stdout=log, stderr=log))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()


def test_a_number_that_rises_is_waited_for_however_long_it_takes() -> None:
    clock = Clock()

    assert looks(clock, lambda now: now // 50, until=10_000) == 10_000


def test_a_wait_ends_when_nothing_has_moved_for_its_stillness() -> None:
    clock = Clock()

    with pytest.raises(WaitFailedError, match=r"nothing moved for 61 s, after 361 s in all; seen last: 6\.0"):
        looks(clock, lambda now: min(now // 50, 6.0), until=10_000)


def test_two_states_that_alternate_are_no_movement() -> None:
    clock = Clock()

    with pytest.raises(WaitFailedError, match="nothing moved for 61 s, after 62 s"):
        looks(clock, lambda now: now % 2, until=10_000)


def test_a_sign_prolongs_a_wait_and_not_for_ever() -> None:
    clock = Clock()

    with pytest.raises(WaitFailedError, match=f"for {CEILING * 60 + 1} s only signs moved"):
        looks(clock, lambda _now: "starting", until=10_000, signs=(lambda: clock.now // 20,))
    assert clock.now == CEILING * 60 + 1


def test_processes_prolong_a_wait_likewise() -> None:
    clock = Clock()

    assert looks(clock, lambda _now: "starting", until=500, processes=lambda _now: True) == 500


def test_signs_are_not_asked_for_while_the_look_sees_new_things() -> None:
    clock, asked = Clock(), []

    looks(clock, lambda now: now, until=500, signs=(lambda: asked.append(clock.now),))

    assert asked == []


def test_a_sign_that_cannot_be_read_neither_prolongs_a_wait_nor_ends_it() -> None:
    clock = Clock()

    def unreadable() -> None:
        raise OSError(f"at {clock.now}")

    with pytest.raises(WaitFailedError, match=r"nothing moved for 61 s.*unreadable = 'OSError'"):
        looks(clock, lambda _now: None, until=10_000, signs=(unreadable,))


def test_looks_that_take_minutes_are_three_before_a_wait_fails() -> None:
    """As on a machine that was stopped for a while."""
    clock = Clock()

    with pytest.raises(WaitFailedError, match="nothing moved for 600 s"):
        looks(clock, lambda _now: None, until=10_000, every=200)


def test_a_message_names_what_was_waited_for_and_what_was_seen() -> None:
    with pytest.raises(WaitFailedError, match=r"^the first row: nothing moved for .*; seen last: \[\]; also watched: "):
        wait_until(list, what="the first row", still_s=0.2, every=0.05)


def test_a_wait_without_a_name_is_named_by_its_place() -> None:
    with pytest.raises(WaitFailedError, match=r"test_waiting\.py:\d+: nothing moved"):
        wait_until(lambda: False, still_s=0.2, every=0.05)


def test_exceptions_that_pass_are_looks() -> None:
    answers = iter([ConnectionRefusedError("not yet"), ConnectionRefusedError("not yet"), "up"])

    def look() -> str:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    assert wait_until(look, passing=(ConnectionRefusedError,), every=0.01) == "up"


@pytest.mark.slow
@pytest.mark.parametrize("program", [BUSY, CHATTY])
def test_a_process_that_moves_is_waited_for(program: str, started: Callable[[str], subprocess.Popen[bytes]]) -> None:
    started(program)
    ends = time.monotonic() + 9

    assert wait_until(lambda: time.monotonic() > ends, still_s=3, every=0.2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("begun", "wait", "seen"),
    [
        (
            "subprocess.Popen(idle, stderr=subprocess.DEVNULL)",
            "wait_until(lambda: False, still_s=3, every=0.2)",
            "False",
        ),
        ("None", "run_to_end(idle, still_s=2)", "b'begun"),
    ],
)
def test_an_idle_process_is_not(begun: str, wait: str, seen: str) -> None:
    # In a process of its own: below that of the suite, brokers of other tests move.
    lines = (
        "import subprocess, sys",
        "from kwitness.sandbox.waiting import run_to_end, wait_until",
        """idle = [sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(20)"]""",
        f"begun = {begun}",
        wait,
    )
    command = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, timeout=60)

    *_, error = [line for line in done.stderr.splitlines() if "WaitFailedError: " in line]
    assert "nothing moved for" in error
    assert f"seen last: {seen}" in error


@pytest.mark.slow
def test_what_a_process_of_a_process_computes_counts(started: Callable[[str], subprocess.Popen[bytes]]) -> None:
    ends = "import time; end = time.monotonic() + 8\nwhile time.monotonic() < end: pass"
    started(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {ends!r}])")
    time.sleep(1)
    signs = ProcessSigns()

    assert not signs.moved(time.monotonic()), "there is nothing yet to compare with"
    time.sleep(2)
    assert signs.moved(time.monotonic())


@pytest.mark.slow
def test_processes_that_share_a_processor_move_as_much_as_one_alone(
    started: Callable[[str], subprocess.Popen[bytes]],
) -> None:
    """Eight of them have an eighth of it, and all want all of it."""
    last = [started(f"import os; os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}})\n{BUSY}") for _ in range(8)]
    time.sleep(2)
    signs = ProcessSigns()
    signs.moved(0.0)
    for process in last[1:]:
        process.kill()
        process.wait()

    assert signs.moved(0.1), "they waited for most of that time"


def test_a_wait_ends_with_the_process_that_it_needs(started: Callable[[str], subprocess.Popen[bytes]]) -> None:
    process = started("raise SystemExit(3)")

    with pytest.raises(WaitFailedError, match=r"python.* ended with 3"):
        wait_until(lambda: False, needs=[process])


def test_what_a_process_did_before_it_ended_is_seen(started: Callable[[str], subprocess.Popen[bytes]]) -> None:
    process = started("")
    process.wait()
    seen = iter([False, True])

    assert wait_until(lambda: next(seen), needs=[process], every=0.01)


def test_the_exit_of_a_process_is_waited_for(started: Callable[[str], subprocess.Popen[bytes]]) -> None:
    assert wait_for_exit(started("raise SystemExit(3)")) == 3


def test_a_program_runs_to_its_end() -> None:
    program = "import sys; print(sys.stdin.read()); print('oh', file=sys.stderr); sys.exit(2)"

    done = run_to_end([sys.executable, "-c", program], input_text="words")

    assert (done.returncode, done.stdout, done.stderr) == (2, "words\n", "oh\n")


def test_a_program_that_reads_late_gets_all_of_a_long_input() -> None:
    program = "import sys, time; time.sleep(0.5); print(len(sys.stdin.read()))"

    assert run_to_end([sys.executable, "-c", program], input_text="x" * 10**6).stdout == "1000000\n"


def test_waits_that_came_near_their_patience_are_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, clock = tmp_path / "waits.jsonl", Clock()
    monkeypatch.setenv(WAITS_LOG, str(file))

    looks(clock, lambda now: now // 45, until=135)
    looks(clock, lambda now: now // 5, until=500)

    (line,) = file.read_text().splitlines()
    noted = json.loads(line)
    assert (noted["share"], noted["seconds"]) == (0.75, 135.0)
    assert "test_waits_that_came_near_their_patience_are_noted" in noted["where"]


def test_the_slowest_waits_are_shown_as_shares_of_what_they_may_take() -> None:
    numbers = count(1)
    lines = [
        json.dumps({"where": f"test_{next(numbers)}", "share": share, "seconds": 12.3}) for share in (0.2, 0.9, 0.5)
    ]

    assert slowest_waits(lines, 2) == [
        "  90% of its patience, 12 s: test_2",
        "  50% of its patience, 12 s: test_3",
    ]
