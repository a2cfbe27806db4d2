"""The test kit calls a class as the host does, and says what is wrong with events or class."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kwitness.observer.loading import UnusableObserverError
from kwitness.observer.testing import RECORDED, read_events, replay
from kwitness.sandbox.waiting import run_to_end

from tests.observer_host.event_lines import event, line
from tests.observer_host.sample_observers import Demanding, Raising, Written

SAMPLES = "tests.observer_host.sample_observers"
ROOT = Path(__file__).resolve().parents[2]


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_to_end([sys.executable, "-m", "kwitness.observer.testing", *arguments], cwd=ROOT)


def test_the_recorded_events_are_whole_connections_with_requests_and_responses() -> None:
    events = list(read_events(RECORDED))

    by_connection: dict[str, list[int]] = {}
    for one in events:
        by_connection.setdefault(one.connection_id, []).append(one.connection_seq)
    assert all(numbers == list(range(len(numbers))) for numbers in by_connection.values())
    assert {"Produce", "Fetch"} <= {one.api for one in events if one.fields is not None}
    assert len(by_connection) > 1


def test_events_are_given_in_the_order_of_their_connection_and_the_observer_is_closed(tmp_path: Path) -> None:
    file = tmp_path / "calls"

    replay(Written, [event(number) for number in (2, 0, 1)], config={"file": str(file)})

    assert [text.split(",")[2].strip() for text in file.read_text().splitlines()[:-1]] == [
        str(event(number).occurred_at_ms) for number in range(3)
    ]
    assert file.read_text().splitlines()[-1].startswith('["close"')


def test_what_a_class_raises_is_raised() -> None:
    with pytest.raises(RuntimeError, match="no table"):
        replay(Raising)


def test_what_configure_refuses_is_refused_as_by_the_host() -> None:
    with pytest.raises(UnusableObserverError, match="no table: set table; it was given no settings"):
        replay(Demanding)


def test_a_line_that_is_no_event_is_named(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text(line(event(0)) + "\n\n{}\n")

    with pytest.raises(ValueError, match=rf"{file}, line 3: event_source: Field required; write a record of"):
        list(read_events(file))


@pytest.mark.slow
def test_the_command_says_what_it_did_and_its_exit_code_does_too() -> None:
    good = command(f"{SAMPLES}.Demanding", "--config", "table=orders")
    raised = command(f"{SAMPLES}.Raising")
    missing = command("shop.audit.Orders")

    assert (good.returncode, good.stdout) == (
        0,
        f"{SAMPLES}.Demanding took {len(list(read_events(RECORDED)))} events\n",
    )
    assert (raised.returncode, raised.stderr.count("RuntimeError: no table for this topic")) == (1, 1)
    assert missing.returncode == 2
    assert "cannot be imported" in missing.stderr
