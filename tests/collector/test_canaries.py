"""What is filtered, hashed or dropped is found nowhere: every sink is searched, byte by byte, for what was pushed."""

from __future__ import annotations

import base64
import gzip
import json
import re
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote

import grpc
import pytest
import requests
import zstandard
from confluent_kafka.admin import AdminClient, NewTopic
from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2_grpc import MetricsServiceStub
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.privacy.names import attribute_names
from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.identity_hashing import identity_hash
from kwitness.contracts.resources.privacy import TelemetryIdentity
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.collector.collector_process import OTLP, TOPICS, CollectorProcess
from tests.collector.collector_samples import CLUSTER, DELTA, add_number, batch, gauges, push
from tests.collector.otlp_endpoint import Endpoint
from tests.collector.test_collector_pipeline import read_topic
from tests.eventually import eventually

pytestmark = pytest.mark.broker
Start = Callable[..., CollectorProcess]
Run = Callable[..., tuple[CollectorProcess, dict[str, bytes]]]

KEY = "kept in the Secret of this test alone"
_KEYS = get_args(TelemetryIdentity.model_fields["key"].annotation)
TREATED = [key for key in IDENTITY_KEYS if key in _KEYS]
PUSHED = ["principal", "client_id", "client_instance_id", "client_address", "client_source_port"]
"""What a plugin says itself of who pushed; all else is in the payload."""
PORT = 61_973
FILTER = {
    "allow": ["org.apache.kafka.", "app."],
    "deny": ["org.apache.kafka.secret."],
    "drop_attributes": ["topic", "app.customer"],
}


def canary(way: str, name: str) -> str:
    """A value that is nowhere else."""
    return f"canary-{way}-{name.replace('_', '-').replace('.', '-')}"


def value_of(way: str, key: str) -> str:
    return str(PORT) if key == "client_source_port" else canary(way, key)


def payload(way: str, *, names: Mapping[str, str]) -> MetricsData:
    """One push with canaries in every place; ``names`` are resource attributes by what their canary is called."""
    data = MetricsData()
    add_number(data, "org.apache.kafka.producer.connection.creation.total", 1.0, temporality=DELTA)
    add_number(data, f"org.apache.kafka.secret.{canary(way, 'metric')}", 1.0, temporality=DELTA)
    add_number(data, canary(way, "not-allowed"), 1.0)
    add_number(data, "app.sent", 2.0, temporality=DELTA, attributes={"topic": canary(way, "topic"), "node": way})
    add_number(data, "app.sent", 3.0, temporality=DELTA, attributes={"topic": canary(way, "other-topic"), "node": way})
    add_number(data, "app.lag", 4.0, attributes={"client-id": canary(way, "point"), "node": way})
    [one] = data.resource_metrics
    for name, attribute in names.items():
        one.resource.attributes.add(key=attribute).value.string_value = canary(way, name)
    nested = one.resource.attributes.add(key="app.map").value.kvlist_value.values
    nested.add(key="app.customer").value.string_value = canary(way, "nested")
    nested.add(key="group.id").value.string_value = canary(way, "nested-group")
    scope = one.scope_metrics[0]
    scope.scope.attributes.add(key="app.customer").value.string_value = canary(way, "scope")
    exemplar = scope.metrics[0].sum.data_points[0].exemplars.add(as_int=1)
    exemplar.filtered_attributes.add(key="app.customer").value.string_value = canary(way, "exemplar")
    return data


IN_EVERY_PUSH = (
    "metric",
    "not-allowed",
    "topic",
    "other-topic",
    "point",
    "nested",
    "nested-group",
    "scope",
    "exemplar",
)
OF_A_RESOURCE = [key for key in TREATED if key not in PUSHED]
CONVENTIONS = {key: min(attribute_names(key) - {key}, default=key) for key in TREATED if key != "client_source_port"}


def canaries() -> set[str]:
    """Everything that is pushed and is to be seen nowhere."""
    found = {value_of("plugin", key) for key in TREATED}
    found |= {canary("compressed", name) for name in [*IN_EVERY_PUSH, *OF_A_RESOURCE]}
    found |= {canary("plugin", name) for name in IN_EVERY_PUSH}
    for way in ("http", "json", "grpc"):
        found |= {canary(way, name) for name in [*IN_EVERY_PUSH, *CONVENTIONS]}
    return found | {canary("broken", "payload"), *OF_A_HEARTBEAT}


