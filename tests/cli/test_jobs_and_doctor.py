"""`kwitness jobs` and `kwitness doctor` against a real API server, which has our definitions and no operator."""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kwitness.cli.__main__ import main
from kwitness.sandbox.ports import free_port

from tests.cli.conftest import account, cluster, ready
from tests.cli.reviewed_collector import READERS, ReviewedCollector
from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import CLUSTER, gauges

pytestmark = pytest.mark.slow

MOMENT = "2026-01-01T00:00:00Z"


class Done(NamedTuple):
    """How a command ended, and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def types(person, capsys):
    """Type a command line, in this process."""

    def run(*arguments: str, kubeconfig: str | None = None) -> Done:
        capsys.readouterr()
        whose = ("--kubeconfig", kubeconfig or person.environment["KUBECONFIG"])
        status = main([*whose, *arguments])
        return Done(status, *capsys.readouterr())

    return run


def job(name: str, namespace: str, table: str) -> dict[str, Any]:
    analysis = {"type": "UnusedTopics", "run": {"streaming": {"trigger": "30s"}}, "table": table}
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "AnalyticsJob",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterRef": {"name": "orders"}, "analyses": [analysis]},
    }


@pytest.fixture
def unused(api, namespace, with_status) -> None:
    api.objects.apply(job("unused", namespace, "unused"), job("waiting", namespace, "waiting"))
    finding = {"kind": "Unused", "subject": "old-topic", "message": "Nobody reads it.", "firstSeenTime": MOMENT}
    analysis = {
        "table": "unused",
        "type": "UnusedTopics",
        "phase": "Running",
        "lag": {"records": 42},
        "lastRun": {"startTime": MOMENT, "rows": 7},
        "findings": [finding],
        "findingCounts": {"Unused": 3},
        "findingsTotal": 3,
    }
    with_status("kaj", "unused", conditions=ready("True", "Running"), analyses=[analysis])


@pytest.mark.usefixtures("unused")
def test_jobs_have_a_line_each_with_or_without_the_word_list(types) -> None:
    listed, plain = types("jobs", "list"), types("jobs")

    rows = [line.split() for line in listed.stdout.splitlines()]
    assert listed.returncode == plain.returncode == 0
    assert listed.stdout.splitlines()[0] == plain.stdout.splitlines()[0]
    assert rows[1][1:6] == ["unused", "UnusedTopics", "Running", "True", "42"]
    assert rows[2][1:6] == ["waiting", "UnusedTopics", "-", "-", "-"]


@pytest.mark.usefixtures("unused")
def test_a_job_is_described_with_what_it_found(types) -> None:
    done = types("jobs", "describe", "unused")

    assert done.returncode == 0
    assert "\nState\n  Its phase is Running; Ready is True (Running).\n" in done.stdout
    assert "  42 records are not read yet.\n" in done.stdout
    assert "  Unused old-topic: Nobody reads it. (found first " in done.stdout


@pytest.mark.usefixtures("unused")
def test_jobs_as_json_are_resources(types) -> None:
    items = json.loads(types("jobs", "-o", "json").stdout)["items"]
    one = json.loads(types("jobs", "describe", "unused", "-o", "json").stdout)

    assert [item["metadata"]["name"] for item in items] == ["unused", "waiting"]
    assert one["status"]["analyses"][0]["findingsTotal"] == 3
    assert "managedFields" not in one["metadata"]


def test_no_job_is_told_with_where_to_look(types) -> None:
    none, unknown = types("jobs"), types("jobs", "describe", "nothing")

    assert (none.returncode, none.stdout) == (0, "")
    assert "-A shows all" in none.stderr
    assert unknown.returncode == 1
    assert "there is no AnalyticsJob nothing in namespace" in unknown.stderr


def test_who_may_not_see_jobs_is_told_how_it_is_allowed(types, newcomer, namespace) -> None:
    done = types("-n", namespace, "jobs", kubeconfig=newcomer.environment["KUBECONFIG"])

    assert done.returncode == 3
    assert "may not list analyticsjobs.kwitness.dev" in done.stderr
    assert "kubectl create role" in done.stderr


VERSION = importlib.metadata.version("kwitness")
"""That of the command."""


def deployment(component: str, namespace: str, version: str = VERSION) -> dict[str, Any]:
    labels = {"app.kubernetes.io/name": "kwitness", "app.kubernetes.io/component": component}
    container = {"name": component, "image": f"kwitness/{component}:{version}"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": f"kwitness-{component}",
            "namespace": namespace,
            "labels": {**labels, "app.kubernetes.io/version": version},
        },
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


def of_operator(api, namespace: str, *, ready: int) -> None:
    """Write how many replicas of the operator are ready, as its controller does."""
    status = {"replicas": 1, "readyReplicas": ready, "availableReplicas": ready}
    api.objects.patch("deployment", "kwitness-operator", namespace, {"status": status}, subresource="status")


@pytest.fixture
def installed(api, namespace, with_status) -> None:
    """An installation as it is when all is well, but for the collector, which is the test's."""
    collector = {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "TelemetryCollector",
        "metadata": {"name": "main", "namespace": namespace},
        "spec": {
            "clusterRef": {"name": "orders"},
            "ingest": {"tls": {"mode": "Disabled"}, "readers": [{"serviceAccount": READERS}]},
        },
    }
    operator = deployment("operator", namespace)
    api.objects.apply(cluster("orders", namespace), collector, account(READERS, namespace), operator)
    of_operator(api, namespace, ready=1)
    broker = {"id": 1, "host": "kafka", "port": 9092, "telemetry": True, "plugin": VERSION}
    brokers = {"total": 1, "telemetry": 1, "plugin": 1, "nodeIds": [1], "first": [broker]}
    with_status("kfc", "orders", clusterId=CLUSTER, brokers=brokers, conditions=ready("True", "Connected"))
    with_status("ktc", "main", conditions=ready("True", "Available"))


