"""Plain OTLP in, over HTTP and gRPC, and copies out to other OTLP endpoints."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import grpc
import pytest
import zstandard
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2_grpc import MetricsServiceStub
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.otlp.requests import parse
from kwitness.collector.otlp.wire import fields, read_varint

from tests.collector.collector_process import OTLP, PLUGIN, CollectorProcess
from tests.collector.collector_samples import (
    CLUSTER,
    CREATION_SERIES,
    CUMULATIVE,
    add_number,
    batch,
    counter_push,
    push,
)
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
PROTOBUF = {"Content-Type": "application/x-protobuf"}


def request(name: str, value: int, cluster: str | None = None, **resource: str) -> ExportMetricsServiceRequest:
    data = MetricsData()
    add_number(data, name, value, temporality=CUMULATIVE, start_ns=1)
    attributes = {"service.name": "checkout", "service.instance.id": name, **resource}
    if cluster:
        attributes["cluster_id"] = cluster
    for key, text in attributes.items():
        attribute = data.resource_metrics[0].resource.attributes.add()
        attribute.key, attribute.value.string_value = key, text
    return ExportMetricsServiceRequest.FromString(data.SerializeToString())


def post(collector: CollectorProcess, body: bytes, token: str = OTLP, **headers: str) -> Any:
    sent = {**PROTOBUF, **{key.replace("_", "-"): text for key, text in headers.items()}}
    return collector.post("/v1/metrics", body, token=token, headers=sent, port=collector.otlp_http_port)


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
    shared.scrape()

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
    shared.scrape()
    assert shared.value(CREATION_SERIES, client_id="json-client") == 6


@pytest.fixture
def stub(shared: CollectorProcess) -> Iterator[MetricsServiceStub]:
    with grpc.insecure_channel(f"127.0.0.1:{shared.otlp_grpc_port}") as channel:
        yield MetricsServiceStub(channel)


def signed(token: str = OTLP) -> list[tuple[str, str]]:
    return [("authorization", f"Bearer {token}")]


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
def test_grpc_is_exposed_with_its_identity(
    shared: CollectorProcess, stub: MetricsServiceStub, compression: grpc.Compression
) -> None:
    name = f"app.grpc.{compression.name.lower()}"

    answer = stub.Export(request(name, 5), metadata=signed(), compression=compression, timeout=20)

    assert answer == ExportMetricsServiceResponse()
    shared.scrape()
    assert shared.value(f"app_grpc_{compression.name.lower()}_total") == 5


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        ([], grpc.StatusCode.UNAUTHENTICATED),
        (signed("wrong"), grpc.StatusCode.UNAUTHENTICATED),
        (signed(PLUGIN), grpc.StatusCode.PERMISSION_DENIED),
    ],
)
def test_grpc_needs_a_token_for_otlp(stub: MetricsServiceStub, metadata: Any, code: grpc.StatusCode) -> None:
    with pytest.raises(grpc.RpcError) as raised:
        stub.Export(request("app.x", 5), metadata=metadata, timeout=20)

    assert raised.value.code() is code


def status_of(content: bytes) -> tuple[int, str]:
    """Read code and message of a ``google.rpc.Status``."""
    told = {number: (at, end) for number, _, _, at, end in fields(content, 0, len(content))}
    return read_varint(content, told[1][0])[0], content[slice(*told[2])].decode()


def test_garbage_over_grpc_is_an_invalid_argument(shared: CollectorProcess) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{shared.otlp_grpc_port}") as channel:
        export = channel.unary_unary("/opentelemetry.proto.collector.metrics.v1.MetricsService/Export")
        with pytest.raises(grpc.RpcError) as raised:
            export(b"\xff\xff garbage", metadata=signed(), timeout=20)

    assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_a_gzip_bomb_over_grpc_is_stopped_and_costs_little_memory(shared: CollectorProcess) -> None:
    bomb = request("app.bomb", 1)
    bomb.resource_metrics[0].schema_url = "x" * (200 * 1024 * 1024)
    before = shared.resident_bytes()
    with (
        grpc.insecure_channel(
            f"127.0.0.1:{shared.otlp_grpc_port}", options=[("grpc.max_send_message_length", -1)]
        ) as channel,
        pytest.raises(grpc.RpcError) as raised,
    ):
        MetricsServiceStub(channel).Export(bomb, metadata=signed(), compression=grpc.Compression.Gzip, timeout=60)

    assert raised.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert shared.resident_bytes() - before < 120 * 1024 * 1024


def test_what_speaks_of_another_cluster_is_refused_as_a_part(shared: CollectorProcess) -> None:
    both = request("app.mine", 1, cluster=CLUSTER)
    both.MergeFrom(request("app.theirs", 1, cluster="elsewhere"))

    answer = post(shared, both.SerializeToString())

    partial = ExportMetricsServiceResponse.FromString(answer.body).partial_success
    assert partial.rejected_data_points == 1
    assert CLUSTER in partial.error_message
    shared.scrape()
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
    shared.scrape()

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

    collector.scrape()
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


def test_a_client_called_other_is_not_what_did_not_fit(start: Start) -> None:
    collector = start(config={"prometheus": {"labels": ["client_id"], "max_series": 1}})
    for seq, name in enumerate(("other", "second", "third")):
        collector.push(batch([push(seq, counter_push(5), client=name, client_id=name)]))

    collector.scrape()
    found = {dict(labels)["client_id"]: value for labels, value in collector.scrape()[CREATION_SERIES].items()}

    assert found.pop("other") == 10
    [(name, value)] = found.items()
    assert (name.partition("~")[0], value) == ("other", 5)


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


def test_the_absence_of_kafka_asks_to_try_again(start: Start) -> None:
    collector = start(bootstrap="127.0.0.1:9")

    answer = post(collector, request("app.x", 1).SerializeToString())

    assert answer.status == 503
    assert int(answer.headers["Retry-After"]) > 0
    address = f"127.0.0.1:{collector.otlp_grpc_port}"
    with grpc.insecure_channel(address) as channel, pytest.raises(grpc.RpcError) as raised:
        MetricsServiceStub(channel).Export(request("app.x", 1), metadata=signed(), timeout=30)
    assert raised.value.code() is grpc.StatusCode.UNAVAILABLE


class Endpoint(ThreadingHTTPServer):
    """Another vendor's OTLP endpoint; answers what ``answers`` says, then 200."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[int] = []
        self.received: list[tuple[dict[str, str], ExportMetricsServiceRequest]] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
        status = self.server.answers.pop(0) if self.server.answers else 200
        if status == 200:
            self.server.received.append((dict(self.headers), ExportMetricsServiceRequest.FromString(body)))
        answer = ExportMetricsServiceResponse()
        answer.partial_success.rejected_data_points = 1
        content = answer.SerializeToString()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        return


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.shutdown()