OF_A_HEARTBEAT = {canary("heartbeat", "asking"), canary("heartbeat", "worst")}
"""Instances of which no push is known."""
OF_A_SENSOR = {canary("heartbeat", "worst")}
"""Named only where it asks, too."""
ANSWERS = {
    "/v1/clients",
    "/v1/clients/metrics",
    "/v1/subscriptions",
    "/v1/subscriptions/all",
    "/v1/silent",
}


def deliver(collector: CollectorProcess) -> None:
    """Push by every way there is."""
    by_key = {key: key for key in OF_A_RESOURCE}
    plain = payload("plugin", names=by_key).SerializeToString()
    small = zstandard.ZstdCompressor().compress(payload("compressed", names=by_key).SerializeToString())
    of_plugin: dict[str, Any] = {key: value_of("plugin", key) for key in PUSHED} | {"client_source_port": PORT}
    instance = of_plugin.pop("client_instance_id")
    compressed = {"payload_compression": "zstd", "payload": base64.b64encode(small).decode()}
    broken = b"\x0a\xff" + canary("broken", "payload").encode()
    pushes = [
        push(1, plain, client=instance, **of_plugin),
        {**push(2, client=instance, **of_plugin), **compressed},
        push(3, broken, client=instance, **of_plugin),
    ]
    assert collector.deliver(batch(pushes)).body == {"accepted": 3, "duplicates": 0, "rejected": []}

    def export(way: str) -> ExportMetricsServiceRequest:
        return ExportMetricsServiceRequest.FromString(payload(way, names=CONVENTIONS).SerializeToString())

    for content_type, body in (
        ("application/x-protobuf", export("http").SerializeToString()),
        ("application/json", json_format.MessageToJson(export("json")).encode()),
    ):
        headers = {"Content-Type": content_type}
        answer = collector.post("/v1/metrics", body, token=OTLP, headers=headers, port=collector.otlp_http_port)
        assert answer.status == 200, answer
    with grpc.insecure_channel(f"127.0.0.1:{collector.otlp_grpc_port}") as channel:
        MetricsServiceStub(channel).Export(export("grpc"), metadata=[("authorization", f"Bearer {OTLP}")], timeout=30)
    asking, worst = canary("heartbeat", "asking"), canary("heartbeat", "worst")
    sensors = {"throttled": 3, "worst": [{"client_instance_id": worst, "throttled": 3}]}
    heartbeat = gauges({("librdkafka", "2.16.0"): 1}, asking=[instance, asking], sensors=sensors)
    assert collector.post("/v1/gauges", heartbeat).status == 200


