"""Prometheus and an OpenTelemetry Collector as backends: two clients are two series, and sums are those of the page."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from kwitness.contracts.semantic_attributes import semantic_attributes
from kwitness.e2e.certificates import Authority

from tests.collector.backend_programs import OtelCollector, Prometheus, example
from tests.collector.collector_process import INTERCEPTOR, OTLP, CollectorProcess
from tests.collector.collector_samples import CLUSTER, CREATION_SERIES, batch, counter_push, labelled, push
from tests.collector.event_samples import request, totals
from tests.collector.interceptor_samples import intercepted, interceptors_request
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
SERIES = "org_apache_kafka_producer_connection_creation_total"
CLIENTS = {"orders": "instance-1", "billing": "instance-2"}


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    program = Prometheus(tmp_path_factory.mktemp("prometheus") / "program")
    yield program
    program.stop()


@pytest.fixture(scope="module")
def otelcol(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OtelCollector]:
    config = example("forward.md", "The configuration of an OpenTelemetry Collector.")
    program = OtelCollector(tmp_path_factory.mktemp("otelcol") / "program", config)
    yield program
    program.stop()


def forward(name: str, endpoint: str, temporality: str) -> dict[str, str]:
    return {"name": name, "endpoint": endpoint, "temporality": temporality}


class Pushing:
    """Two clients of one broker that push increments, now."""

    def __init__(self, collector: CollectorProcess) -> None:
        self._collector = collector
        self._seq = 0
        self.sums = dict.fromkeys(CLIENTS, 0)

    def push(self, **amounts: int) -> None:
        now_ns = time.time_ns()
        pushes = []
        for client, amount in amounts.items():
            self._seq += 1
            self.sums[client] += amount
            payload = counter_push(amount, start_ns=now_ns - 10**9, time_ns=now_ns)
            pushes.append(push(self._seq, payload, client=CLIENTS[client], client_id=client))
        assert self._collector.push(batch(pushes)).status == 200


def hops(collector: CollectorProcess) -> dict[str, dict[str, Any]]:
    ledger = collector.get(f"/v1/clusters/{CLUSTER}").body["ledger"]
    return {hop["hop"]: hop for hop in ledger if hop["hop"].startswith("forward:")}


def settled(collector: CollectorProcess, accepted: int) -> dict[str, dict[str, Any]]:
    """The hops of forwards once nothing waits."""
    return eventually(
        lambda: hops(collector),
        lambda now: all((hop["queued"], hop["accepted"]) == (0, accepted) for hop in now.values()),
    )


def exposed(collector: CollectorProcess) -> dict[str, float]:
    page = collector.scrape()[CREATION_SERIES]
    return {dict(labels)["client_id"]: value for labels, value in page.items()}


def test_two_clients_are_two_series_with_the_sums_of_the_page_over_a_kill(
    start: Start, prometheus: Prometheus, otelcol: OtelCollector
) -> None:
    entries = [
        forward("prometheus", prometheus.endpoint, "cumulative"),
        {**forward("otelcol", otelcol.grpc_endpoint, "cumulative"), "protocol": "grpc"},
    ]
    collector = start(config={"forward": entries})
    pushing = Pushing(collector)
    pushing.push(orders=5, billing=70)
    pushing.push(orders=2)
    assert {name: hop["delivered"] for name, hop in settled(collector, 3).items()} == {
        "forward:prometheus": 3,
        "forward:otelcol": 3,
    }

    collector.kill()
    collector.start()
    pushing.push(orders=1, billing=9)
    settled(collector, 2)

    page = exposed(collector)
    assert page == pushing.sums == {"orders": 8, "billing": 79}
    found = prometheus.query(SERIES)
    assert {(labels["job"], labels["instance"], labels["client_id"]): value for labels, value in found} == {
        (client, instance, client): page[client] for client, instance in CLIENTS.items()
    }
    [(_, total)] = prometheus.query(f"sum({SERIES})")
    assert total == sum(page.values())
    series = otelcol.scrape(SERIES)
    assert {(labels["job"], labels["instance"]): value for labels, value in series} == {
        (client, instance): page[client] for client, instance in CLIENTS.items()
    }


def test_an_opentelemetry_collector_adds_up_what_clients_sent(start: Start, tmp_path: Path) -> None:
    otelcol = OtelCollector(
        tmp_path / "otelcol", example("forward.md", "The configuration of an OpenTelemetry Collector.")
    )
    try:
        collector = start(config={"forward": [forward("otelcol", otelcol.endpoint, "asSent")]})
        pushing = Pushing(collector)
        for amounts in ({"orders": 5, "billing": 70}, {"orders": 2}):
            pushing.push(**amounts)

        settled(collector, 3)

        series = otelcol.scrape(SERIES)
        assert {labels["job"]: value for labels, value in series} == exposed(collector) == pushing.sums
    finally:
        otelcol.stop()


def test_deltas_that_prometheus_refuses_are_counted_and_logged(start: Start, prometheus: Prometheus) -> None:
    collector = start(config={"forward": [forward("prometheus", prometheus.endpoint, "asSent")]})

    Pushing(collector).push(orders=5, billing=70)

    hop = settled(collector, 2)["forward:prometheus"]
    assert (hop["accepted"], hop["delivered"], hop["queued"], hop["dropped"]) == (2, 0, 0, {"refused": 2})
    assert "invalid temporality" in collector.log.read_text()


def test_what_observers_and_interceptors_count_is_in_prometheus_as_on_the_page(
    start: Start, prometheus: Prometheus
) -> None:
    collector = start(config={"forward": [{**forward("counts", prometheus.endpoint, "asSent"), "sources": ["counts"]}]})
    for client in ("orders", "billing"):
        assert (
            collector.observe(request(totals=[totals(1 if client == "orders" else 2, client_id=client)])).status == 200
        )
    assert collector.observe(interceptors_request(totals=[intercepted(1)]), token=INTERCEPTOR).status == 200
    assert collector.push(batch([push(1, counter_push(5), client_id="pushed")])).status == 200
    page = {
        (name, comparable(dict(labels))): value
        for name, samples in collector.scrape().items()
        for labels, value in samples.items()
        if name.startswith("kafka_client_") and name != CREATION_SERIES
    }

    def found() -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        series = prometheus.query('{job="kwitness/kwitness-collector-main",instance="kwitness-collector-main-0"}')
        return {
            (labels.pop("__name__"), comparable(labels)): value
            for labels, value in series
            if labels["__name__"].startswith("kafka_client_")
        }

    assert len(page) > 20
    assert eventually(found, lambda now: now == page) == page
    # The push was not sent: the parts of counts alone are.
    assert not prometheus.query('{client_id="pushed"}')


def comparable(labels: dict[str, str]) -> frozenset[tuple[str, str]]:
    """Labels without those of the target, and bounds of buckets as numbers."""
    return frozenset(
        (name, repr(float(text)) if name == "le" else text)
        for name, text in labels.items()
        if name not in {"job", "instance"}
    )


def test_an_opentelemetry_collector_sends_with_the_example_for_plain_otlp(start: Start, tmp_path: Path) -> None:
    authority = Authority("test")
    issued = authority.issue("collector", ["localhost"])
    for name, content in (("tls.crt", issued.certificate), ("tls.key", issued.key), ("ca.crt", authority.certificate)):
        (tmp_path / name).write_text(content)
    (tmp_path / "tokens").write_text(f"{OTLP} otlp {CLUSTER}\n")
    (tmp_path / "token").write_text(OTLP)
    files = {"tls_cert_file": str(tmp_path / "tls.crt"), "tls_key_file": str(tmp_path / "tls.key")}
    collector = start(config={"ingest": {**files, "tokens_file": str(tmp_path / "tokens")}})
    places = {
        "/var/run/kwitness/token": str(tmp_path / "token"),
        "/etc/kwitness/ca.crt": str(tmp_path / "ca.crt"),
        "kwitness-collector-main.kwitness.svc:4318": f"localhost:{collector.otlp_http_port}",
    }
    config = example("managed-kafka.md", "The configuration of an OpenTelemetry Collector.")
    otelcol = OtelCollector(tmp_path / "otelcol", config, places)
    try:
        attributes = semantic_attributes({"client_id": "orders", "client_instance_id": "1", "cluster_id": CLUSTER})
        body = labelled(counter_push(7, time_ns=time.time_ns()), **attributes)

        sent = requests.post(
            otelcol.endpoint, data=body, headers={"Content-Type": "application/x-protobuf"}, timeout=30
        )

        assert sent.status_code == 200, otelcol.log
        eventually(
            lambda: collector.value(CREATION_SERIES, client_id="orders", cluster_id=CLUSTER), lambda now: now == 7
        )
    finally:
        otelcol.stop()
