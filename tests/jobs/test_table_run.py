"""A driver's run of a job that reads tables: it waits for them, follows them, and ends when it should."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.jobs.analyses.cost_attribution.job import JOB, SINK
from kwitness.jobs.driver import table_run
from kwitness.jobs.driver.table_run import TableRun
from kwitness.jobs.frame.status import DriverStatus, StatusBoard

from tests.eventually import eventually
from tests.jobs import cost_inputs
from tests.jobs.conftest import job_config

NEW_PASSWORD = {"sasl.jaas.config": "another"}


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks several times a second, and does not rest."""
    monkeypatch.setattr(table_run, "_LOOK_SECONDS", 0.2)
    monkeypatch.setattr(table_run, "_REST", 0.0)


def config_of(folder: Path) -> JobConfig:
    return job_config(
        folder,
        type="CostAttribution",
        run={"mode": "streaming", "trigger_seconds": 0.2},
        parameters={
            "traffic_job_ref": {"name": "traffic"},
            "rate_card_config_map_ref": {"name": "kwitness-rates"},
            "time_zone": "Etc/UTC",
        },
        input_tables={"Traffic": (folder / "traffic").as_uri()},
        kafka={"bootstrap_servers": []},
    )


class Secrets:
    """What the run is told when it asks."""

    def __init__(self) -> None:
        self.renewed: dict[str, str] | None = None

    def __call__(self) -> dict[str, str] | None:
        return self.renewed


def result(run: Future[object]) -> object:
    """What a run that ends returns."""
    eventually(run.done)
    return run.result()


@contextmanager
def running(spark: SparkSession, folder: Path, board: StatusBoard, secrets: Secrets) -> Iterator[Future[object]]:
    """A run beside the test; it is stopped at the end, if it did not end by itself."""
    config, stopping = config_of(folder), threading.Event()
    run = TableRun(session=spark, job=JOB, sink=SINK, config=config, options={}, board=board)
    with ThreadPoolExecutor(1) as beside:
        future: Future[object] = beside.submit(run.run, stopping, secrets)
        try:
            yield future
        finally:
            stopping.set()


def principals(folder: Path) -> set[str | None]:
    table = folder / "table"
    if not DeltaTable.is_deltatable(str(table)):
        return set()
    return set(DeltaTable(str(table)).to_pyarrow_dataset().to_table(["principal"])["principal"].to_pylist())


def row(name: str) -> dict[str, object]:
    return cost_inputs.traffic_row(cost_inputs.TURN, "api", "Metadata", (name, None, None, None), requests=1)


def test_it_waits_for_its_table_follows_it_and_goes_on_after_other_secrets(spark: SparkSession, tmp_path: Path) -> None:
    board, secrets = StatusBoard(DriverStatus()), Secrets()

    with running(spark, tmp_path, board, secrets) as run:
        eventually(board.read, lambda now: now.reason == "Starting")
        assert board.read().message == "waits for the table of Traffic, which that job makes when it runs first"
        assert not run.done()

        cost_inputs.add_traffic(tmp_path, [row("User:first")])
        eventually(lambda: principals(tmp_path), lambda now: now == {"User:first"})
        assert (board.read().phase, board.read().reason) == ("Running", None)

        cost_inputs.add_traffic(tmp_path, [row("User:second")])
        eventually(lambda: principals(tmp_path), lambda now: now == {"User:first", "User:second"})

        secrets.renewed = NEW_PASSWORD
        assert result(run) == NEW_PASSWORD

    secrets.renewed = None
    with running(spark, tmp_path, board, secrets) as run:
        cost_inputs.add_traffic(tmp_path, [row("User:third")])
        eventually(lambda: principals(tmp_path), lambda now: "User:third" in now)
    assert result(run) is None, "stopped, it has no other options"


def test_a_table_that_is_removed_and_made_again_is_waited_for(spark: SparkSession, tmp_path: Path) -> None:
    board = StatusBoard(DriverStatus())
    cost_inputs.add_traffic(tmp_path, [row("User:before")])

    with running(spark, tmp_path, board, Secrets()) as run:
        eventually(lambda: principals(tmp_path), lambda now: now == {"User:before"})
        shutil.rmtree(tmp_path / "traffic")
        waits = eventually(board.read, lambda now: now.reason == "Starting")
        assert (waits.phase, waits.message) == (
            "Starting",
            "waits for the table of Traffic, which that job makes when it runs first",
        )
        assert principals(tmp_path) == {"User:before"}, "what was computed stays"

        cost_inputs.add_traffic(tmp_path, [row("User:after")])
        eventually(lambda: principals(tmp_path), lambda now: now == {"User:after"})
        assert (board.read().phase, board.read().reason) == ("Running", None)
    assert result(run) is None


def test_one_that_waits_can_be_stopped(spark: SparkSession, tmp_path: Path) -> None:
    board = StatusBoard(DriverStatus())

    with running(spark, tmp_path, board, Secrets()) as run:
        eventually(board.read, lambda now: now.reason == "Starting")

    assert result(run) is None
