"""Windows that many facts must become are computed in pieces: a driver that is killed goes on where it was."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from kwitness.jobs.frame import windows_sink
from kwitness.jobs.frame.delta_table import JobTable
from kwitness.jobs.frame.window_pieces import pieces
from kwitness.jobs.frame.windows import Span, widened

from tests.jobs import observed, traffic_oracle
from tests.jobs.window_tables import parts, rows_of, run, tables

#: Of four or five windows of the records below.
FACTS = 50
STARTS = st.dictionaries(st.integers(0, 100).map(lambda number: number * 10_000), st.integers(0, 9), max_size=30)


class KilledError(Exception):
    """Stands for a driver that ends at this moment."""


def test_a_driver_that_is_killed_while_it_catches_up_goes_on_where_it_was(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = observed.mixed(3, sources=1)
    run(spark, tables(spark, tmp_path), records)
    shutil.rmtree(tmp_path / "table")
    monkeypatch.setattr(windows_sink, "MAX_FACTS", FACTS)
    _killed_after_a_piece(monkeypatch, lambda: tables(spark, tmp_path))
    before = _base_files(tmp_path)
    assert len(before) == 1, "a piece, a commit and a file"

    at = tables(spark, tmp_path)

    rows = rows_of(at.table.path)
    assert rows == traffic_oracle.traffic(records)[0]
    assert {key[0] for key in rows} == {300_000, 3_600_000, 86_400_000}
    assert before < _base_files(tmp_path), "no piece is computed again"
    first, second = _reached(tmp_path)
    assert first < second, "the third piece is the last"
    version = at.table.version()
    assert tables(spark, tmp_path).table.version() == version, "nothing is left"


def test_windows_that_exist_are_caught_up_with_in_pieces_as_well(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = observed.mixed(5, sources=1)
    first, second = parts(records, 2)
    run(spark, tables(spark, tmp_path), first)
    monkeypatch.setattr(windows_sink, "MAX_FACTS", FACTS)
    killed = tables(spark, tmp_path)
    _killed_after_a_piece(monkeypatch, lambda: run(spark, killed, second))

    at = tables(spark, tmp_path)

    assert rows_of(at.table.path) == traffic_oracle.traffic(records)[0]
    assert run(spark, at, second) == set(), "positions are those of the facts"


def test_a_driver_with_other_parameters_computes_all_pieces_again(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = observed.mixed(3, minutes=12)
    run(spark, tables(spark, tmp_path), records)
    shutil.rmtree(tmp_path / "table")
    monkeypatch.setattr(windows_sink, "MAX_FACTS", FACTS)
    _killed_after_a_piece(monkeypatch, lambda: tables(spark, tmp_path))

    at = tables(spark, tmp_path, topics=("stock",))

    assert rows_of(at.table.path) == traffic_oracle.traffic(records, topics=("stock",))[0]


@given(facts=STARTS, most=st.integers(1, 30), after=st.none() | st.integers(0, 100).map(lambda number: number * 10_000))
def test_pieces_hold_each_window_once_and_end_with_each_longer_one_once(
    facts: dict[int, int], most: int, after: int | None
) -> None:
    found = list(pieces(facts, 10, most, after))

    left = sorted(start for start in facts if after is None or start >= after)
    assert [start for piece in found for start in piece.starts] == left
    assert all(len(piece.starts) == 1 or sum(facts[start] for start in piece.starts) <= most for piece in found if left)
    longer = widened([Span(start, start + 10_000) for start in facts], 60)
    ending = [span for piece in found for span in piece.ending(longer, 60)]
    starts = [start for span in ending for start in range(span.start, span.end, 60_000)]
    whole = [start for span in longer for start in range(span.start, span.end, 60_000)]
    assert starts == [start for start in whole if after is None or start + 60_000 > after]
    for piece in found[:-1]:
        assert all(span.end <= (piece.until or 0) for span in piece.ending(longer, 60)), "its windows are there then"


def _killed_after_a_piece(monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> None:
    replace, done = JobTable.replace, iter([True])

    def commit_once(*given: Any) -> None:
        if not next(done, False):
            raise KilledError
        replace(*given)

    with monkeypatch.context() as death:
        death.setattr(JobTable, "replace", commit_once)
        with pytest.raises(KilledError):
            work()


def _base_files(folder: Path) -> set[str]:
    return {uri for uri in DeltaTable(str(folder / "table")).file_uris() if "window_seconds=300/" in uri}


def _reached(folder: Path) -> list[int]:
    """The ends of pieces, by the notes of commits, in their order."""
    commits = sorted(DeltaTable(str(folder / "table")).history(), key=lambda commit: commit["version"])
    notes = [json.loads(commit.get("userMetadata") or "{}") for commit in commits]
    return [note["catching_up"]["until_ms"] for note in notes if "catching_up" in note]
