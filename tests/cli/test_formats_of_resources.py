"""`--output` of subcommands that show resources: names that kubectl takes, and rows of CSV."""

from __future__ import annotations

import csv
import io

import pytest

from kwitness.e2e.api_server import ApiServer

from tests.cli.command import Person
from tests.cli.conftest import cluster

pytestmark = pytest.mark.slow
ANALYSIS = {"type": "UnusedTopics", "run": {"streaming": {"trigger": "30s"}}, "table": "unused"}


@pytest.fixture
def shown(api: ApiServer, namespace: str, person: Person, with_status) -> Person:
    """One cluster with brokers, a subscription of ours and a foreign one, and one job."""
    job = {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "AnalyticsJob",
        "metadata": {"name": "unused-topics", "namespace": namespace},
        "spec": {"clusterRef": {"name": "orders"}, "analyses": [ANALYSIS]},
    }
    api.objects.apply(cluster("orders", namespace), job)
    person.done("subscriptions", "add", "slow-orders", "--metric", "org.apache.kafka.producer.")
    brokers = [{"id": 3, "host": "kafka-3", "port": 9092, "telemetry": True}]
    counts = {"total": 1, "telemetry": 1, "plugin": 0, "nodeIds": [3]}
    foreign = {"name": "=evil\n", "owner": "Foreign", "interval": "1m", "metrics": ["*"], "match": []}
    with_status(
        "KafkaCluster",
        "orders",
        brokers={**counts, "first": brokers},
        subscriptions={"foreign": 1, "first": [foreign]},
    )
    return person


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("subscriptions list", ["clientmetricssubscription.kwitness.dev/slow-orders", "=evil?"]),
        ("subscriptions describe slow-orders", ["clientmetricssubscription.kwitness.dev/slow-orders"]),
        ("jobs", ["analyticsjob.kwitness.dev/unused-topics"]),
        ("brokers", ["3"]),
        ("acls", ["Operator", "Collector", "Analytics"]),
    ],
)
def test_names_have_a_line_each(shown: Person, line: str, names: list[str]) -> None:
    assert shown.done(*line.split(), "-o", "name").splitlines() == names


@pytest.mark.parametrize(
    ("line", "titles", "first"),
    [
        ("subscriptions list", ["name", "owner", "metrics"], ["slow-orders", "Ours", "org.apache.kafka.producer."]),
        ("jobs", ["metadata.name", "spec.clusterRef.name"], ["unused-topics", "orders"]),
        ("brokers", ["id", "host", "telemetry"], ["3", "kafka-3", "true"]),
        ("acls", ["component"], ["Operator"]),
    ],
)
def test_rows_of_csv_have_the_fields_of_json(shown: Person, line: str, titles: list[str], first: list[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(shown.done(*line.split(), "-o", "csv"), newline="")))

    assert [rows[0][title] for title in titles] == first


def test_a_foreign_name_is_no_formula_and_no_second_line(shown: Person) -> None:
    rows = list(csv.DictReader(io.StringIO(shown.done("subscriptions", "list", "-o", "csv"), newline="")))

    assert rows[1]["name"] == "'=evil\\n"


def test_findings_of_doctor_are_rows(shown: Person) -> None:
    done = shown.types("doctor", "--here", "-o", "csv")

    assert done.stdout.splitlines()[0] == "check,severity,subject,message,remedy"
    assert "KafkaCluster" in shown.types("doctor", "--here", "-o", "name").stdout
