"""Checks copies of pushes that leave over gRPC: to another collector, encrypted, and to an endpoint that refuses."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc  # type: ignore[import-untyped]
import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)

from kwitness.collector.otlp.requests import try_again_status
from kwitness.e2e.certificates import Authority

from tests.collector.collector_process import OTLP, CollectorProcess
from tests.collector.collector_samples import CLUSTER, CREATION_SERIES, batch, counter_push, push
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
SERVICE = "opentelemetry.proto.collector.metrics.v1.MetricsService"
CODE = grpc.StatusCode


class Endpoint:
    """Another vendor's endpoint: answers with the codes and details of ``answers``, then takes everything."""

    def __init__(self) -> None:
        self.answers: list[tuple[Any, bytes]] = []
        self.received: list[tuple[dict[str, Any], ExportMetricsServiceRequest]] = []
        self._server = grpc.server(ThreadPoolExecutor(1))
        handler = grpc.unary_unary_rpc_method_handler(
            self._export,
            request_deserializer=ExportMetricsServiceRequest.FromString,
            response_serializer=ExportMetricsServiceResponse.SerializeToString,
        )
        self._server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE, {"Export": handler})])
        self.port = self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()

    def _export(self, request: ExportMetricsServiceRequest, context: Any) -> ExportMetricsServiceResponse:
        metadata = dict(context.invocation_metadata())
        if self.answers:
            code, details = self.answers.pop(0)
            if details:
                context.set_trailing_metadata([("grpc-status-details-bin", details)])
            context.abort(code, f"refused: {metadata}")
        self.received.append((metadata, request))
        answer = ExportMetricsServiceResponse()
        answer.partial_success.rejected_data_points = 2
        return answer

    def stop(self) -> None:
        self._server.stop(None)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.stop()


def forward(folder: Path, address: str, *, scheme: str = "http", secret: str = OTLP, **more: str) -> dict[str, Any]:
    (folder / "headers").write_text(f"Authorization: Bearer {secret}\n")
    (folder / "hosts").write_text(address)
    files = {"headers_file": str(folder / "headers"), "hosts_file": str(folder / "hosts")}
    entry = {"name": "vendor", "endpoint": f"{scheme}://{address}", "protocol": "grpc", **files, **more}
    return {"forward": [entry]}


def settled(collector: CollectorProcess) -> dict[str, Any]:
    def hop() -> dict[str, Any]:
        ledger = collector.get(f"/v1/clusters/{CLUSTER}").body["ledger"]
        return next(entry for entry in ledger if entry["hop"] == "forward:vendor")

    return eventually(hop, lambda now: now["queued"] == 0)


@pytest.mark.parametrize("trusts_bundle", [False, True])
def test_another_collector_counts_the_same_by_an_encrypted_connection(
    start: Start, tmp_path: Path, *, trusts_bundle: bool
) -> None:
    authority = Authority("test")
    issued = authority.issue("collector", ["localhost"])
    for name, content in (("tls.crt", issued.certificate), ("tls.key", issued.key), ("ca.crt", authority.certificate)):
        (tmp_path / name).write_text(content)
    (tmp_path / "tokens").write_text(f"{OTLP} otlp {CLUSTER}\n")
    tls = {"tls_cert_file": str(tmp_path / "tls.crt"), "tls_key_file": str(tmp_path / "tls.key")}
    central = CollectorProcess(tmp_path / "central", ingest={**tls, "tokens_file": str(tmp_path / "tokens")}).start()
    address = f"localhost:{central.otlp_grpc_port}"
    proxied = {**os.environ, "https_proxy": "http://127.0.0.1:1", "grpc_proxy": "http://127.0.0.1:1"}
    authorities = str(tmp_path / "ca.crt")
    trusted = {} if trusts_bundle else {"ca_file": authorities}
    proxied |= {"SSL_CERT_FILE": authorities} if trusts_bundle else {}
    config = forward(tmp_path, address, scheme="https", **trusted)
    try:
        collector = start(config=config, environment=proxied)

        for seq, client in enumerate(("orders", "billing", "orders"), 1):
            collector.push(batch([push(seq, counter_push(seq, time_ns=seq), client=f"of-{client}", client_id=client)]))

        assert settled(collector)["delivered"] == 3
        page = central.scrape()[CREATION_SERIES]
        assert {dict(labels)["client_id"]: total for labels, total in page.items()} == {"orders": 4, "billing": 2}
    finally:
        central.kill()


def test_a_request_is_sent_again_as_the_codes_say_and_what_is_refused_is_counted(
    start: Start, endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.answers = [
        (CODE.UNAVAILABLE, b""),
        (CODE.RESOURCE_EXHAUSTED, try_again_status("later", 1)),
        (CODE.PERMISSION_DENIED, b""),
    ]
    collector = start(config=forward(tmp_path, f"127.0.0.1:{endpoint.port}", secret="canary-5ecret"))
    collector.push(batch([push(1, counter_push(5)), push(2, b"garbage")]))
    assert settled(collector)["dropped"] == {"malformed": 1, "refused": 1}

    collector.push(batch([push(3, counter_push(7))]))

    ledger = settled(collector)
    assert (ledger["accepted"], ledger["delivered"]) == (3, 1)
    [(metadata, received)] = endpoint.received
    assert metadata["authorization"] == "Bearer canary-5ecret"
    [resource] = received.resource_metrics
    attributes = {attribute.key: attribute.value.string_value for attribute in resource.resource.attributes}
    assert attributes["service.instance.id"] == "instance-1"
    assert collector.value("kwitness_parser_errors_total", reason="forward_partial_success") == 2
    assert "PERMISSION_DENIED" in (log := collector.log.read_text())
    assert "refused: " in log
    assert "canary" not in log


def test_a_request_that_is_bad_or_too_large_is_split(start: Start, endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.answers = [(CODE.INVALID_ARGUMENT, b""), (CODE.RESOURCE_EXHAUSTED, b"")]
    collector = start(config=forward(tmp_path, f"127.0.0.1:{endpoint.port}"))

    collector.push(batch([push(1, counter_push(5)), push(2, counter_push(6))]))

    ledger = settled(collector)
    assert (ledger["delivered"], ledger["dropped"]) == (1, {"refused": 1})


@pytest.mark.parametrize("host", ["169.254.169.254", "[::ffff:169.254.169.254]"])
def test_a_link_local_address_gets_nothing(start: Start, host: str) -> None:
    entry = {"name": "vendor", "endpoint": f"http://{host}:4317", "protocol": "grpc"}
    collector = start(config={"forward": [entry]})

    collector.push(batch([push(1, counter_push(5))]))

    assert settled(collector)["dropped"] == {"address_denied": 1}
