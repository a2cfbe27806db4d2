"""A collector between strangers and a neighbour: it answers each, and the neighbour's numbers go on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from google.protobuf import json_format
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kwitness.collector.prometheus.exposition import OPENMETRICS

from tests.collector import event_samples, interceptor_samples, otlp_requests
from tests.collector.collector_process import INTERCEPTOR, OTLP, SIDECAR, CollectorProcess
from tests.collector.collector_samples import CREATION_SERIES, batch, counter_push, gauges, java_push, push
from tests.eventually import eventually
from tests.soak import share
from tests.strangers.json_documents import nearly
from tests.strangers.metrics_data import TEXTS, metrics

pytestmark = [pytest.mark.slow, pytest.mark.soak]
EXPORT = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
NEIGHBOUR = "neighbour"
LATER = {429, 503}
ANSWERS = {
    grpc.StatusCode.OK,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.UNAVAILABLE,
}
OTLP_JSON = json.loads(json_format.MessageToJson(otlp_requests.request("app.orders", 1)))
OBSERVER = event_samples.head(**event_samples.of_sidecar(), totals=[event_samples.totals(1)])
REPORTER = interceptor_samples.interceptors_head(totals=[interceptor_samples.intercepted(1)])
exhaustively = settings(max_examples=share(400))


class Neighbour:
    """A client that sends one more with each push, and what a page must say of it."""

    def __init__(self, collector: CollectorProcess) -> None:
        self.collector = collector
        self.sent = 0
        self._push()

    def goes_on(self) -> None:
        """Fail unless the process lives, its page can be read, and the neighbour's next push counts."""
        self._push()
        found = self.collector.scrape()
        assert found[CREATION_SERIES][self._labels(found)] == self.sent
        assert self.collector.scrape_text(OPENMETRICS).endswith("# EOF\n")

    def _push(self) -> None:
        self.sent += 1
        body = batch([push(self.sent, counter_push(1), client=NEIGHBOUR, client_id=NEIGHBOUR)], epoch=7)
        assert self.collector.deliver(body).status == 200

    def _labels(self, found: dict[str, dict[frozenset[tuple[str, str]], float]]) -> frozenset[tuple[str, str]]:
        [labels] = [labels for labels in found[CREATION_SERIES] if ("client_id", NEIGHBOUR) in labels]
        return labels


@pytest.fixture(scope="module")
def neighbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neighbour]:
    collector = CollectorProcess(tmp_path_factory.mktemp("between")).start()
    yield Neighbour(collector)
    collector.kill()


@pytest.fixture(scope="module")
def channel(neighbour: Neighbour) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(f"127.0.0.1:{neighbour.collector.otlp_grpc_port}") as channel:
        yield channel


def answered(ask: Callable[[], Any]) -> None:
    """Fail unless the answer, later if need be, is that it was taken or what is wrong with it."""
    answer = eventually(ask, lambda answer: answer.status not in LATER or "InternalError" in str(answer.body))
    assert answer.status < 500, answer
    assert answer.status < 400 or answer.body, "says no reason"


@exhaustively
@given(st.lists(metrics(), min_size=1, max_size=3), TEXTS, TEXTS)
def test_pushes_of_strangers(neighbour: Neighbour, payloads: list[bytes], client: str, version: str) -> None:
    who = {"client_id": client, "client_software_version": version}
    pushes = [push(neighbour.sent * 10 + number, payload, **who) for number, payload in enumerate(payloads, start=1)]

    answered(lambda: neighbour.collector.push(batch(pushes, broker="2")))

    neighbour.goes_on()


@exhaustively
@given(nearly(batch([push(1, java_push())], broker="2")), nearly(gauges({("librdkafka", "2.3.0"): 2}, broker="2")))
def test_envelopes_of_strangers(neighbour: Neighbour, pushes: Any, connections: Any) -> None:
    for path, document in {"/v1/pushes": pushes, "/v1/gauges": connections}.items():
        answered(lambda path=path, document=document: neighbour.collector.post(path, document))

    neighbour.goes_on()


@exhaustively
@given(metrics(), nearly(OTLP_JSON))
@example(b"", {"resourceMetrics": [{"\ud800": 1}]})
@example(b"", {"resourceMetrics": ["\ud800"]})
@example(
    b"", {"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"sum": {"aggregationTemporality": float("inf")}}]}]}]}
)
def test_otlp_of_strangers(neighbour: Neighbour, channel: grpc.Channel, data: bytes, document: Any) -> None:
    collector = neighbour.collector
    answered(lambda: otlp_requests.post(collector, data))
    in_json = {"Content-Type": "application/json"}
    answered(
        lambda: collector.post("/v1/metrics", document, token=OTLP, headers=in_json, port=collector.otlp_http_port)
    )
    signed = (("authorization", f"Bearer {OTLP}"),)
    assert channel.unary_unary(EXPORT).future(data, metadata=signed, timeout=30).code() in ANSWERS

    neighbour.goes_on()


@exhaustively
@given(nearly(OBSERVER), nearly(REPORTER), st.integers(0, 2**64))
def test_what_pods_of_strangers_say_of_themselves(neighbour: Neighbour, observer: Any, reporter: Any, seq: int) -> None:
    for token, head in {SIDECAR: observer, INTERCEPTOR: reporter}.items():
        line = json.dumps({"event_seq": seq}).encode()
        rows = [{"seq": seq, "topic": "traffic", "key": "key", "bytes": len(line)}]
        body = json.dumps({"rows": rows, **head} if isinstance(head, dict) else head).encode() + b"\n" + line + b"\n"
        answered(lambda token=token, body=body: neighbour.collector.observe(body, token=token))

    neighbour.goes_on()
