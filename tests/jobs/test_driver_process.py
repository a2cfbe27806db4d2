from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.images.spark_classes import spark_variables
from kwitness.jobs.frame import stream
from kwitness.jobs.frame.stream import JobStream
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import communicate, run_to_end

from tests import soak
from tests.eventually import eventually
from tests.jobs import killed_driver, oracle
from tests.jobs.conftest import job_config, run_once
from tests.jobs.kafka_topics import Topics
from tests.jobs.tables import by_client, read
from tests.jobs.traffic import mixed

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.broker

"""A whole run on a machine that does much else; that it ends is what matters."""


@pytest.mark.soak
@pytest.mark.parametrize("seed", soak.seeds(10))
def test_drivers_killed_before_their_checkpoint_leave_the_same_table_and_a_ledger_that_closes(
    spark: SparkSession, kafka: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    topics = Topics(kafka.bootstrap).create()
    topics.write(mixed(seed, count=90))
    config = job_config(tmp_path, kafka={"bootstrap_servers": [kafka.bootstrap]}, topics=topics.names.model_dump())

    # The second batch is broken off within the sink, done by the next driver, and not told to the checkpoint.
    within = _killed(tmp_path, config, 1)
    after = _ended(spark, config, monkeypatch, 1)
    board = run_once(spark, config)

    rows, bad = oracle.inventory(topics.kinded())
    assert by_client(read(config.table_path)) == rows
    kept = read(f"{config.quarantine_path}/records")
    assert sorted((one["topic"], one["partition"], one["offset"]) for one in kept) == sorted(bad)
    last = board.read()
    assert last.data_loss == ()
    assert last.answer().ledger is not None
    ledgers = [within, after, last.answer().model_dump()["ledger"]]
    for ledger in ledgers:
        assert ledger["accepted"] == ledger["delivered"] + ledger["queued"] + sum(ledger["dropped"].values()), ledger
    again = within["queued"]
    assert again > 0, "what a killed driver had in hand is queued"
    assert (after["accepted"], after["queued"], last.ledger.queued) == (again, 0, 0), "and the next one accepts it anew"
    # What was in the table when the second driver was killed is not accepted a third time.
    assert sum(ledger["accepted"] for ledger in ledgers) == len(topics.written) + again


def test_a_driver_told_to_stop_while_it_starts_does_not_begin_its_work(kafka: LocalBroker, tmp_path: Path) -> None:
    topics, port = Topics(kafka.bootstrap).create(), free_port()
    config = job_config(
        tmp_path,
        kafka={"bootstrap_servers": [kafka.bootstrap]},
        topics=topics.names.model_dump(),
        run={"mode": "streaming", "trigger_seconds": 1.0},
        status_port=port,
    )
    command = [sys.executable, "-m", "kwitness.jobs", "--config", _file(tmp_path, config)]

    with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True) as driver:
        _wait_for_phase(port, "Starting", driver)
        driver.send_signal(signal.SIGTERM)
        _, told = communicate(driver)

    assert driver.returncode == 0, told[-3000:]
    assert not (tmp_path / "table").exists(), told[-3000:]
    assert not [line for line in told.splitlines() if " ERROR " in line or '"error"' in line], told


def test_a_table_path_that_cannot_be_written_is_said_in_status_and_exit_code(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    port = free_port()
    table = (tmp_path / "file" / "table").as_uri()
    config = job_config(tmp_path, table_path=table, status_port=port)
    command = [sys.executable, "-m", "kwitness.jobs", "--config", _file(tmp_path, config)]

    with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True) as driver:
        status = _wait_for_phase(port, "Failed", driver)
        # Its Spark has ended, and it lives until its status was read.
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            assert json.load(answer) == {"alive": True}
        driver.send_signal(signal.SIGTERM)
        _, logged = communicate(driver)

    assert "a request for the status failed" not in logged
    assert driver.returncode == 1
    assert status["reason"] == "TableNotWritable"
    assert str(tmp_path / "file") in status["message"]
    assert "give the job's pods the right to write there" in status["message"]
    assert status["table_path"] == table


def test_a_configuration_that_cannot_be_read_has_its_own_exit_code(tmp_path: Path) -> None:
    file = tmp_path / "job.json"
    file.write_text('{"type": "ClientInventory"}')
    command = [sys.executable, "-m", "kwitness.jobs", "--config", str(file)]

    done = run_to_end(command, env=environment())

    assert done.returncode == 2
    assert "table_path" in done.stderr


def _killed(folder: Path, config: JobConfig, batch: int) -> dict[str, Any]:
    """The ledger of a driver at its death within the sink of a batch."""
    killed = run_to_end(
        [sys.executable, "-m", "tests.jobs.killed_driver", _file(folder, config), str(batch)],
        cwd=ROOT,
        env=environment(),
    )
    assert killed.returncode == -9, killed.stderr[-3000:]
    _assert_finished(config, batch)
    ledger: dict[str, Any] = json.loads(killed.stdout)["ledger"]
    return ledger


def _ended(spark: SparkSession, config: JobConfig, monkeypatch: pytest.MonkeyPatch, batch: int) -> dict[str, Any]:
    """The ledger of a run that an error ends after the sink of a batch, and before the checkpoint knows."""
    ledgers: list[dict[str, Any]] = []
    run_batch = JobStream.run_batch

    def batch_then_end(self: JobStream, frame: Any, batch_id: int) -> None:
        run_batch(self, frame, batch_id)
        if batch_id == batch:
            ledgers.append(self._board.read().answer().model_dump()["ledger"])
            raise InterruptedError

    with monkeypatch.context() as patched:
        patched.setattr(stream, "MAX_RECORDS", killed_driver.MAX_RECORDS)
        patched.setattr(JobStream, "run_batch", batch_then_end)
        with pytest.raises(StreamingQueryException, match="InterruptedError"):
            run_once(spark, config)
    _assert_finished(config, batch)
    (ledger,) = ledgers
    return ledger


def _assert_finished(config: JobConfig, batches: int) -> None:
    """So many batches, and not the next, are in the checkpoint."""
    folder = Path(config.checkpoint_path.removeprefix("file://")) / "commits"
    assert {name.name for name in folder.iterdir() if name.name.isdigit()} == {str(at) for at in range(batches)}


def _wait_for_phase(port: int, phase: str, driver: subprocess.Popen[str]) -> dict[str, Any]:
    def status() -> dict[str, Any]:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/status", timeout=5) as answer:
            return dict(json.load(answer))

    return eventually(status, lambda now: now.get("phase") == phase, passing=(OSError,), needs=[driver], every=0.5)


def _file(folder: Path, config: JobConfig) -> str:
    file = folder / "job.json"
    file.write_text(config.model_dump_json())
    return str(file)


def environment() -> dict[str, str]:
    """Return the variables of a driver that runs Spark in its own process: without a master and a pod."""
    return {**os.environ, **spark_variables(), "KWITNESS_SPARK_DRIVER_MEMORY": "512m"}
