"""What the collector exposes of itself is what the registry says, and the ledger can be checked from it alone."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping

import pytest
import requests

from kwitness.collector.inventory.reporters import FORGET_AFTER_MS
from kwitness.collector.own_exposition import render_own
from kwitness.contracts.envelopes import InterceptorsHead
from kwitness.contracts.own_metrics import OWN_METRICS, own_metric
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.collector.collector_process import INTERCEPTOR, OTLP, SIDECAR, CollectorProcess
from tests.collector.collector_samples import CLUSTER, batch, counter_push, gauge_push, gauges, labelled, push
from tests.collector.event_samples import CLIENT, EPOCH, connections, of_sidecar, request, row, totals
from tests.collector.interceptor_samples import intercepted, interceptors_head, interceptors_request
from tests.collector.test_event_numbers import observation
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
Samples = Mapping[str, Mapping[frozenset[tuple[str, str]], float]]
CLIENT_INFO = "kwitness_client_info"
UNCERTAIN_ENDS = "kwitness_interceptor_uncertain_ends_total"
MINUTES_LATER = {UNCERTAIN_ENDS, "kwitness_client_silent_since_seconds"}


@pytest.fixture
def black_hole() -> Iterator[str]:
    """An endpoint that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1/metrics"


def make_everything_happen(collector: CollectorProcess) -> None:
    sound = push(1, counter_push(5))
    collector.push(batch([sound, sound, push(2, b"garbage")]))
    unwanted = gauge_push("app.unwanted.thing", 1.0), gauge_push("app.wanted", 1.0, unwanted="yes")
    collector.push(batch([push(50 + n, payload) for n, payload in enumerate(unwanted)]))
    software = {"client_software_name": "apache-kafka-java", "client_software_version": "4.3.1"}
    place = {"k8s_namespace": "n", "k8s_workload": "w", "k8s_pod": "p"}
    data = labelled(
        gauge_push("app.other", 1.0), client_id="plain", group_id="g", cluster_id=CLUSTER, **software, **place
    )
    headers = {"Content-Type": "application/x-protobuf"}
    collector.post("/v1/metrics", data, token=OTLP, headers=headers, port=collector.otlp_http_port)
    collector.push(batch([push(3, gauge_push("app.thing", 1.0)), push(4, counter_push(2, name="app.thing"))]))
    collector.push(batch([push(5, counter_push(1), client="long", client_id="x" * 1000)]))
    collector.push(batch([push(9 + n, counter_push(1), client=f"i{n}", client_id=f"c{n}") for n in range(30)]))
    ledger = {"accepted": 9, "delivered": 4, "queued": 3, "dropped": {"queue_full": 2}}
    sensors = {"instances": 3, "throttled": 1, "unknown_subscription": 1, "plugin_errors": 1}
    collector.post("/v1/gauges", gauges({("sarama", "1.40"): 2, ("kgo", "v1.21.3"): 1}, ledger=ledger, sensors=sensors))
    # Labels of sidecars are absent from what gateways report. The first process was killed.
    killed = request(epoch=EPOCH - 10_000, state={"sealed_until_ms": EPOCH - 5_000}, **of_sidecar())
    collector.observe(killed, token=SIDECAR)
    counts = {"opaque": {"tls": 1}, "unread": {"too_long": 1}, "api_versions": {"named": 1}}
    state = {**counts, "by_state": {"observed": 1}, "relay_only_until_ms": 1_760_000_600_000, "ledger": ledger}
    many = [totals(seq, client_id=f"c{seq}") for seq in range(2, 30)]
    many[0]["traffic"][0] |= {"fetch_lag": 3, "fetch_lag_ms": 1, "held_by_transaction": 1, "batches": {"zstd": 2}}
    many[0]["apis"][0] |= {"acks": {"all": 3}, "idempotent_requests": 3}
    many[2]["groups"] = [{"group_id": "readers", "topic": "orders", "committed_lag": 4, "committed_lag_ms": 1}]
    back = {"principal": "User:a", "client_id": "a", "commits": 1, "most_records": 9}
    many[2]["commits_back"] = [{"group_id": "readers", "topic": "orders", **back}]
    many[1]["apis"][0] |= {"api": "Fetch", "empty_responses": 2, "longest_gap_us": 1_500_000}
    ended = row(1, "connections", kind="closed", end="broker", last_error=58, **CLIENT)
    body = request([ended], totals=many, connections=connections(1), state=state, **of_sidecar())
    collector.observe(body, token=SIDECAR)
    collector.observe(interceptors_request(totals=[intercepted(1)]), token=INTERCEPTOR)


