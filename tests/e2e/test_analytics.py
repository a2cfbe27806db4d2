"""An AnalyticsJob: what its table shows, what becomes of it when its driver goes, a table that cannot be written."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kwitness.answers.failure import NOT_PERMITTED
from kwitness.contracts.software import OUR_VERSION_SUFFIX
from kwitness.demo.parts import Demo
from kwitness.demo.platform import APPS, JOB, NAMESPACE, SUBSCRIPTION, Platform
from kwitness.demo.toolbox import Toolbox

from tests import soak
from tests.e2e import subscriptions, topic_records
from tests.e2e.conftest import at_work
from tests.e2e.eventually import eventually
from tests.e2e.job_pods import wait_until_gone
from tests.e2e.person import Person
from tests.e2e.telemetry_topic import TOPIC
from tests.e2e.workloads import restart, wait_until_ready
from tests.eventually import remains

KIND = "analyticsjob"
TABLES = f"/var/lib/kwitness/tables/{NAMESPACE}"
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "tables.md"


@pytest.fixture(scope="module", autouse=True)
def job(demo: Demo) -> Iterator[None]:
    """The demo's job at work."""
    with at_work(demo, "ClientInventory"):
        yield


def test_pushes_reach_the_table_that_spark_writes(platform: Platform) -> None:
    rows = {row["client_id"]: row for row in platform.inventory() if row["kind"] == "instance"}

    for client in ("demo-python-producer", "demo-java-producer", "demo-python-consumer", "demo-java-consumer"):
        assert rows[client]["metrics"]
        assert rows[client]["first_seen_ms"] <= rows[client]["last_seen_ms"] <= time.time() * 1000 + 60_000


