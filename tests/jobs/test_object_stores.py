"""Jobs whose files are in an object store that speaks S3: a real one, in a process beside them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig, RunConfig
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.e2e.object_store import REGION, ObjectStore, StoreKeys
from kwitness.images.s3a_jars import s3a_jars
from kwitness.images.spark_classes import spark_variables
from kwitness.jobs.driver.failures import explain
from kwitness.jobs.frame.hadoop_files import HadoopFiles, NotWritableError
from kwitness.jobs.frame.identity import IdentityError, IdentityFile
from kwitness.jobs.frame.object_store import give_keys, read_keys, reader_variables, storage_settings
from kwitness.sandbox.waiting import WaitFailedError, run_to_end, wait_for_exit

from tests import soak
from tests.eventually import eventually
from tests.jobs import oracle
from tests.jobs.conftest import job_config, run_once
from tests.jobs.kafka_topics import Topics
from tests.jobs.tables import by_client, read
from tests.jobs.traffic import mixed

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.broker

FOR_EVER = "876000h"
CHECKPOINTS = "spark.sql.streaming.checkpointFileManagerClass"
IN_SETTINGS = "canary-of-a-key-in-the-settings"
"""What somebody could put there; the project does not."""


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with ObjectStore() as started:
        started.make_bucket("tables")
        yield started


def test_a_job_that_was_killed_leaves_a_bucket_from_which_another_driver_goes_on(
    store: ObjectStore, spark: SparkSession, kafka: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics = Topics(kafka.bootstrap).create()
    topics.write(mixed(seed=31, count=60))
    config = _config(store, tmp_path, kafka, topics, "killed")

    # A laptop has its keys in the environment.
    said = _killed_at_its_first_commit(store, topics, kafka, tmp_path)
    assert not store.has("tables/killed/checkpoint/commits/0"), "it was within a batch"
    topics.write(mixed(seed=32, count=60, days=1))
    # A pod has them in files.
    with _opened(spark, config):
        board = run_once(spark, config)

    _assert_as_the_oracle_says(config, topics, monkeypatch)
    assert 0 < board.read().ledger.accepted < len(topics.written), "what is in the table is not read again"
    assert not [one for one in store.requests() if "Copy" in one], "nothing is renamed"
    shown = run_to_end(
        [sys.executable, "-m", "kwitness.jobs.show", "ClientInventory", "--table", config.table_path], check=True
    )
    assert "instance-0" in shown.stdout
    settings = str(spark.sparkContext.getConf().getAll()) + str(spark.sql("SET").collect())
    _assert_nobody_was_told(store, tmp_path, said, shown.stdout, settings)


@pytest.mark.soak
@soak.alone
def test_a_driver_with_keys_in_files_that_is_killed_tells_nobody_and_another_goes_on(
    store: ObjectStore, kafka: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics = Topics(kafka.bootstrap).create()
    topics.write(mixed(seed=31, count=90))
    config = _config(store, tmp_path, kafka, topics, "inventory")

    first = _killed_in_the_second_batch(config, tmp_path, _spark_that_logs_events(tmp_path))
    second = _run_by_the_command(store, topics, kafka, _spark_that_logs_events(tmp_path))

    _assert_as_the_oracle_says(config, topics, monkeypatch)
    taken = [int(number) for number in re.findall(r"\d+ of (\d+) records in the table", second)]
    assert 0 < max(taken) < len(topics.written), "what is in the table is not read again"
    _assert_nobody_was_told(store, tmp_path, first, second)


def test_a_folder_in_a_bucket_is_one_jobs_own(store: ObjectStore, spark: SparkSession) -> None:
    _open_to(spark, store, "tables", store.keys)
    files, config = HadoopFiles(spark), job_config(Path("/t"), identity_path="s3a://tables/own/identity.json")
    config = config.model_copy(update={"checkpoint_path": "s3a://tables/own/checkpoint", "uid": "1"})

    first = IdentityFile(files, config, 1, ["a"]).claim()
    again = IdentityFile(files, config.model_copy(update={"uid": "2"}), 1, ["a"]).claim()

    assert (first.identity.job_uid, again.identity.job_uid) == ("1", "2")
    assert files.names("s3a://tables/own") == ["identity.json"], "and nothing beside it"
    with pytest.raises(IdentityError, match="are of the cluster cluster-1"):
        IdentityFile(files, config.model_copy(update={"cluster_id": "cluster-2"}), 1, ["a"]).claim()
    files.remove("s3a://tables/own")
    assert not files.exists("s3a://tables/own")


@pytest.mark.soak
@soak.alone
def test_a_stream_goes_on_when_its_store_was_away_and_when_its_keys_are_others(
    kafka: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics, log = Topics(kafka.bootstrap).create(), tmp_path / "log"
    environment = _spark_that_logs_events(tmp_path)
    with ObjectStore() as store:
        store.make_bucket("tables")
        config = _config(store, tmp_path, kafka, topics, "stream")
        config = config.model_copy(update={"run": RunConfig(mode="streaming", trigger_seconds=1)})
        topics.write(mixed(seed=41, count=30))
        with _streaming(config, tmp_path, environment, log) as driver:
            _until(driver, log, "at its trigger")
            store.kill()
            topics.write(mixed(seed=42, count=30, days=1))
            assert wait_for_exit(driver) == 1
        assert "the job failed: the object store does not answer: check its endpoint" in log.read_text()

        store.start()
        log.unlink()
        with _streaming(config, tmp_path, environment, log) as driver:
            _until(driver, log, "at its trigger")
            _rotate(store.add_user("another", "admin"), tmp_path / "keys")
            assert wait_for_exit(driver) == 0
        assert "the object store's keys changed: this process ends" in log.read_text()

        topics.write(mixed(seed=43, count=30, days=2))
        log.unlink()
        with _streaming(config, tmp_path, environment, log) as driver:
            _until(driver, log, "at its trigger")
            driver.send_signal(signal.SIGTERM)
            assert wait_for_exit(driver) == 0

        _assert_as_the_oracle_says(config, topics, monkeypatch)


@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        ("away", "there is no such bucket: make it, or correct the root of tables [NoSuchBucket]"),
        ("foreign", "the storage refuses access: allow to read, write, list and delete there [AccessDenied]"),
        ("mistyped", "the secret key is not that of the access key: correct the Secret with its keys"),
        ("unknown", "the object store does not know the access key: correct the Secret with its keys"),
        ("elsewhere", "the object store does not take the request: correct the region"),
        ("silent", "the object store does not answer: check its endpoint and network policies"),
    ],
)
def test_a_bucket_that_cannot_be_written_is_refused_with_the_reason(
    store: ObjectStore, spark: SparkSession, trouble: str, message: str
) -> None:
    bucket = f"bucket-{trouble}"
    if trouble != "away":
        store.make_bucket(bucket)
    keys = {
        "foreign": lambda: store.add_user("stranger"),
        "mistyped": lambda: StoreKeys(store.keys.access, "another"),
        "unknown": lambda: StoreKeys("nobody", store.keys.secret),
    }.get(trouble, lambda: store.keys)()
    at_once = {"fs.s3a.retry.limit": "0", "fs.s3a.attempts.maximum": "1"}
    changes: dict[str, dict[str, object]] = {
        "silent": {"endpoint": "http://127.0.0.1:1", "settings": at_once},
        "elsewhere": {"region": "eu-west-1"},
    }
    _open_to(spark, store, bucket, keys, **changes.get(trouble, {}))

    with pytest.raises(NotWritableError) as refused:
        HadoopFiles(spark).require_writable(f"s3a://{bucket}/job/table")

    failure = explain(refused.value, "s3a://unused")
    assert failure.reason == "TableNotWritable"
    assert failure.message.startswith(f"cannot write under s3a://{bucket}/job/table: {message}")
    assert keys.secret not in str(refused.value) + refused.value.said


def _config(store: ObjectStore, folder: Path, kafka: LocalBroker, topics: Topics, name: str) -> JobConfig:
    keys = folder / "keys"
    keys.mkdir()
    (keys / "accessKeyId").write_text(store.keys.access)
    (keys / "secretAccessKey").write_text(store.keys.secret)
    places = {f"{part}_path": f"s3a://tables/{name}/{part}" for part in ("table", "checkpoint", "quarantine")}
    return job_config(
        folder,
        kafka={"bootstrap_servers": [kafka.bootstrap]},
        topics=topics.names.model_dump(),
        storage={"endpoint": store.endpoint, "region": REGION, "keys_folder": str(keys)},
        identity_path=f"s3a://tables/{name}/identity.json",
        parameters={"forget_after": FOR_EVER},
        **places,
    )


def _but_for_the_clock(rows: dict[tuple[Any, ...], dict[str, Any]]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Housekeeping says of clients of long ago that they have ended."""
    return {key: {name: value for name, value in row.items() if name != "ended"} for key, row in rows.items()}


