"""The analyses that the demo does not run, each once on the node, over what its clients have done by then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from kwitness.demo import up
from kwitness.demo.platform import (
    CLUSTER,
    GATEWAY_CLIENT,
    INTERCEPTED_CLIENT,
    JOBS,
    NAMESPACE,
    SIDECAR_CLIENT,
    UNREGISTERED_HEADER,
    Platform,
)

from tests.e2e import subscriptions
from tests.e2e.conftest import Answer
from tests.e2e.job_pods import Found, run_in_turn
from tests.e2e.test_answers import allowed_to_look

pytestmark = pytest.mark.needs(up.gateway, up.sidecars, up.interceptors)

KIND = "analyticsjob"
RATES = "kwitness-rates"
PARAMETERS: dict[str, dict[str, Any]] = {
    "LatencySlo": {
        "objectives": [
            {
                "name": "produce",
                "match": {"api": "Produce"},
                "groupBy": ["client_id"],
                "threshold": "50ms",
                "target": "99.9",
            }
        ]
    },
    "EndToEndLatency": {},
    "HeaderDrift": {},
    "TelemetryRollup": {},
    "Completeness": {"grace": "1s"},
    "CostAttribution": {
        "trafficJobRef": {"name": JOBS["Traffic"]},
        "rateCardConfigMapRef": {"name": RATES},
        "groupBy": ["Topic", "client_id"],
        "timeZone": "Europe/Berlin",
    },
}
"""What the jobs are given, by their type."""


def a_job(job_type: str, parameters: dict[str, Any], **spec: Any) -> dict[str, Any]:
    table = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in job_type)[1:]
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "AnalyticsJob",
        "metadata": {"name": table.replace("_", "-"), "namespace": NAMESPACE},
        "spec": {
            "analyses": [
                {
                    "type": job_type,
                    "table": table,
                    "run": {"once": {}},
                    "window": "1m",
                    "parameters": {job_type[0].lower() + job_type[1:]: parameters} if parameters else {},
                }
            ],
            "clusterRef": {"name": CLUSTER},
            "authentication": {"type": "scram-sha-512", "secretRef": {"name": "kwitness-kafka-spark"}},
            "executors": {"instances": 0},
            **spec,
        },
    }


@pytest.fixture(scope="module")
def more(platform: Platform, answers: dict[str, Answer]) -> Iterator[dict[str, Found]]:
    """What the jobs found, by their type.

    The operator writes their configurations and starts none of them, since they are suspended. One driver, in a pod
    as the operator has it for the first of them, runs all in turn: a process of Spark for each takes minutes.
    """
    assert answers["Traffic"].rows, "costs are computed from its table"
    rates = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": RATES, "namespace": NAMESPACE},
        "data": {"rate-card.yaml": "currency: EUR\nbytesInPerGiB: 1000000000\n"},
    }
    jobs = {job_type: a_job(job_type, parameters, suspend=True) for job_type, parameters in PARAMETERS.items()}
    with ExitStack() as stack:
        stack.enter_context(allowed_to_look(platform))
        for document in (rates, *jobs.values()):
            stack.enter_context(subscriptions.applied(platform, document))
        for job in jobs.values():
            subscriptions.reason_becomes(platform, job["metadata"]["name"], "Suspended", KIND)
        yield run_in_turn(platform, jobs, stack)


def test_an_objective_counts_the_answers_to_each_client_that_an_observer_timed(more: dict[str, Found]) -> None:
    rows = more["LatencySlo"].rows

    assert {GATEWAY_CLIENT, SIDECAR_CLIENT} <= {row["client_id"] for row in rows}
    assert all(row["good"] + row["bad"] == row["answers"] for row in rows)
    assert {row["evidence"] for row in rows} == {"traffic"}


def test_latency_is_that_of_the_consumers_with_interceptors(more: dict[str, Found]) -> None:
    rows = more["EndToEndLatency"].rows

    assert INTERCEPTED_CLIENT in {row["client_id"] for row in rows}
    assert {row["topic"] for row in rows} == {"demo.orders"}
    assert all(row["latency_p50_us"] <= row["latency_p99_us"] for row in rows if row["latency_p50_us"] is not None)


def test_a_header_that_no_register_has_is_found(more: dict[str, Found]) -> None:
    found = more["HeaderDrift"]

    assert UNREGISTERED_HEADER in {row["key"] for row in found.rows}
    assert found.status["finding_counts"]["UnregisteredKey"] >= 1


def test_what_clients_report_is_rolled_up_by_metric_and_client(more: dict[str, Found]) -> None:
    rows = [row for row in more["TelemetryRollup"].rows if row["kind"] == "metric"]

    assert len({row["client_id"] for row in rows}) >= 4
    assert all(row["metric"].startswith("org.apache.kafka.") for row in rows)


def test_nothing_was_lost_between_producers_and_groups(more: dict[str, Found]) -> None:
    found = more["Completeness"]
    orders = [row for row in found.rows if row["topic"] == "demo.orders"]

    assert {"interceptors", "wire", "offsets"} <= {row["evidence"] for row in orders}
    assert sum(row["lost"] or 0 for row in orders) == 0
    assert found.status["finding_counts"].get("Lost", 0) == 0


def test_a_month_costs_what_traffic_counted(more: dict[str, Found], answers: dict[str, Answer]) -> None:
    rows = more["CostAttribution"].rows
    bytes_in = sum(int(row["bytes_in"]) for row in rows)  # JSON tells whole numbers of 38 digits as text
    traffic = answers["Traffic"].rows
    shortest = min(row["window_seconds"] for row in traffic)
    sent = [row for row in traffic if row["window_seconds"] == shortest and row["api"] == "Produce"]

    assert bytes_in >= sum(row["bytes"] for row in sent if row["kind"] == "partition") > 0
    cost = sum(int(row["bytes_in_cost"]) for row in rows)
    assert cost == pytest.approx(bytes_in * 1_000_000_000 / 2**30, abs=1)
    assert more["CostAttribution"].status["finding_counts"]["RateMissing"] >= 1  # none for requests


def test_a_mirror_that_is_the_source_itself_is_refused(platform: Platform) -> None:
    credential = {"type": "scram-sha-512", "secretRef": {"name": "kwitness-kafka-spark"}}
    target = {"clusterRef": {"name": CLUSTER}, "authentication": credential}
    job = a_job("MirrorAudit", {"target": target})

    with subscriptions.applied(platform, job):
        condition = subscriptions.reason_becomes(platform, "mirror-audit", "MirrorIsSource", KIND)
    assert condition["status"] == "False"
