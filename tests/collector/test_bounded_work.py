"""Requests that hold as much as two bytes can stand for are refused or cut, and others are answered meanwhile."""

from __future__ import annotations

import gzip
import threading
from typing import Any, Self

import grpc  # type: ignore[import-untyped]
import pytest
import requests
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from tests.collector.collector_process import OTLP, CollectorProcess
from tests.collector.collector_samples import batch, gauge_push, push
from tests.collector.otlp_requests import post

JSON = {"Content-Type": "application/json"}
EXPORT = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
MOST_WORK_S = 1.0
"""Most processor time before an answer of `/healthz`; these took up to thirty seconds of it."""


def field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + varint(len(content)) + content


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def nested(numbers: list[int], content: bytes) -> bytes:
    for number in reversed(numbers):
        content = field(number, content)
    return content


RESOURCE, SCOPE, METRIC, GAUGE, POINT = 1, 2, 2, 5, 1
NAMED = field(1, b"app.thing")
EMPTY = {
    "resources": field(RESOURCE, b"") * 2_000_000,
    "metrics": nested([RESOURCE, SCOPE], field(METRIC, b"") * 2_000_000),
    "points of gauges": nested([RESOURCE, SCOPE, METRIC], NAMED + field(GAUGE, field(POINT, b"") * 2_000_000)),
    "elements of an attribute": nested(
        [RESOURCE, SCOPE, METRIC, GAUGE, POINT, 7], field(1, b"a") + nested([2, 5], field(1, b"") * 2_000_000)
    ),
    "one kind after the other": nested([RESOURCE, SCOPE, METRIC], (field(5, b"") + field(7, b"")) * 1_000_000),
}
EMPTY_JSON = {
    "points": '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"a","gauge":{"dataPoints":[%s]}}]}]}]}',
    "unknown": '{"whatever":[%s]}',
}


class Health:
    """Asks `/healthz` all the time, and remembers how much the collector worked at most before one answer.

    That is processor time: how long it takes by the clock depends on what else the machine does.
    """

    def __init__(self, collector: CollectorProcess) -> None:
        self._collector = collector
        self._url = f"http://127.0.0.1:{collector.metrics_port}/healthz"
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._ask)
        self.most_work_s = 0.0

    def _ask(self) -> None:
        with requests.Session() as session:
            while not self._over.is_set():
                began = self._collector.worked_s()
                assert session.get(self._url, timeout=120).ok
                self.most_work_s = max(self.most_work_s, self._collector.worked_s() - began)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


@pytest.mark.parametrize("what", EMPTY)
def test_an_export_of_millions_of_empty_messages_is_refused_and_others_are_answered(
    shared: CollectorProcess, what: str
) -> None:
    body = gzip.compress(EMPTY[what], 1)
    before = shared.resident_bytes()
    shared.peak_bytes()

    with Health(shared) as health:
        answer = post(shared, body, Content_Encoding="gzip")

    assert answer.status == 413
    assert b"send smaller" in answer.body
    assert health.most_work_s < MOST_WORK_S
    assert shared.peak_bytes() - before < 64 * 1024 * 1024


@pytest.mark.parametrize("what", EMPTY_JSON)
def test_an_export_of_json_is_bounded_by_its_length_and_what_it_holds(shared: CollectorProcess, what: str) -> None:
    def sent(count: int) -> Any:
        body = gzip.compress((EMPTY_JSON[what] % ",".join(["{}"] * count)).encode(), 1)
        headers = {**JSON, "Content-Encoding": "gzip"}
        return shared.post("/v1/metrics", body, token=OTLP, headers=headers, port=shared.otlp_http_port)

    with Health(shared) as health:
        answers = [sent(1_500_000), sent(340_000)]

    assert [answer.status for answer in answers] == [413, 413]
    assert all("send smaller" in answer.body["message"] for answer in answers)
    assert health.most_work_s < MOST_WORK_S


def test_grpc_has_the_same_bounds(shared: CollectorProcess) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{shared.otlp_grpc_port}") as channel, Health(shared) as health:
        export = channel.unary_unary(EXPORT)
        with pytest.raises(grpc.RpcError) as refused:
            export(EMPTY["points of gauges"], metadata=[("authorization", f"Bearer {OTLP}")], timeout=60)

    assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "send smaller" in refused.value.details()
    assert health.most_work_s < MOST_WORK_S


def points(count: int, name: str = "app.thing") -> bytes:
    data = MetricsData.FromString(gauge_push(name, 1.0))
    metric = data.resource_metrics[0].scope_metrics[0].metrics[0]
    for number in range(count - 1):
        metric.gauge.data_points.add(as_double=1.0).attributes.add(key="node_id").value.string_value = str(number)
    return data.SerializeToString()


def test_the_points_of_a_push_beyond_the_bound_are_left_out_and_counted(shared: CollectorProcess) -> None:
    before = shared.value("kwitness_parser_errors_total", reason="points_too_many") or 0.0

    with Health(shared) as health:
        answer = shared.push(batch([push(1, points(40_000), client="many")], epoch=31))

    assert answer.body["accepted"] == 1
    # Resource, scope and metric count as well.
    assert (shared.value("kwitness_parser_errors_total", reason="points_too_many") or 0) - before == 30_003
    assert health.most_work_s < MOST_WORK_S


def test_a_partial_success_names_the_points_beyond_the_bound(shared: CollectorProcess) -> None:
    request = ExportMetricsServiceRequest.FromString(points(12_000, "app.other"))

    answer = post(shared, request.SerializeToString())

    assert answer.status == 200
    assert b"points beyond the first 10000" in answer.body


@pytest.mark.parametrize("what", EMPTY)
def test_a_push_of_empty_messages_costs_no_more_than_others(shared: CollectorProcess, what: str) -> None:
    epoch = 100 + list(EMPTY).index(what)

    with Health(shared) as health:
        answer = shared.push(batch([push(1, EMPTY[what], client="empty")], epoch=epoch), compress=True)

    assert answer.body["accepted"] == 1
    assert health.most_work_s < MOST_WORK_S