def test_every_metric_of_the_registry_is_exposed_with_its_type_labels_and_help(start: Start) -> None:
    unwanted = {"deny": ["app.unwanted."], "drop_attributes": ["unwanted"]}
    collector = start(config={"prometheus": {"max_series": 20, "client_addresses": True}, "filter": unwanted})
    make_everything_happen(collector)

    text = collector.scrape_text()

    expected = {one.name: one for one in OWN_METRICS if "collector" in one.source.split(", ")}
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
    helps = dict(re.findall(r"^# HELP (\S+) (.+)$", text, re.MULTILINE))
    samples = collector.scrape()
    expected = {name: metric for name, metric in expected.items() if name not in MINUTES_LATER}
    assert {name for name in types if name.startswith("kwitness_") or name in expected} == set(expected)
    for name, metric in expected.items():
        assert types[name] == metric.type
        assert helps[name]
        sampled = samples[f"{name}_count" if metric.type == "histogram" else name]
        labels = {frozenset(key for key, _ in sample) for sample in sampled}
        if name == CLIENT_INFO:  # no client has a broker, a pod and an owner in these tests
            assert frozenset.union(*labels) == set(metric.labels) - {"owner", "contact"}
        else:
            assert {one | ({"reason"} & set(metric.labels)) for one in labels} == {frozenset(metric.labels)}, name
    wrong = samples["kafka_client_software_known_wrong"]
    assert {dict(labels)["known_wrong"] for labels in wrong} == {
        "WrongRatesAndMeans",
        "LostLastPush",
        "LostAfterAttribute",
    }
    assert collector.value("kwitness_plugin_queued_events") == 3
    assert (collector.value("kwitness_series_overflow_total", reason="observers") or 0) > 0


def test_a_process_whose_interceptors_fell_silent_is_exposed_as_an_uncertain_end() -> None:
    door = observation()
    door.interception.reporters.record(InterceptorsHead.model_validate(interceptors_head()), EPOCH)
    door.expire(EPOCH + FORGET_AFTER_MS + 1)

    text = render_own(door._pipeline, door, {}, 0, openmetrics=False).decode()

    (sample,) = re.findall(rf"^{UNCERTAIN_ENDS}{{(.*)}} 1$", text, re.MULTILINE)
    assert sorted(re.findall(r"(\w+)=", sample)) == sorted(own_metric(UNCERTAIN_ENDS).labels)
    assert f"# TYPE {UNCERTAIN_ENDS} counter" in text


def closes(samples: Samples) -> dict[str, dict[str, float]]:
    """Check each hop's equation from the exposition alone, and return outcomes by hop."""
    hops: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for labels, count in samples["kwitness_ledger_events_total"].items():
        hops[dict(labels)["hop"]][dict(labels)["outcome"]] += count
    for labels, count in samples["kwitness_ledger_queued_events"].items():
        hops[dict(labels)["hop"]]["queued"] += count
    for name, hop in hops.items():
        assert hop["accepted"] == hop["delivered"] + hop["queued"] + hop["dropped"], (name, dict(hop))
    return hops


@pytest.mark.broker
def test_the_exposed_ledger_closes_at_every_hop_while_the_collector_is_killed_again_and_again(
    start: Start, broker: LocalBroker, black_hole: str
) -> None:
    collector = start(bootstrap=broker.bootstrap, config={"forward": [{"name": "gone", "endpoint": black_hole}]})
    ended = threading.Event()
    epoch = time.time_ns() // 1_000_000

    def send() -> None:
        seq = 0
        while not ended.is_set():
            pushes = [push(seq, counter_push(1)), push(seq + 1, b"garbage"), push(seq + 1, b"garbage")]
            with contextlib.suppress(requests.ConnectionError, requests.Timeout):
                if collector.push(batch(pushes, epoch=epoch)).status == 200:
                    seq += 2

    sender = threading.Thread(target=send)
    sender.start()
    epochs = set()

    def look() -> dict[str, dict[str, float]]:
        samples = collector.scrape()
        epochs.add(*samples["kwitness_ledger_epoch"].values())
        return closes(samples)

    try:
        for _ in range(3):
            for _ in range(8):
                look()
                time.sleep(0.1)
            hops = eventually(look, lambda hops: hops.get("forward:gone", {}).get("queued", 0) > 0)
            assert set(hops) == {"receive", "topic", "prometheus", "forward:gone", "events", "events_topic"}
            assert hops["forward:gone"]["delivered"] == 0
            collector.kill()
            collector.start()
    finally:
        ended.set()
        eventually(lambda: not sender.is_alive())
    assert len(epochs) == 3
    hops = closes(collector.scrape())
    assert hops["receive"]["queued"] == hops["topic"]["queued"] == hops["prometheus"]["queued"] == 0
