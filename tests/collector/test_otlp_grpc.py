"""Checks plain OTLP over gRPC: identity, tokens, what is refused, and senders that are asked to try again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2_grpc import MetricsServiceStub

from kwitness.collector.ingest.bodies import MAX_OTLP

from tests.collector.collector_process import OTLP, PLUGIN, CollectorProcess
from tests.collector.otlp_requests import post, request

Start = Callable[..., CollectorProcess]


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
    shared.peak_bytes()
    with (
        grpc.insecure_channel(
            f"127.0.0.1:{shared.otlp_grpc_port}", options=[("grpc.max_send_message_length", -1)]
        ) as channel,
        pytest.raises(grpc.RpcError) as raised,
    ):
        MetricsServiceStub(channel).Export(bomb, metadata=signed(), compression=grpc.Compression.Gzip, timeout=60)

    assert raised.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    # It is unpacked up to the limit and no further, and nothing of it stays.
    assert shared.peak_bytes() - before < 1.5 * MAX_OTLP
    assert shared.resident_bytes() - before < MAX_OTLP


def test_the_absence_of_kafka_asks_to_try_again(start: Start) -> None:
    collector = start(bootstrap="127.0.0.1:9")

    answer = post(collector, request("app.x", 1).SerializeToString())

    assert answer.status == 503
    assert int(answer.headers["Retry-After"]) > 0
    address = f"127.0.0.1:{collector.otlp_grpc_port}"
    with grpc.insecure_channel(address) as channel, pytest.raises(grpc.RpcError) as raised:
        MetricsServiceStub(channel).Export(request("app.x", 1), metadata=signed(), timeout=30)
    assert raised.value.code() is grpc.StatusCode.UNAVAILABLE