def forwarding(endpoint: Endpoint, folder: Path, hosts: str) -> dict[str, Any]:
    (folder / "headers").write_text("X-Api-Key: canary-5ecret\n")
    (folder / "hosts").write_text(hosts)
    entry = {
        "name": "vendor",
        "endpoint": f"http://{endpoint.address}/v1/metrics",
        "headers_file": str(folder / "headers"),
        "hosts_file": str(folder / "hosts"),
    }
    return {"forward": [entry]}


def hop(collector: CollectorProcess, name: str) -> dict[str, Any]:
    ledger = collector.get(f"/v1/clusters/{CLUSTER}").body["ledger"]
    return next(one for one in ledger if one["hop"] == name)


def wait_until_empty(collector: CollectorProcess) -> dict[str, Any]:
    return eventually(lambda: hop(collector, "forward:vendor"), lambda now: now["queued"] == 0)


def test_a_push_is_forwarded_with_identity_and_headers_and_tried_again(
    start: Start, endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.answers = [503, 429]
    collector = start(config=forwarding(endpoint, tmp_path, endpoint.address))

    collector.push(batch([push(1, counter_push(5)), push(2, b"garbage")]))

    ledger = wait_until_empty(collector)
    assert (ledger["accepted"], ledger["delivered"], ledger["dropped"]) == (2, 1, {"malformed": 1})
    [(headers, received)] = endpoint.received
    assert headers["X-Api-Key"] == "canary-5ecret"
    [resource] = received.resource_metrics
    attributes = {one.key: one.value.string_value for one in resource.resource.attributes}
    assert attributes["client_id"] == "orders"
    assert attributes["principal"] == "User:alice"
    assert collector.value("kwitness_parser_errors_total", reason="forward_partial_success") == 1


def test_headers_never_go_to_a_host_their_secret_does_not_name(
    start: Start, endpoint: Endpoint, tmp_path: Path
) -> None:
    collector = start(config=forwarding(endpoint, tmp_path, "otlp.example.org:443"))

    collector.push(batch([push(1, counter_push(5))]))

    ledger = wait_until_empty(collector)
    assert ledger["dropped"] == {"host_not_allowed": 1}
    assert endpoint.received == []
    assert "canary" not in collector.log.read_text()


def test_a_refusal_is_final_and_an_absent_endpoint_holds_nothing_up(
    start: Start, endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.answers = [400]
    collector = start(config=forwarding(endpoint, tmp_path, endpoint.address))
    collector.push(batch([push(1, counter_push(5))]))
    assert wait_until_empty(collector)["dropped"] == {"refused": 1}
    endpoint.server_close()

    assert collector.push(batch([push(2, counter_push(5))])).status == 200

    waiting = hop(collector, "forward:vendor")
    assert (waiting["accepted"], waiting["queued"], waiting["dropped"]) == (2, 1, {"refused": 1})


def test_an_endpoint_taken_away_counts_what_waited_for_it_once(
    start: Start, endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.answers = [503] * 100
    collector = start(config=forwarding(endpoint, tmp_path, endpoint.address))
    collector.push(batch([push(1, counter_push(5)), push(2, b"garbage"), push(3, counter_push(5))]))
    time.sleep(1)
    collector.push(batch([push(4, counter_push(5))]))

    collector.write_config(forward=[])

    assert wait_until_empty(collector)["dropped"] == {"malformed": 1, "stopped": 3}
    assert hop(collector, "forward:vendor")["queued"] == 0


def test_another_endpoint_leaves_what_waits_for_the_first_alone_and_no_count_falls(
    start: Start, endpoint: Endpoint, tmp_path: Path
) -> None:
    config = forwarding(endpoint, tmp_path, endpoint.address)
    collector = start(config=config)
    collector.push(batch([push(1, counter_push(5))]))
    wait_until_empty(collector)
    endpoint.answers = [503] * 5
    collector.push(batch([push(2, counter_push(5))]))

    collector.write_config(forward=[*config["forward"], {"name": "other", "endpoint": "http://127.0.0.1:1"}])
    hops = eventually(
        lambda: {one["hop"] for one in collector.get(f"/v1/clusters/{CLUSTER}").body["ledger"]},
        lambda now: "forward:other" in now,
    )

    assert [one["name"] for one in collector.config["forward"]] == ["vendor", "other"]
    assert hops >= {"forward:vendor", "forward:other"}
    ledger = wait_until_empty(collector)
    assert (ledger["delivered"], ledger["dropped"]) == (2, {})
    collector.write_config(forward=[])
    eventually(lambda: collector.log.read_text().count("the configuration changed") == 2)
    assert collector.value("kwitness_parser_errors_total", reason="forward_partial_success") == 2


@pytest.mark.parametrize("broken", [None, b"\xff\xfe: 1\n"])
def test_headers_that_cannot_be_read_hold_back_what_waits_until_they_can(
    start: Start, endpoint: Endpoint, tmp_path: Path, broken: bytes | None
) -> None:
    config = forwarding(endpoint, tmp_path, endpoint.address)
    good = (tmp_path / "headers").read_bytes()
    (tmp_path / "headers").unlink()
    if broken is not None:
        (tmp_path / "headers").write_bytes(broken)
    collector = start(config=config)
    collector.push(batch([push(1, counter_push(5))]))
    time.sleep(1)
    assert hop(collector, "forward:vendor")["queued"] == 1

    (tmp_path / "headers").write_bytes(good)

    assert wait_until_empty(collector)["delivered"] == 1
    assert "canary" not in collector.log.read_text()
