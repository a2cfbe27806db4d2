"""The memory and the disk that a run needs are asked for before anything starts."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from kwitness.e2e import capacity
from kwitness.images.image_parts import REPOSITORY

MEMINFO = "MemTotal:       24678412 kB\nMemFree:          123456 kB\nMemAvailable:    7340032 kB\n"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A machine with 100 GiB of memory, and an empty cache on a disk whose free space a test sets."""
    state = SimpleNamespace(disk=100.0, memory=100.0, cache=tmp_path / "kwitness")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("KWITNESS_NODE", raising=False)
    monkeypatch.setattr(shutil, "disk_usage", lambda _place: SimpleNamespace(free=state.disk * 2**30))
    monkeypatch.setattr(capacity, "available_gib", lambda _text=None: state.memory)
    return state


def test_what_is_available_counts_and_not_what_is_free() -> None:
    assert capacity.available_gib(MEMINFO) == 7.0


def test_a_shortage_of_memory_says_how_much_and_what_to_do() -> None:
    said = capacity.memory_shortage(8, MEMINFO)

    assert "8 GiB of memory must be free, and 7.0 GiB are" in said
    assert "make demo-down" in said


def test_enough_memory_is_no_message() -> None:
    assert capacity.memory_shortage(7, MEMINFO) == ""


def test_a_machine_without_the_kernels_estimate_is_named() -> None:
    with pytest.raises(ValueError, match="is this Linux"):
        capacity.available_gib("MemTotal: 1 kB\n")


def test_a_machine_with_room_may_begin(machine: SimpleNamespace, capsys: pytest.CaptureFixture[str]) -> None:
    assert capacity.main() == 0
    assert capsys.readouterr().err == ""


def test_a_run_does_not_begin_on_a_full_disk(machine: SimpleNamespace, capsys: pytest.CaptureFixture[str]) -> None:
    machine.disk = 15.0

    assert capacity.main() == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"too little room: 20 GiB of disk must be free for {machine.cache}, and 15.0 GiB are")
    assert "make clean-cache" in line


def test_what_is_built_already_needs_no_room_again(machine: SimpleNamespace) -> None:
    machine.disk = 15.0
    (machine.cache / "go/kubernetes/0123").mkdir(parents=True)

    assert capacity.main() == 0


def test_everything_that_lacks_is_said_at_once(machine: SimpleNamespace, capsys: pytest.CaptureFixture[str]) -> None:
    machine.disk = machine.memory = 1.0

    assert capacity.main() == 1
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_make_test_asks_first() -> None:
    (steps,) = re.findall(r"^test: ([a-z -]+) ##", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)

    assert steps.split()[:3] == ["prerequisites-test", "setup", "check-capacity"]
