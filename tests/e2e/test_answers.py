"""Analyses on the node: traffic, the books of all sources, topics that nobody uses; once, and by the clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from kwitness.demo import up
from kwitness.demo.acls import TOOL
from kwitness.demo.platform import CLUSTER, GATEWAY_CLIENT, KAFKA, NAMESPACE, SIDECAR_CLIENT, Platform

from tests import soak
from tests.e2e import subscriptions
from tests.e2e.conftest import Answer, Answers
from tests.e2e.eventually import eventually
from tests.eventually import remains

pytestmark = pytest.mark.needs(up.gateway)

KIND = "analyticsjob"
IDLE_TOPIC = "demo.idle"
ONCE = "unused-topics"
NIGHTLY = "unused-every-minute"


@pytest.fixture
def answer(request: pytest.FixtureRequest, answers: Answers) -> Answer:
    """What the job of a type found."""
    return answers[request.param]


@pytest.mark.parametrize("answer", ["Traffic"], indirect=True)
def test_traffic_names_who_writes_each_topic_and_what_an_observer_did_not_see_is_not_there(
    answer: Answer,
) -> None:
    rows = [row for row in answer.rows if row["kind"] == "partition"]
    clients = {(row["topic"], row["api"], row["client_id"]) for row in rows}

    assert {("demo.orders", "Produce", GATEWAY_CLIENT), ("demo.orders", "Produce", SIDECAR_CLIENT)} <= clients
    for row in rows:
        assert row["requests"] <= row["records"] + row["error_count"]
        assert row["bytes"] > row["records"]
        assert row["state"] in {"sealed", "grace", "open"}
        assert row["computed_by"] == "Traffic/1"


@pytest.mark.parametrize("answer", ["LedgerAudit"], indirect=True)
def test_every_source_is_in_the_books_and_none_lost_or_doubled_a_number(answer: Answer) -> None:
    assert {"Observer", "Interceptors", "Plugin"} <= {row["kind"] for row in answer.rows}
    assert [row for row in answer.rows if row["missing"] or row["duplicates"]] == []
    assert answer.job["status"]["analyses"][0]["ledger"][0]["hop"] == "table"


@pytest.mark.parametrize("answer", ["UpgradeImpact"], indirect=True)
def test_what_clients_use_is_known_and_nothing_of_it_goes_with_an_upgrade(answer: Answer) -> None:
    used = [row for row in answer.rows if row["kind"] == "request"]

    assert {GATEWAY_CLIENT, SIDECAR_CLIENT} <= {row["client_id"] for row in used}
    assert "Produce" in {row["api"] for row in used}
    assert [row for row in used if row["dropped_in"]] == []
    assert answer.job["status"]["analyses"][0]["findingCounts"]["Breaks"] == 0


def test_a_topic_that_nobody_uses_is_told_as_not_seen_by_a_run(platform: Platform) -> None:
    create_topic(platform, IDLE_TOPIC)
    with allowed_to_look(platform), subscriptions.applied(platform, unused_topics(ONCE, {"once": {"id": "first"}})):
        condition = subscriptions.reason_becomes(platform, ONCE, "Completed", KIND)
        assert condition["status"] == "True"
        status = analysis(platform, ONCE)
        assert status["lastRun"]["id"] == "first"
        assert status["lastRun"]["succeeded"] is True
        assert status["findingCounts"]["NotSeen"] >= 1
        assert status["findingCounts"]["Unused"] == 0, "nobody can know that after one look"
        columns = platform.cluster.kubectl("get", KIND, ONCE, f"--namespace={NAMESPACE}", "--no-headers").split()
        assert columns[:5] == [ONCE, "True", "Completed", "UnusedTopics", "Succeeded"]

        # A driver that is done can be asked for a moment; then its Job ends.
        ended = {"id": "first", "succeeded": True}
        eventually(
            lambda: analysis(platform, ONCE).get("finishedRuns"),
            lambda known: known == [ended],
        )

        def runs() -> list[str]:
            jobs = platform.cluster.items("jobs", NAMESPACE, f"app.kubernetes.io/instance={ONCE}")
            return [job["metadata"]["name"] for job in jobs]

        [run] = runs()
        platform.cluster.delete("job", run, namespace=NAMESPACE)
        remains(runs, lambda names: not names, seconds=15)


# tests/operator has what the operator makes of a schedule.
@soak.alone
@pytest.mark.soak
def test_a_topic_that_nobody_uses_is_told_as_not_seen_by_a_schedule(platform: Platform) -> None:
    create_topic(platform, IDLE_TOPIC)
    scheduled = {"schedule": {"cron": "* * * * *", "timeZone": "Europe/Berlin", "startingDeadline": "1m"}}
    with allowed_to_look(platform), subscriptions.applied(platform, unused_topics(NIGHTLY, scheduled)):
        status = eventually(
            lambda: analysis(platform, NIGHTLY),
            lambda now: now.get("lastSuccessfulTime") and now.get("findingCounts"),
        )
        assert status["findingCounts"]["NotSeen"] >= 1
        assert subscriptions.ready(platform, NIGHTLY, KIND)["status"] == "True"


def analysis(platform: Platform, job: str) -> dict[str, Any]:
    """What the status of a job says of its analysis."""
    found = subscriptions.found(platform, job, KIND).get("status", {}).get("analyses", [{}])
    return dict(found[0])


def create_topic(platform: Platform, name: str) -> None:
    words = ("--create", "--if-not-exists", "--topic", name, "--partitions", "1")
    tool = [one.replace("AclCommand", "TopicCommand") for one in TOOL]
    platform.cluster.kubectl("exec", f"{KAFKA}-0", f"--namespace={NAMESPACE}", "--", *tool, *words)


@contextmanager
def allowed_to_look(platform: Platform) -> Iterator[None]:
    """The ACLs that docs/operations/acls.md gives for UnusedTopics, for the length of a block."""
    kafka = ("exec", f"{KAFKA}-0", f"--namespace={NAMESPACE}", "--", *TOOL)
    who = ("--allow-principal", "User:kwitness-spark", "--operation")
    everything = (
        ("Describe", "--cluster", "--topic", "*", "--group", "*"),
        ("DescribeConfigs", "--topic", "*"),
    )
    for what in everything:
        platform.cluster.kubectl(*kafka, "--add", *who, *what)
    try:
        yield
    finally:
        for what in everything:
            platform.cluster.kubectl(*kafka, "--remove", "--force", *who, *what)


def unused_topics(name: str, run: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "AnalyticsJob",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "analyses": [
                {
                    "type": "UnusedTopics",
                    "table": name.replace("-", "_"),
                    "run": run,
                    "parameters": {"unusedTopics": {"unusedFor": "1h"}},
                }
            ],
            "clusterRef": {"name": CLUSTER},
            "authentication": {"type": "scram-sha-512", "secretRef": {"name": "kwitness-kafka-spark"}},
            "executors": {"instances": 0},
        },
    }
