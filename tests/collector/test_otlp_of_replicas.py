"""Checks plain OTLP that reaches one replica and belongs to the other."""

from __future__ import annotations

import time

from kwitness.collector.sharding import owner_of

from tests.collector.collector_process import OTLP, CollectorProcess
from tests.collector.replica_pair import CLIENTS
from tests.eventually import eventually


def test_plain_otlp_reaches_the_owner_too(pair: list[CollectorProcess]) -> None:
    other = next(client for client in CLIENTS if owner_of(f"otlp///{client}", 2) == 1)
    body = {
        "resourceMetrics": [
            {
                "resource": {
                    "attributes": [
                        {"key": "client_instance_id", "value": {"stringValue": other}},
                        {"key": "k8s.pod.name", "value": {"stringValue": "pod-1"}},
                    ]
                },
                "scopeMetrics": [{"metrics": [{"name": "app.x", "gauge": {"dataPoints": [{"asInt": "4"}]}}]}],
            }
        ]
    }

    answer = pair[0].post("/v1/metrics", body, token=OTLP, port=pair[0].otlp_http_port)

    assert (answer.status, answer.body) == (200, {})
    assert pair[1].value("app_x") == 4
    [item] = pair[1].get("/v1/clients?local=true").body["items"]
    assert (item["client_instance_id"], item["k8s_pod"]) == (other, "pod-1")


def test_what_is_left_out_by_the_owner_is_told_to_the_sender(pair: list[CollectorProcess]) -> None:
    other = next(client for client in CLIENTS if owner_of(f"otlp///{client}", 2) == 1)
    attributes = [{"key": "service.instance.id", "value": {"stringValue": other}}]
    metrics = [{"name": "app.x", "summary": {"dataPoints": [{"count": "4"}, {"count": "5"}]}}]
    body = {"resourceMetrics": [{"resource": {"attributes": attributes}, "scopeMetrics": [{"metrics": metrics}]}]}

    answer = pair[0].post("/v1/metrics", body, token=OTLP, port=pair[0].otlp_http_port)

    assert answer.status == 200
    assert answer.body["partialSuccess"]["rejectedDataPoints"] == "2"


def test_deltas_that_were_taken_while_the_owner_of_others_was_away_are_recognised(pair: list[CollectorProcess]) -> None:
    now = time.time_ns()
    sums = {"aggregationTemporality": 1, "isMonotonic": True, "dataPoints": [{"asInt": "2", "timeUnixNano": str(now)}]}
    body = {
        "resourceMetrics": [
            {
                "resource": {"attributes": [{"key": "client_instance_id", "value": {"stringValue": client}}]},
                "scopeMetrics": [{"metrics": [{"name": "app.orders", "sum": sums}]}],
            }
            for client in CLIENTS
        ]
    }
    pair[1].kill()

    began = time.monotonic()
    away = [pair[0].post("/v1/metrics", body, token=OTLP, port=pair[0].otlp_http_port) for _ in range(2)]
    assert [answer.status for answer in away] == [503, 503]
    assert "did not answer just now" in away[1].body["message"]
    assert time.monotonic() - began < 6
    pair[1].start()
    eventually(
        lambda: pair[0].post("/v1/metrics", body, token=OTLP, port=pair[0].otlp_http_port).status,
        lambda status: status == 200,
    )
    pair[0].kill()
    pair[0].start()
    again = pair[0].post("/v1/metrics", body, token=OTLP, port=pair[0].otlp_http_port)

    assert (again.status, again.body) == (200, {})
    assert sum(sum(replica.scrape()["app_orders_total"].values()) for replica in pair) == 80


def test_clients_of_plain_otlp_without_an_instance_id_stay_with_their_owner(pair: list[CollectorProcess]) -> None:
    for number in range(10):
        resource = {"attributes": [{"key": "client_id", "value": {"stringValue": f"app-{number}"}}]}
        metrics = [{"name": "app.x", "gauge": {"dataPoints": [{"asInt": "4"}]}}]
        body = {"resourceMetrics": [{"resource": resource, "scopeMetrics": [{"metrics": metrics}]}]}
        assert pair[0].post("/v1/metrics", body, token=OTLP, port=pair[0].otlp_http_port).status == 200
    before = [replica.value("kwitness_clients") for replica in pair]
    assert sum(count or 0 for count in before) == 10

    for replica in pair:
        replica.stop()
        replica.start()

    assert [replica.value("kwitness_clients") for replica in pair] == before
