"""`make demo` ends with how long it took, and with what makes that comparable between machines."""

from __future__ import annotations

import re
import time
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from kwitness.demo import run, targets
from kwitness.demo.parts import Demo
from kwitness.demo.platform import Platform


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the parts that a run starts, each at once; the target is none."""
    names: list[str] = []
    monkeypatch.setattr(targets, "start_node", lambda *_: (MagicMock(), MagicMock(images={})))
    monkeypatch.setattr(Demo, "require", lambda _demo, *parts: names.extend(part.name for part in parts))
    monkeypatch.setattr(run, "begin", lambda *_: names.append("begin"))
    monkeypatch.setattr(Platform, "summary", lambda _platform, parts: f"summary of {', '.join(sorted(parts))}")
    return names


def test_the_last_line_has_the_time_and_the_fixed_piece_of_work(
    started: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.up("node", "", [], tmp_path, began=time.monotonic() - 90) == 0

    *_, last = capsys.readouterr().out.splitlines()
    assert re.fullmatch(
        r"All of it runs after 1\.\d min, where the fixed piece of work .* takes 0\.\d{3} CPU-seconds\.", last
    )


def test_parts_that_need_the_collector_begin_together(started: list[str], tmp_path: Path) -> None:
    run.up("node", "", ["gateway", "clients"], tmp_path)

    assert started[:2] == ["collector", "begin"]
    assert started[-2:] == ["clients", "gateway"]


def test_before_the_slow_parts_stands_what_can_be_used(
    started: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run.up("node", "", ["numbers", "headers"], tmp_path)

    announced, rest = capsys.readouterr().out.split("summary of ")
    assert started[-2:] == ["interceptors", "headers"]
    assert "All but interceptors, headers can be used now, after " in announced
    assert "kubectl get kwitness -n kwitness" in announced
    assert rest.startswith("broker, charts, clients, collector, credentials, headers, interceptors, numbers\n")


def test_parts_without_slow_ones_announce_none(
    started: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run.up("node", "", ["clients"], tmp_path)

    assert "All but" not in capsys.readouterr().out
    assert started[-1] == "clients"
