from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialAlteration,
    UserScramCredentialUpsertion,
)

from kwitness.contracts.job_config import JobConfig
from kwitness.e2e.kafka.local_broker import Listener, LocalBroker
from kwitness.images.spark_classes import spark_variables
from kwitness.sandbox.waiting import WaitFailedError, wait_for_exit

from tests.eventually import eventually
from tests.jobs import oracle
from tests.jobs.conftest import job_config
from tests.jobs.kafka_topics import Topics
from tests.jobs.tables import by_client, read
from tests.jobs.traffic import mixed

pytestmark = pytest.mark.broker

USER = "spark-of-rotated-secrets"
FIRST, SECOND = "canary-of-the-first-password", "canary-of-the-second-password"


@pytest.fixture
def broker(kafka: LocalBroker) -> LocalBroker:
    """The run's broker, with a user who may do what a job does."""
    _set_password(kafka, FIRST)
    rights = [
        AclBinding(kind, "*", ResourcePatternType.LITERAL, f"User:{USER}", "*", operation, AclPermissionType.ALLOW)
        for kind in (ResourceType.TOPIC, ResourceType.GROUP)
        for operation in (AclOperation.READ, AclOperation.DESCRIBE)
    ]
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    for future in admin.create_acls(rights).values():
        future.result()
    return kafka


def test_a_driver_goes_on_with_a_rotated_password_and_tells_none_to_anybody(
    broker: LocalBroker, tmp_path: Path
) -> None:
    topics = Topics(broker.bootstrap).create()
    topics.write(mixed(seed=21, count=30))
    config = _config(broker, topics, tmp_path)
    log = tmp_path / "log"

    with log.open("w") as output, _driver(tmp_path, config, output) as driver:
        _eventually(driver, log, lambda: _all_done(topics, log))
        # The query that waits for its trigger has connections of its own: who makes one after the change is refused.
        _eventually(driver, log, lambda: "at its trigger" in log.read_text())
        topics.write(mixed(seed=20, count=5, days=1))
        _eventually(driver, log, lambda: _all_done(topics, log))
        _rotate(broker, tmp_path)
        _eventually(driver, log, lambda: "the Secrets changed" in log.read_text())
        topics.write(mixed(seed=22, count=30, days=2))
        _eventually(driver, log, lambda: _all_done(topics, log))
        driver.send_signal(signal.SIGTERM)
        code = wait_for_exit(driver)

    assert code == 0
    rows, bad = oracle.inventory(topics.kinded())
    assert by_client(read(config.table_path)) == rows
    assert len(read(f"{config.quarantine_path}/records")) == len(bad)
    told = {path for path in tmp_path.rglob("*") if path.is_file() and b"canary-of" in path.read_bytes()}
    assert told == {tmp_path / "password"}, "in no log, table, checkpoint or status"
    _assert_quiet(log.read_text())


def _all_done(topics: Topics, log: Path) -> bool:
    """Whether the driver said that it has all records, in however many batches, and none in hand."""
    told = rf"of {len(topics.written)} records in the table \(version \d+\), \d+ in quarantine, 0 in this batch"
    return re.search(told, log.read_text()) is not None


def _assert_quiet(log: str) -> None:
    """A start, two streams and their batches are a screenful; our own lines are JSON."""
    lines = log.splitlines()
    own = [json.loads(line) for line in lines if line.startswith("{")]
    assert [line["message"] for line in own if line["level"] != "info"] == []
    assert len(lines) < 60, log
    assert not [line for line in lines if " ERROR " in line or " INFO " in line], log


def _config(broker: LocalBroker, topics: Topics, folder: Path) -> JobConfig:
    address = broker.bootstrap_of(Listener.SASL_SSL_SCRAM)
    assert broker.certificates is not None
    for name, content in {"username": USER, "password": FIRST, "hosts": address}.items():
        (folder / name).write_text(content)
    kafka = {
        "bootstrap_servers": [address],
        "tls": True,
        "ca_file": str(broker.certificates.ca_file),
        "authentication": {
            "type": "scram-sha-512",
            **{f"{name}_file": str(folder / name) for name in ("username", "password", "hosts")},
        },
    }
    run = {"mode": "streaming", "trigger_seconds": 1}
    return job_config(folder, kafka=kafka, topics=topics.names.model_dump(), run=run)


def _set_password(broker: LocalBroker, password: str) -> None:
    mechanism = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
    change: list[UserScramCredentialAlteration] = [UserScramCredentialUpsertion(USER, mechanism, password.encode())]
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    for future in admin.alter_user_scram_credentials(change).values():
        future.result()


def _rotate(broker: LocalBroker, folder: Path) -> None:
    """Another password at the broker, then in the Secret, as the kubelet replaces it: all at once."""
    _set_password(broker, SECOND)
    (folder / "new").write_text(SECOND)
    (folder / "new").rename(folder / "password")


@contextmanager
def _driver(folder: Path, config: JobConfig, output: Any) -> Iterator[subprocess.Popen[bytes]]:
    file = folder / "job.json"
    file.write_text(config.model_dump_json())
    environment = {**os.environ, **spark_variables()}
    # Looks and tells more often than every ten seconds and every minute.
    program = (
        "from kwitness.jobs import __main__\n"
        "from kwitness.jobs.driver import lifecycle as driver\n"
        "driver._LOOK_SECONDS = driver._PROGRESS_LOG_SECONDS = 1\n"
        f"raise SystemExit(__main__.main(['--config', {str(file)!r}]))"
    )
    driver = subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdout=output, stderr=output, start_new_session=True
    )
    try:
        yield driver
    finally:
        with suppress(ProcessLookupError):
            os.killpg(driver.pid, signal.SIGKILL)
        wait_for_exit(driver)


def _eventually(driver: subprocess.Popen[bytes], log: Path, holds: Callable[[], bool]) -> None:
    try:
        eventually(holds, needs=[driver], every=0.5)
    except WaitFailedError as error:
        raise AssertionError(f"{error}\n{log.read_text()[-3000:]}") from error