def test_the_table_on_its_claim_is_read_through_the_driver_by_those_who_may(platform: Platform, tmp_path: Path) -> None:
    person = Person(platform, tmp_path)
    line = f"kwitness tables show --job {JOB} --columns client_id --limit 1000 --output csv 2>&1"
    refused = person.types(line, ends=frozenset({NOT_PERMITTED}))
    blocks = re.findall(r"^```yaml\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    [role] = [block for block in blocks if "analyticsjobs/rows" in block]
    platform.cluster.apply(role)

    answer = eventually(
        lambda: person.types(line, ends=frozenset({0, NOT_PERMITTED})), lambda printed: "demo-" in printed
    )

    assert "analyticsjobs/rows" in refused
    assert {"demo-python-producer", "demo-java-producer"} <= set(answer.split())


def test_clients_of_driver_and_executor_announce_that_they_are_the_platforms_own(platform: Platform) -> None:
    pushing = {row["client_software_version"] for row in platform.inventory() if row["kind"] == "instance"}
    gauges = platform.query('kafka_client_connections{client_software_name="apache-kafka-java"}')
    others = {gauge["metric"]["client_software_version"] for gauge in gauges} - pushing

    assert others
    assert all(version.endswith(OUR_VERSION_SUFFIX) for version in others)


def test_a_match_on_software_name_reaches_only_those_clients(platform: Platform, toolbox: Toolbox) -> None:
    def last_pushes(*clients: str) -> list[int]:
        # Those of the minute before, too: who pushed until then pushed at all.
        records = topic_records.of_clients(toolbox, TOPIC, *clients, since_ms=round(applied_ms) - 60_000)
        times = [(record.headers["client_id"], int(record.headers["received_at_ms"])) for record in records]
        return [max((at for pushed, at in times if pushed == client), default=0) for client in clients]

    java = [{"selector": "clientSoftwareName", "pattern": "apache-kafka-java"}]
    subscriptions.change(platform, subscriptions.KIND, SUBSCRIPTION, match=java)
    try:
        subscriptions.reason_becomes(platform, SUBSCRIPTION, "Applied")
        applied_ms = time.time() * 1000
        eventually(
            lambda: last_pushes("demo-java-producer", "demo-java-consumer"),
            lambda now: min(now) > applied_ms + 40_000,
            every=5,
        )
        others = last_pushes("demo-python-producer", "demo-python-consumer")
    finally:
        subscriptions.change(platform, subscriptions.KIND, SUBSCRIPTION, match=None)
        subscriptions.reason_becomes(platform, SUBSCRIPTION, "Applied")
        # Who was told of no subscription asks again after five minutes only; a new client asks at once.
        platform.cluster.restart("python-producer", "python-consumer", "old-python-producer", namespace=APPS)

    # Others push every 10 s as a rule; brokers take a moment to read what was applied.
    assert 0 < min(others) <= max(others) < applied_ms + 10_000


@pytest.mark.expects_log("(?i)kafka|connect|terminat|cancel|executor|driver|job|interrupt|thread|shuffle")
def test_a_driver_pod_deleted_while_it_runs_continues_the_same_table(platform: Platform) -> None:
    def instances() -> dict[str, dict[str, Any]]:
        return {row["client_instance_id"]: row for row in platform.inventory() if row["kind"] == "instance"}

    before = instances()
    platform.cluster.kubectl("delete", "pod", f"kwitness-job-{JOB}-0", f"--namespace={NAMESPACE}")
    wait_until_ready(platform, "statefulset", f"kwitness-job-{JOB}")
    subscriptions.reason_becomes(platform, JOB, "Running", KIND)
    started = time.time() * 1000
    # A process that begins is a new instance; of one that goes on, little is written again within ten minutes.
    restart(platform, "java-producer")
    after = eventually(
        instances,
        lambda now: any(row["first_seen_ms"] > started for row in now.values()),
        every=10,  # a look is a process in the driver's pod
    )

    for instance, row in before.items():
        assert after[instance]["first_seen_ms"] == row["first_seen_ms"]
        assert after[instance]["last_seen_ms"] >= row["last_seen_ms"]
        assert set(row["metrics"]) <= set(after[instance]["metrics"])
    told = ("logs", f"--selector=kwitness.dev/job={JOB}", f"--namespace={NAMESPACE}", "--tail=-1")
    assert " INFO " not in platform.cluster.kubectl(*told), "executors do not tell each task"


@contextmanager
def unwritable_table(platform: Platform, name: str) -> Iterator[None]:
    """A folder in the tables' volume that Spark's user may not write to."""
    shell = ("exec", f"kwitness-job-{JOB}-0", f"--namespace={NAMESPACE}", "--", "sh", "-c")
    platform.cluster.kubectl(*shell, f"mkdir -p {TABLES}/{name} && chmod 0555 {TABLES}/{name}")
    try:
        yield
    finally:
        platform.cluster.kubectl(*shell, f"chmod -R u+w {TABLES}/{name}; rm -rf {TABLES}/{name}")


@contextmanager
def without_pods_after(platform: Platform, job: str) -> Iterator[None]:
    """Wait for a job's pods once its resource is gone."""
    yield
    wait_until_gone(platform, job)


# tests/jobs/test_driver_process.py has a driver that says so, tests/operator what the operator makes of it.
@soak.alone
@pytest.mark.soak
@pytest.mark.expects_log("(?i)cannot write under|Mkdirs failed|SparkContext|executor")
def test_a_table_path_that_cannot_be_written_is_said_in_status_and_stays_said(platform: Platform) -> None:
    def condition() -> dict[str, Any]:
        return subscriptions.ready(platform, "unwritable", KIND)

    (analysis,) = subscriptions.found(platform, JOB, KIND)["spec"]["analyses"]
    job = subscriptions.like(platform, JOB, KIND, "unwritable", analyses=[{**analysis, "table": "unwritable"}])
    with (
        unwritable_table(platform, "unwritable"),
        without_pods_after(platform, "unwritable"),
        subscriptions.applied(platform, job),
    ):
        found = eventually(condition, lambda one: one.get("reason") == "TableNotWritable")
        assert f"file://{TABLES}/unwritable" in found["message"]
        assert "give the job's pods the right to write there" in found["message"]
        # The driver ends, and its successor begins anew; the status keeps saying what is wrong.
        remains(condition, lambda one: one.get("reason") == "TableNotWritable", seconds=75)
        assert subscriptions.ready(platform, JOB, KIND)["reason"] == "Running"