def _spark_that_logs_events(folder: Path) -> dict[str, str]:
    """Variables with which a driver of this machine writes event logs and has the jars for stores."""
    (folder / "events").mkdir(exist_ok=True)
    (folder / "conf").mkdir(exist_ok=True)
    (folder / "conf" / "spark-defaults.conf").write_text(
        "spark.eventLog.enabled true\n"
        f"spark.eventLog.dir {(folder / 'events').as_uri()}\n"
        "spark.eventLog.compress false\n"
        f"spark.hadoop.fs.s3a.bucket.other.secret.key {IN_SETTINGS}\n"
    )
    return {**os.environ, **spark_variables(s3a_jars()), "SPARK_CONF_DIR": str(folder / "conf")}


@contextmanager
def _opened(spark: SparkSession, config: JobConfig) -> Iterator[None]:
    """Let the tests' own session at a job's bucket, as a driver does with its own session."""
    of_files = {
        name.removeprefix("spark.hadoop."): value
        for name, value in storage_settings(config).items()
        if name.startswith("spark.hadoop.")
    }
    for name, value in of_files.items():
        spark.sparkContext._jsc.hadoopConfiguration().set(name, value)
    give_keys(spark, read_keys(config.storage))
    spark.conf.set(CHECKPOINTS, storage_settings(config)[CHECKPOINTS])
    try:
        yield
    finally:
        # Other tests of this session have checkpoints on a file system.
        spark.conf.unset(CHECKPOINTS)


