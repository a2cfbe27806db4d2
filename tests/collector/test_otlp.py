"""Checks plain OTLP over HTTP: identity, points that are refused as a part, and requests that are refused whole."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.otlp.requests import parse
from kwitness.collector.otlp.wire import fields, read_varint

from tests.collector.collector_process import OTLP, CollectorProcess
from tests.collector.collector_samples import (
    CLUSTER,
    CREATION_SERIES,
    CUMULATIVE,
    add_number,
    batch,
    counter_push,
    push,
)
from tests.collector.otlp_requests import post, request

Start = Callable[..., CollectorProcess]


def test_plain_otlp_names_no_software_that_would_hold_a_subscription_back(start: Start) -> None:
    collector = start()
    distribution = {"telemetry.distro.name": "opentelemetry-java-instrumentation", "telemetry.distro.version": "2.5.0"}

    assert post(collector, request("orders", 1, CLUSTER, **distribution).SerializeToString()).status == 200

    state = collector.get(f"/v1/clusters/{CLUSTER}").body
    assert (state["clients"], state.get("software", [])) == (1, [])


@pytest.mark.parametrize(
    ("encoding", "compress"),
    [("identity", bytes), ("gzip", gzip.compress), ("zstd", zstandard.ZstdCompressor().compress)],
)
def test_protobuf_over_http_is_exposed_with_its_identity(
    shared: CollectorProcess, encoding: str, compress: Callable[[bytes], bytes]
) -> None:
    name = f"app.http.{encoding}"
    for total in (3, 8):
        body = compress(request(name, total).SerializeToString())
        answer = post(shared, body, Content_Encoding=encoding)
        assert answer.status == 200
        assert ExportMetricsServiceResponse.FromString(answer.body or b"") == ExportMetricsServiceResponse()

    assert shared.value(f"app_http_{encoding}_total", client_id="checkout") == 8


def test_json_over_http_is_the_same(shared: CollectorProcess) -> None:
    body = {
        "resourceMetrics": [
            {
                "resource": {"attributes": [{"key": "client_id", "value": {"stringValue": "json-client"}}]},
                "scopeMetrics": [
                    {
                        "metrics": [
                            {
                                "name": "org.apache.kafka.producer.connection.creation.total",
                                "sum": {
                                    "aggregationTemporality": 1,
                                    "isMonotonic": True,
                                    "dataPoints": [{"asInt": "6", "unknownField": 1}],
                                },
                            }
                        ]
                    }
                ],
            }
        ]
    }

    answer = shared.post("/v1/metrics", body, token=OTLP, port=shared.otlp_http_port)

    assert (answer.status, answer.body) == (200, {})
    assert shared.value(CREATION_SERIES, client_id="json-client") == 6


def status_of(content: bytes) -> tuple[int, str]:
    """Read code and message of a ``google.rpc.Status``."""
    told = {number: (at, end) for number, _, _, at, end in fields(content, 0, len(content))}
    return read_varint(content, told[1][0])[0], content[slice(*told[2])].decode()


def test_what_speaks_of_another_cluster_is_refused_as_a_part(shared: CollectorProcess) -> None:
    both = request("app.mine", 1, cluster=CLUSTER)
    both.MergeFrom(request("app.theirs", 1, cluster="elsewhere"))

    answer = post(shared, both.SerializeToString())

    partial = ExportMetricsServiceResponse.FromString(answer.body).partial_success
    assert partial.rejected_data_points == 1
    assert CLUSTER in partial.error_message
    assert shared.value("app_mine_total", cluster_id=CLUSTER) == 1
    assert shared.value("app_theirs_total") is None


def test_two_services_with_one_instance_id_are_two_clients(shared: CollectorProcess) -> None:
    now = time.time_ns()
    for total in (3, 5, 9):
        for service, factor in (("checkout", 1), ("payment", 100)):
            one = request("app.both", total * factor)
            for attribute in one.resource_metrics[0].resource.attributes:
                if attribute.key == "service.name":
                    attribute.value.string_value = service
            point = one.resource_metrics[0].scope_metrics[0].metrics[0].sum.data_points[0]
            point.start_time_unix_nano = point.time_unix_nano = now
            point.time_unix_nano += total
            assert post(shared, one.SerializeToString()).status == 200

    assert shared.value("app_both_total", client_id="checkout") == 9
    assert shared.value("app_both_total", client_id="payment") == 900
    items = shared.get("/v1/clients?limit=1000&client_instance_id=app.both").body["items"]
    assert sorted(one["client_id"] for one in items) == ["checkout", "payment"]


def test_a_sender_of_otlp_is_never_taken_for_a_client_that_brokers_know(start: Start) -> None:
    collector = start()
    collector.push(batch([push(1, counter_push(5, "app.known"))]))
    forged = request("app.known", 7, CLUSTER, client_instance_id="instance-1", client_id="forged")

    assert post(collector, forged.SerializeToString()).status == 200
    assert collector.push(batch([push(2, counter_push(5, "app.known"))])).status == 200

    assert collector.value("app_known_total", client_id="orders") == 10
    assert collector.value("app_known_total", client_id="forged") == 7
    items = collector.get("/v1/clients").body["items"]
    assert sorted((one["client_id"], one.get("principal")) for one in items) == [
        ("forged", None),
        ("orders", "User:alice"),
    ]
    info = collector.scrape()["kwitness_client_info"]
    assert sorted(dict(labels)["client_id"] for labels in info) == ["forged", "orders"]


def odd_points() -> ExportMetricsServiceRequest:
    """Points that are not exposed, and two that are."""
    data = MetricsData()
    add_number(data, "app.odd", 5, temporality=CUMULATIVE, start_ns=time.time_ns())
    add_number(data, "app.odd.falling", -1, temporality=CUMULATIVE, start_ns=time.time_ns())
    add_number(data, "app.odd", 1.0)
    add_number(data, "app.odd.long", 1.0, attributes={"text": "x" * 3_000})
    for bounds in ([1.0, float("inf")], [float("nan")], [1.0, 5.0], [1.0, 6.0]):
        metric = data.resource_metrics[0].scope_metrics[0].metrics.add()
        metric.name = "app.odd.duration"
        metric.histogram.aggregation_temporality = CUMULATIVE
        point = metric.histogram.data_points.add()
        point.start_time_unix_nano = point.time_unix_nano = time.time_ns()
        point.explicit_bounds.extend(bounds)
        point.bucket_counts.extend([1] * (len(bounds) + 1))
        point.sum, point.count = 1.0, len(bounds) + 1
    exponential = data.resource_metrics[0].scope_metrics[0].metrics.add()
    exponential.name = "app.odd.exponential"
    exponential.exponential_histogram.data_points.add().count = 1
    return ExportMetricsServiceRequest.FromString(data.SerializeToString())


def test_points_that_are_not_exposed_are_told_as_a_partial_success(start: Start, tmp_path: Path) -> None:
    collector = start()

    answer = post(collector, odd_points().SerializeToString())

    partial = ExportMetricsServiceResponse.FromString(answer.body).partial_success
    assert partial.rejected_data_points == 7
    for word in ("bounds", "two types", "attributes", "below zero", "type"):
        assert word in partial.error_message
    page = collector.scrape()
    assert {dict(labels)["le"] for labels in page["app_odd_duration_bucket"]} == {"1.0", "5.0", "+Inf"}


def test_gauges_without_room_are_told_in_words(start: Start) -> None:
    collector = start(config={"prometheus": {"labels": ["client_id"], "max_series": 1}})
    data = MetricsData()
    add_number(data, "app.first", 1.0)
    add_number(data, "app.second", 1.0)

    answer = post(collector, data.SerializeToString())

    partial = ExportMetricsServiceResponse.FromString(answer.body).partial_success
    assert partial.rejected_data_points == 1
    assert partial.error_message == "1 points of series for which there is no room"


def test_ids_of_traces_in_json_are_hexadecimal(shared: CollectorProcess) -> None:
    trace, span = "5b8aa5a2d2c872e8321cf37308d69df2", "051581bf3cb55c13"
    point = {"asInt": "1", "exemplars": [{"asInt": "1", "traceId": trace, "spanId": span}]}
    sums = {"aggregationTemporality": 1, "isMonotonic": True, "dataPoints": [point]}
    body = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "app.traced", "sum": sums}]}]}]}

    parsed = parse(json.dumps(body).encode(), as_json=True)

    [exemplar] = parsed.resource_metrics[0].scope_metrics[0].metrics[0].sum.data_points[0].exemplars
    assert (exemplar.trace_id.hex(), exemplar.span_id.hex()) == (trace, span)
    assert shared.post("/v1/metrics", body, token=OTLP, port=shared.otlp_http_port).body == {}


def test_a_sender_of_otlp_cannot_claim_what_only_a_broker_knows(shared: CollectorProcess) -> None:
    post(shared, request("app.claim", 1, principal="User:admin", broker_id="7", listener="X").SerializeToString())

    items = shared.get("/v1/clients?limit=1000").body["items"]
    [item] = [one for one in items if one.get("client_instance_id") == "app.claim"]
    assert not {"principal", "broker_id", "listener"} & set(item)


@pytest.mark.parametrize(
    ("body", "headers", "status", "why"),
    [
        (b"garbage\xff", {}, 400, "no OTLP metrics request"),
        (request("app.x", 1).SerializeToString()[:-3], {}, 400, "no OTLP metrics request"),
        (b"{", {"Content_Type": "application/json"}, 400, "no OTLP metrics request"),
        (b"7", {"Content_Type": "application/json"}, 400, "no OTLP metrics request"),
        (b'{"traceId": "xyz"}', {"Content_Type": "application/json"}, 400, "no OTLP metrics request"),
        (b"[" * 100_000, {"Content_Type": "application/json"}, 400, "no OTLP metrics request"),
        (b"", {"Content_Type": "text/plain"}, 415, "not text/plain"),
        (b"", {"Content_Encoding": "br"}, 415, "br"),
        (b"no gzip", {"Content_Encoding": "gzip"}, 400, "gzip"),
        (gzip.compress(bytes(40 * 1024 * 1024)), {"Content_Encoding": "gzip"}, 413, "larger than 16777216 bytes"),
    ],
)
def test_bad_otlp_over_http_is_answered_with_a_status_message(
    shared: CollectorProcess, body: bytes, headers: dict[str, str], status: int, why: str
) -> None:
    answer = post(shared, body, **headers)

    assert answer.status == status
    if headers.get("Content_Type") == "application/json":
        code, message = answer.body["code"], answer.body["message"]
    else:
        code, message = status_of(answer.body)
    assert code == 3  # INVALID_ARGUMENT
    assert why in message
