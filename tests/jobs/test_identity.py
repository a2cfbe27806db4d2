from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.contracts.reasons import reasons_of
from kwitness.jobs.analyses.client_inventory.job import JOB
from kwitness.jobs.driver.failures import explain
from kwitness.jobs.driver.lifecycle import Driver
from kwitness.jobs.frame.hadoop_files import HadoopFiles
from kwitness.jobs.frame.identity import MAX_RUNS, Claim, Identity, IdentityError, IdentityFile, RunRecord, claimed
from kwitness.jobs.frame.status import DriverStatus, StatusBoard

from tests.jobs.conftest import job_config

CLAIM = Claim("cluster-1", "uid-1", "Traffic", 1, "checkpoint-1")
ENDED = RunRecord(outcome="Succeeded", ended_ms=1)
OWN = claimed(None, CLAIM, has_checkpoint=False).with_run("1", ENDED)


def test_who_comes_again_finds_what_it_left() -> None:
    again = claimed(OWN, CLAIM._replace(new_checkpoint="checkpoint-2", job_version=2), has_checkpoint=True)

    assert again == OWN.model_copy(update={"job_version": 2})
    assert again.has_succeeded("1")
    assert not again.has_succeeded("2")


def test_a_checkpoint_that_is_made_again_is_another_one() -> None:
    again = claimed(OWN, CLAIM._replace(new_checkpoint="checkpoint-2"), has_checkpoint=False)

    assert again.checkpoint == "checkpoint-2"
    assert again.runs == OWN.runs


def test_a_job_that_was_deleted_and_made_again_has_run_nothing() -> None:
    again = claimed(OWN, CLAIM._replace(job_uid="uid-2", new_checkpoint="checkpoint-2"), has_checkpoint=True)

    assert (again.job_uid, again.checkpoint, again.runs) == ("uid-2", "checkpoint-1", {})


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (CLAIM._replace(cluster_id="cluster-2"), "ClusterIdChanged"),
        (CLAIM._replace(type="LedgerAudit"), "Conflict"),
    ],
)
def test_what_is_anothers_is_refused(claim: Claim, reason: str) -> None:
    with pytest.raises(IdentityError) as caught:
        claimed(OWN, claim, has_checkpoint=True)

    failure = explain(caught.value, "/t")
    assert failure.reason == reason
    assert reason in {entry.reason for entry in reasons_of("AnalyticsJob")}
    assert "another name" in failure.message


def test_a_run_that_failed_is_remembered_and_may_be_tried_again() -> None:
    failed = OWN.with_run("2", RunRecord(outcome="Failed", ended_ms=2, reason="Forbidden"))

    assert not failed.has_succeeded("2")
    assert failed.runs["2"].reason == "Forbidden"


def test_the_latest_runs_are_remembered() -> None:
    identity = OWN
    for number in range(MAX_RUNS):
        identity = identity.with_run(f"run-{number}", RunRecord(outcome="Succeeded", ended_ms=10 + number))

    assert len(identity.runs) == MAX_RUNS
    assert not identity.has_succeeded("1")
    assert identity.has_succeeded("run-0")


def test_the_file_is_replaced_as_a_whole(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "checkpoint" / "offsets").mkdir(parents=True)
    (tmp_path / "checkpoint" / "offsets" / "0").touch()
    file = IdentityFile(HadoopFiles(spark), _config(tmp_path), 1)

    first = file.claim().identity
    file.remember(ENDED)

    assert file.claim() == (first.with_run("nightly", ENDED), None)
    assert Identity.model_validate_json((tmp_path / "identity.json").read_bytes()).has_succeeded("nightly")
    assert {path.name for path in tmp_path.iterdir()} <= {"identity.json", ".identity.json.crc", "checkpoint"}


def test_an_upgrade_says_whether_it_keeps_the_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    planned = tmp_path / "checkpoint" / "offsets" / "0"
    planned.parent.mkdir(parents=True)
    planned.touch()
    files, config = HadoopFiles(spark), _config(tmp_path)
    first = IdentityFile(files, config, 1, ["kwitness.traffic"]).claim()

    kept = IdentityFile(files, config, 2, ["kwitness.traffic"]).claim()
    assert planned.exists()
    moved = IdentityFile(files, config, 2, ["kwitness.traffic", "kwitness.seals"]).claim()

    assert first.note is None
    assert kept.identity.checkpoint == first.identity.checkpoint
    assert kept.note == "goes on with the checkpoint of version 1 of the job; this is version 2"
    assert not planned.exists()
    assert moved.identity.checkpoint != first.identity.checkpoint
    assert "reads kwitness.seals, kwitness.traffic now, and not kwitness.traffic" in (moved.note or "")
    assert IdentityFile(files, config, 2, ["kwitness.seals", "kwitness.traffic"]).claim().note is None


def test_a_file_that_cannot_be_read_says_what_to_do(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "identity.json").write_text("{")

    with pytest.raises(IdentityError, match=r"identity\.json cannot be read.*remove it"):
        IdentityFile(HadoopFiles(spark), _config(tmp_path), 1).claim()


def test_a_driver_reads_nothing_for_a_run_that_ended_or_from_another_cluster(
    spark: SparkSession, tmp_path: Path
) -> None:
    # Nobody listens at the bootstrap server, so who asked Kafka would fail by that.
    config = _config(tmp_path)
    file = IdentityFile(HadoopFiles(spark), config, 1)
    file.claim()
    file.remember(ENDED)
    board = StatusBoard(DriverStatus())

    Driver(config, {}, board)._run_in(spark, JOB, {})
    other = Driver(config.model_copy(update={"cluster_id": "cluster-2"}), {}, StatusBoard(DriverStatus()))
    with pytest.raises(IdentityError, match="cluster-2"):
        other._run_in(spark, JOB, {})

    assert board.read().phase == "Succeeded"
    assert "nightly" in (board.read().message or "")
    assert not (tmp_path / "table" / "_delta_log").exists()


def _config(folder: Path) -> JobConfig:
    return job_config(
        folder, uid="uid-1", run={"mode": "once", "id": "nightly"}, identity_path=(folder / "identity.json").as_uri()
    )