def _assert_as_the_oracle_says(config: JobConfig, topics: Topics, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in reader_variables(config).items():
        monkeypatch.setenv(name, value)
    rows, bad = oracle.inventory(topics.kinded())
    assert _but_for_the_clock(by_client(read(config.table_path))) == _but_for_the_clock(rows)
    kept = read(f"{config.quarantine_path}/records")
    assert sorted((one["topic"], one["partition"], one["offset"]) for one in kept) == sorted(bad)


def _assert_nobody_was_told(store: ObjectStore, folder: Path, *said: str) -> None:
    """Neither what was said, nor event logs, configuration, and what is in the store hold a key."""
    events = [file.read_text() for file in (folder / "events").rglob("*") if file.is_file()]
    assert any("fs.s3a.bucket.other.secret.key" in text for text in events)
    assert not [text for text in events if IN_SETTINGS in text]
    files = [*store.files(), *(path for path in folder.glob("job.json"))]
    told = [*(text.encode() for text in (*said, *events)), *(file.read_bytes() for file in files)]
    assert not [one for one in told if store.keys.secret.encode() in one]


def _killed_at_its_first_commit(store: ObjectStore, topics: Topics, kafka: LocalBroker, folder: Path) -> str:
    """Return what `kwitness jobs run` said whose driver is killed, Java and all, once rows are in the table."""
    command = [*_command(topics, kafka, "s3://tables/killed"), "--streaming"]
    environment = _spark_that_logs_events(folder) | _variables(store)
    log = folder / "log"
    with log.open("w") as output, subprocess.Popen(command, env=environment, stdout=output, stderr=output) as run:
        committed = "tables/killed/table/_delta_log/00000000000000000001.json"
        eventually(lambda: store.has(committed), what=str(log), needs=[run], every=0.01)
        (driver,) = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
        os.killpg(int(driver), signal.SIGKILL)
        assert wait_for_exit(run) == 1
    return log.read_text()


def _killed_in_the_second_batch(config: JobConfig, folder: Path, environment: dict[str, str]) -> str:
    """Return what a driver said before it was killed, with a table that is written and a batch that is not finished."""
    file = folder / "job.json"
    file.write_text(config.model_dump_json())
    done = run_to_end([sys.executable, "-m", "tests.jobs.killed_driver", str(file), "1"], cwd=ROOT, env=environment)
    assert done.returncode == -9, done.stderr[-3000:]
    return done.stdout + done.stderr


@contextmanager
def _streaming(
    config: JobConfig, folder: Path, environment: dict[str, str], log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """A driver that looks at its files each second."""
    file = folder / "job.json"
    file.write_text(config.model_dump_json())
    program = (
        "from kwitness.jobs import __main__\n"
        "from kwitness.jobs.driver import lifecycle as driver\n"
        "driver._LOOK_SECONDS = driver._PROGRESS_LOG_SECONDS = 1\n"
        f"raise SystemExit(__main__.main(['--config', {str(file)!r}, '--linger', '0']))"
    )
    with log.open("w") as output:
        driver = subprocess.Popen(
            [sys.executable, "-c", program], env=environment, stdout=output, stderr=output, start_new_session=True
        )
    try:
        yield driver
    finally:
        with suppress(ProcessLookupError):
            os.killpg(driver.pid, signal.SIGKILL)
        wait_for_exit(driver)


def _until(driver: subprocess.Popen[bytes], log: Path, said: str) -> None:
    try:
        eventually(lambda: said in log.read_text(), what=said, needs=[driver], every=0.5)
    except WaitFailedError as error:
        raise AssertionError(f"{error}\n{log.read_text()[-3000:]}") from error


def _rotate(keys: StoreKeys, folder: Path) -> None:
    """Other keys, as the kubelet brings them: all at once."""
    new = folder.with_name("new")
    new.mkdir()
    (new / "accessKeyId").write_text(keys.access)
    (new / "secretAccessKey").write_text(keys.secret)
    folder.rename(folder.with_name("former"))
    new.rename(folder)


def _run_by_the_command(store: ObjectStore, topics: Topics, kafka: LocalBroker, environment: dict[str, str]) -> str:
    command = _command(topics, kafka, "s3://tables/inventory")
    asked = _variables(store)
    done = run_to_end(command, env=environment | asked)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith("KIND"), "and the table is shown"
    return done.stdout + done.stderr


def _command(topics: Topics, kafka: LocalBroker, table: str) -> list[str]:
    prefix = topics.names.telemetry.partition(".")[0]
    return [
        *(sys.executable, "-m", "kwitness.cli", "jobs", "run", "ClientInventory", "--verbose", "--table", table),
        *("--bootstrap", kafka.bootstrap, "--prefix", prefix, "--cluster-id", "cluster-1"),
        *("--parameter", f"forgetAfter={FOR_EVER}"),
    ]


def _variables(store: ObjectStore) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL": store.endpoint,
        "AWS_REGION": REGION,
        "AWS_ACCESS_KEY_ID": store.keys.access,
        "AWS_SECRET_ACCESS_KEY": store.keys.secret,
    }


def _open_to(spark: SparkSession, store: ObjectStore, bucket: str, keys: StoreKeys, **changes: object) -> None:
    """Let the tests' own session at a bucket; each has settings of its own, since Hadoop keeps what it once opened."""
    storage = {"endpoint": store.endpoint, "region": REGION, "keys_folder": "unused", **changes}
    settings = storage_settings(job_config(Path("/t"), table_path=f"s3a://{bucket}/t", storage=storage))
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    for name, value in settings.items():
        if name.startswith("spark.hadoop.fs.s3a."):
            configuration.set(name.replace("spark.hadoop.fs.s3a.", f"fs.s3a.bucket.{bucket}."), value)
    configuration.set(f"fs.s3a.bucket.{bucket}.access.key", keys.access)
    configuration.set(f"fs.s3a.bucket.{bucket}.secret.key", keys.secret)
