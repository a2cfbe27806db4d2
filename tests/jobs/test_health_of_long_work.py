"""A driver that works for longer than its patience lives; one whose work stands still is restarted."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kwitness.jobs.driver.health import Health, spark_work
from kwitness.jobs.driver.status_server import StatusServer
from kwitness.jobs.frame.status import DriverStatus, Lag, StatusBoard

from tests.eventually import eventually

_TASKS = 3


@pytest.fixture
def beginning(spark: SparkSession, tmp_path: Path) -> Iterator[Callable[[], None]]:
    """Begins a Spark job whose tasks end when their files are there, one after the other."""
    folder, threads = str(tmp_path), []

    def wait(numbers: Iterator[int]) -> Iterator[int]:
        for number in numbers:
            while not Path(folder, str(number)).exists():
                time.sleep(0.01)
            yield number

    def begin() -> None:
        rows = spark.sparkContext.parallelize(range(_TASKS), _TASKS)
        threads.append(threading.Thread(target=rows.mapPartitions(wait).count))
        threads[-1].start()

    yield begin
    for number in range(_TASKS):
        (tmp_path / str(number)).touch()
    for thread in threads:
        thread.join()


def test_tasks_that_end_are_signs_of_life(spark: SparkSession, tmp_path: Path, beginning: Callable[[], None]) -> None:
    now, board = [0.0], StatusBoard(DriverStatus(lag=Lag(5)))
    health = Health(board, 600.0, clock=lambda: now[0])
    health.watch(spark_work(spark))
    server = StatusServer(board, 0, None, health.problem)
    server.start()

    def answer(after: float = 0.0) -> int:
        now[0] += after
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/healthz") as found:
                assert json.load(found)
                return int(found.status)
        except urllib.error.HTTPError as error:
            return error.code

    def expect_no_progress() -> None:
        # Other tests' work in this session may end after them, and is a sign of life then.
        eventually(lambda: answer(601), lambda code: code == 503)

    assert answer() == 200
    expect_no_progress()
    beginning()
    eventually(answer, lambda code: code == 200)
    eventually(lambda: spark.sparkContext.statusTracker().getActiveStageIds())
    expect_no_progress()
    (tmp_path / "0").touch()
    eventually(answer, lambda code: code == 200)
    assert answer(599) == 200
    server.stop()