def answers(collector: CollectorProcess) -> Iterator[tuple[str, bytes]]:
    """Everything that somebody could ask the collector."""
    for accept in ("", "application/openmetrics-text"):
        yield "metrics", collector.scrape_text(accept).encode()
    url = f"http://127.0.0.1:{collector.metrics_port}/metrics"
    yield "metrics", requests.get(url, headers={"Accept-Encoding": "gzip"}, timeout=30).content
    paths = ["/v1/clients", "/v1/subscriptions", "/v1/subscriptions/all", "/v1/silent", f"/v1/clusters/{CLUSTER}"]
    instances = {one.get("client_instance_id") for one in collector.get("/v1/clients").body["items"]} - {None}
    for path in [*paths, *(f"/v1/clients/{quote(one)}/metrics" for one in instances)]:
        found = collector.get(path)
        assert found.status == 200, path
        sink = "/v1/clients/metrics" if path.endswith("/metrics") else path
        yield sink, json.dumps(found.body, ensure_ascii=False).encode()


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Journals and snapshots, as they are and as they are read."""
    for path in folder.iterdir():
        content = path.read_bytes()
        yield path.name.partition("-")[0], gzip.decompress(content) if path.suffix == ".gz" else content
        yield path.name.partition("-")[0], content


def records(broker: LocalBroker, topics: Mapping[str, str], counts: Mapping[str, int]) -> Iterator[tuple[str, bytes]]:
    """What consumers of the topics get: keys, headers and values."""
    for topic, count in counts.items():
        found = read_topic(broker, topics[topic], lambda _: True, count)
        assert len(found) == count, topic
        for message in found:
            headers = b"\0".join(name.encode() + b"\0" + value for name, value in message.headers() or [])
            yield topic, b"\0".join((message.key() or b"", headers, message.value() or b""))


def found_in(sinks: Mapping[str, bytes]) -> dict[str, set[str]]:
    """Return the canaries of each sink."""
    wanted = {text: re.compile(rb"(?<!\d)%b(?!\d)" % re.escape(text.encode())) for text in canaries()}
    return {sink: {text for text, one in wanted.items() if one.search(content)} for sink, content in sinks.items()}


def joined(pieces: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    sinks: dict[str, bytes] = {}
    for sink, content in pieces:
        sinks[sink] = sinks.get(sink, b"") + b"\0" + content
    return sinks


@pytest.fixture
def topics(request: pytest.FixtureRequest, broker: LocalBroker) -> dict[str, str]:
    """Topics of this test alone."""
    name = re.sub(r"\W", "-", request.node.name)
    own = {**TOPICS, "telemetry": f"{name}.telemetry", "connections": f"{name}.connections"}
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    wanted = [NewTopic(own[one], 1, 1) for one in ("telemetry", "connections")]
    for future in admin.create_topics(wanted).values():
        future.result()
    return own


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.shutdown()


@pytest.fixture
def run(start: Start, broker: LocalBroker, topics: dict[str, str], endpoint: Endpoint, tmp_path: Path) -> Run:
    """Push everything through a collector that has all sinks; returns it, and what each sink has."""

    def go(**settings: Any) -> tuple[CollectorProcess, dict[str, bytes]]:
        (tmp_path / "key").write_text(KEY)
        collector = start(
            bootstrap=broker.bootstrap,
            config={
                "topics": topics,
                "prometheus": {"labels": list(IDENTITY_KEYS)},
                "forward": [{"name": "vendor", "endpoint": f"http://{endpoint.address}/v1/metrics"}],
                "identity_key_file": str(tmp_path / "key"),
                **settings,
            },
        )
        collector.subscribe(
            [{"id": "all", "metrics": ["*"]}, {"id": "some", "metrics": ["app."], "match": {"client_id": "canary.*"}}]
        )
        deliver(collector)
        written = 5 if settings else 6  # what cannot be read is written only where nothing is filtered
        eventually(lambda: len(endpoint.received) and _forwarded(collector), lambda now: now["queued"] == 0)
        sinks = [*answers(collector), *files(collector.folder / "state-0")]
        sinks += records(broker, topics, {"telemetry": written, "connections": 1})
        sinks += [("forward", one.SerializeToString()) for _, one in endpoint.received]
        collector.kill()
        collector.start()
        sinks += answers(collector)
        collector.stop(signal.SIGTERM)
        sinks += files(collector.folder / "state-0")
        sinks.append(("log", collector.log.read_bytes()))
        return collector, joined(sinks)

    return go


def _forwarded(collector: CollectorProcess) -> Any:
    ledger = collector.get(f"/v1/clusters/{CLUSTER}").body["ledger"]
    return next(one for one in ledger if one["hop"] == "forward:vendor")


def test_without_settings_every_canary_is_found_where_it_belongs(run: Run) -> None:
    _, sinks = run()

    found = found_in(sinks)

    assert set().union(*found.values()) == canaries() - OF_A_SENSOR
    for sink in ANSWERS | {"metrics", "journal", "state.jsonl.gz", "telemetry", "forward"}:
        assert found[sink], sink
    # The bytes in the topic are those that were pushed.
    assert canary("broken", "payload") in found["telemetry"]
    by_key = {key: key for key in OF_A_RESOURCE}
    assert payload("plugin", names=by_key).SerializeToString() in sinks["telemetry"]
    assert b"filtered" not in sinks["telemetry"] + sinks["/v1/clients"]


def test_what_is_dropped_and_filtered_is_found_nowhere(run: Run) -> None:
    _, sinks = run(filter=FILTER, identity=dict.fromkeys(TREATED, "drop"))

    assert {sink: found for sink, found in found_in(sinks).items() if found} == {}
    assert b"filtered\0true" in sinks["telemetry"]
    assert b'"filtered": true' in sinks["/v1/clients"]
    assert b"hash-" not in b"".join(sinks.values())


def test_what_is_hashed_and_filtered_is_found_nowhere_but_as_its_hash(run: Run) -> None:
    identity = {key: "drop" if key == "client_source_port" else "hash" for key in TREATED}
    _, sinks = run(filter=FILTER, identity=identity)

    assert {sink: found for sink, found in found_in(sinks).items() if found} == {}
    for key in set(TREATED) - {"client_source_port"}:
        expected = identity_hash(KEY.encode(), key, value_of("plugin", key)).encode()
        # What a plugin says is in headers; what the client itself says, in the payload.
        assert expected in sinks["telemetry"], key
        if key in PUSHED:
            assert expected in sinks["/v1/clients"], key
        assert expected in sinks["journal"], key
        assert expected in sinks["forward"], key
    point = identity_hash(KEY.encode(), "client_id", canary("grpc", "point")).encode()
    assert point in sinks["metrics"]
    assert KEY.encode() not in b"".join(sinks.values())