@pytest.mark.usefixtures("installed")
def test_a_sound_installation_has_nothing_wrong(types, api, namespace, tmp_path) -> None:
    process = CollectorProcess(tmp_path / "collector").start()
    try:
        process.post("/v1/gauges", gauges({("librdkafka", "2.12.0"): 3}) | {"plugin_version": VERSION})
        with ReviewedCollector(api, process, namespace) as door:
            line = ("doctor", "--here", "--collector-address", door.address)
            done, quiet, document = types(*line), types(*line, "--quiet"), types(*line, "-o", "json")
    finally:
        process.kill()

    assert done.returncode == 0, done.stdout
    assert "ok       Definitions" in done.stdout or "ok  Definitions" in done.stdout
    assert "Collectors: TelemetryCollector" in done.stdout
    assert quiet.stdout == "Nothing is wrong.\n"
    found = json.loads(document.stdout)
    assert (found["errors"], found["warnings"]) == (0, 0)
    assert {one["severity"] for one in found["items"]} == {"ok"}


@pytest.mark.usefixtures("installed")
def test_all_that_is_wrong_is_told_with_a_remedy_and_the_exit_status(types, api, namespace, with_status) -> None:
    of_operator(api, namespace, ready=0)
    with_status("kfc", "orders", conditions=ready("False", "Unreachable", "no broker answers"))
    done = types("doctor", "--here", "--collector-address", f"127.0.0.1:{free_port()}", "-o", "json")

    found = json.loads(done.stdout)
    wrong = {one["check"]: one for one in found["items"] if one["severity"] == "error"}
    assert done.returncode == 1
    assert set(wrong) == {"Operator", "Resources", "Collectors"}
    assert wrong["Resources"]["subject"] == f"KafkaCluster {namespace}/orders"
    assert "no broker answers" in wrong["Resources"]["message"]
    assert "does not answer" in wrong["Collectors"]["message"]
    assert all(one["remedy"] for one in wrong.values())
    assert found["errors"] == 3


def test_nothing_installed_in_a_namespace_is_an_error_of_the_operator_alone(types) -> None:
    done = types("doctor", "--here", "--quiet")

    assert done.returncode == 1
    assert "error    Operator: Deployment kwitness-operator: there is none where you may look" in done.stdout
    assert done.stdout.endswith("1 error and 1 warning.\n")


def test_who_may_see_nothing_is_told_what_is_not_known(types, newcomer, namespace) -> None:
    done = types("-n", namespace, "doctor", "-o", "json", kubeconfig=newcomer.environment["KUBECONFIG"])

    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert {one["check"] for one in found["items"]} >= {"Definitions", "Operator", "Permissions", "Looking"}
    lacking = [one["message"] for one in found["items"] if one["check"] == "Permissions"]
    assert f"you may not list analyticsjobs.kwitness.dev in namespace {namespace}, which kwitness jobs needs" in lacking


def test_an_api_server_that_is_away_is_reported(types, tmp_path, person) -> None:
    content = json.loads(Path(person.environment["KUBECONFIG"]).read_text())
    content["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{free_port()}"
    away = tmp_path / "away"
    away.write_text(json.dumps(content))
    done = types("doctor", kubeconfig=str(away))

    assert done.returncode == 1
    assert "cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr
