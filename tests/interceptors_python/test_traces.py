"""A record is traced over three programs' hops; the broker is librdkafka's mock cluster, OpenTelemetry the real one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kwitness_interceptors.adding.checksum import checksum

from .injected import injected_folder, pod_environment, run_program
from .opentelemetry_packages import opentelemetry_packages

pytestmark = pytest.mark.slow

COLLECTOR = "http://127.0.0.1:1"
HOPS = """
import json, sys
import confluent_kafka
from confluent_kafka import DeserializingConsumer, SerializingProducer

upper = lambda value, _: value.upper().encode()
lower = lambda value, _: value.decode().lower()
first = SerializingProducer({"bootstrap.servers": "mock.invalid:1", "test.mock.num.brokers": 1, "log_level": 0,
                             "client.id": "shop", "value.serializer": upper})
(broker,) = first.list_topics(timeout=20).brokers.values()
servers = {"bootstrap.servers": f"{broker.host}:{broker.port}", "log_level": 0}
second = confluent_kafka.Producer(servers | {"client.id": "shipping"})

def consumer(topic, kind=confluent_kafka.Consumer, **more):
    config = {"group.id": topic, "auto.offset.reset": "earliest"} | {k.replace("_", "."): v for k, v in more.items()}
    made = kind(servers | config)
    made.assign([confluent_kafka.TopicPartition(topic, 0, 0)])
    return made

def received(from_consumer):
    for _ in range(60):
        message = from_consumer.poll(1)
        if message is not None and message.error() is None:
            return message
    sys.exit("nothing came")

def shown(message):
    return {key: value.hex() for key, value in message.headers()}
"""
TRACING = {"name": "tracing", "type": "Tracing", "header": "shop.trace"}
CHECKSUM = {"name": "checksum", "type": "Checksum"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return injected_folder(tmp_path_factory.mktemp("kwitness") / "python")


def said(program: str, tmp_path: Path, *folders: Path, **changes: Any) -> Any:
    """Run a program whose last line is JSON."""
    done = run_program(HOPS + program, *folders, environment=pod_environment(tmp_path, COLLECTOR, **changes))

    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def text(headers: dict[str, str], key: str) -> str:
    return bytes.fromhex(headers[key]).decode()


def test_a_trace_goes_on_over_three_hops_with_headers_that_are_passed_on(folder: Path, tmp_path: Path) -> None:
    program = """
first.produce("orders", value="order", partition=0, headers=[("tracestate", b"congo=1"), ("tenant", b"eu")])
first.flush(20)
one = received(consumer("orders", DeserializingConsumer, value_deserializer=lower))
second.produce("shipped", b"sent", partition=0, headers=[h for h in one.headers() if h[0] != "kwitness.checksum"])
second.flush(20)
two = received(consumer("shipped"))
print(json.dumps([one.value(), shown(one), shown(two), "opentelemetry" in sys.modules]))
"""
    value, one, two, loaded = said(
        program, tmp_path, folder, opentelemetry_packages(), interceptors=[TRACING, CHECKSUM]
    )

    assert value == "order"
    assert one["traceparent"] == two["traceparent"]
    assert text(one, "traceparent")[3:35] == text(one, "shop.trace") == text(two, "shop.trace")
    assert [text(each, "tracestate") for each in (one, two)] == ["congo=1", "congo=1"]
    assert [text(each, "tenant") for each in (one, two)] == ["eu", "eu"]
    # Of the bytes that were sent, after the serializer.
    assert one["kwitness.checksum"] == checksum(None, b"ORDER").hex()
    assert two["kwitness.checksum"] == checksum(None, b"sent").hex()
    assert not loaded


SDK = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
exporter = InMemorySpanExporter()
trace.set_tracer_provider(TracerProvider())
trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(exporter))
tracer = trace.get_tracer("application")

def spans():
    return [[one.name, one.kind.name, f"{one.context.trace_id:032x}", f"{one.context.span_id:016x}",
             f"{one.parent.span_id:016x}" if one.parent else None] for one in exporter.get_finished_spans()]
"""


def test_spans_of_three_hops_hang_together_where_the_application_has_opentelemetry(
    folder: Path, tmp_path: Path
) -> None:
    program = (
        SDK
        + """
from opentelemetry.propagate import extract
with tracer.start_as_current_span("checkout"):
    first.produce("orders", value="order", partition=0)
first.flush(20)
one = received(consumer("orders", DeserializingConsumer, value_deserializer=lower))
carrier = {key: value.decode() for key, value in one.headers() if key == "traceparent"}
with tracer.start_as_current_span("ship", context=extract(carrier)):
    second.produce("shipped", b"sent", partition=0)
second.flush(20)
two = received(consumer("shipped"))
print(json.dumps([spans(), shown(one), shown(two)]))
"""
    )
    spans, one, two = said(program, tmp_path, folder, opentelemetry_packages(), interceptors=[TRACING])

    by_name = {name: (kind, trace, span, parent) for name, kind, trace, span, parent in spans}
    assert {trace for _, trace, _, _ in by_name.values()} == {text(one, "shop.trace")} == {text(two, "shop.trace")}
    assert set(by_name) == {"checkout", "send orders", "poll orders", "ship", "send shipped", "poll shipped"}
    parents = {
        name: next((other for other in by_name if by_name[other][2] == one[3]), None) for name, one in by_name.items()
    }
    assert parents == {
        "checkout": None,
        "send orders": "checkout",
        "poll orders": "send orders",
        "ship": "send orders",
        "send shipped": "ship",
        "poll shipped": "send shipped",
    }
    assert {name: one[0] for name, one in by_name.items() if " " in name} == {
        "send orders": "PRODUCER",
        "poll orders": "CONSUMER",
        "send shipped": "PRODUCER",
        "poll shipped": "CONSUMER",
    }
    assert text(one, "traceparent")[36:52] == by_name["send orders"][2]


def test_the_instrumentation_of_opentelemetry_comes_first_where_both_are_there(folder: Path, tmp_path: Path) -> None:
    program = (
        SDK
        + """
from opentelemetry.instrumentation.confluent_kafka import ConfluentKafkaInstrumentor
instrumented = ConfluentKafkaInstrumentor.instrument_producer(second, trace.get_tracer_provider())
instrumented.produce("orders", b"order", partition=0)
second.flush(20)
one = received(consumer("orders"))
print(json.dumps([spans(), one.headers() and [[key, value.decode()] for key, value in one.headers()]]))
"""
    )
    spans, headers = said(
        program, tmp_path, folder, opentelemetry_packages(), interceptors=[{"name": "tracing", "type": "Tracing"}]
    )

    [theirs] = spans
    assert not theirs[0].startswith(("send ", "poll "))
    assert [key for key, _ in headers].count("traceparent") == 1
    assert dict(headers)["traceparent"].split("-")[1:3] == theirs[2:4]


def test_the_active_span_counts_also_where_spans_are_made_by_nobody(folder: Path, tmp_path: Path) -> None:
    program = """
from opentelemetry import trace
context = trace.SpanContext(0x4bf92f3577b34da6a3ce929d0e0e4736, 0xf067aa0ba902b7, False, trace.TraceFlags(0))
with trace.use_span(trace.NonRecordingSpan(context)):
    second.produce("orders", b"order", partition=0, headers={"traceparent": "00-" + "1" * 32 + "-" + "2" * 16 + "-01"})
second.produce("orders", b"later", partition=0)
second.flush(20)
reader = consumer("orders")
print(json.dumps([shown(received(reader)), shown(received(reader))]))
"""
    one, two = said(program, tmp_path, folder, opentelemetry_packages(), interceptors=[TRACING])

    assert text(one, "traceparent") == "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
    assert text(two, "traceparent").endswith("-01")
    assert text(two, "shop.trace") not in {text(one, "shop.trace"), "0" * 32}
