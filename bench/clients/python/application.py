"""An application of confluent-kafka that works when it is told to: BOOTSTRAP WRITTEN READ VALUE_BYTES.

A line of the input is a kind of work and a number of records; the answer says the processor's time of the whole process
in seconds, and how long it took. With OpenTelemetry in the path its instrumentation is set up as its guide shows, with
an exporter that takes all spans and sends none.
"""

import importlib.util
import json
import sys
import time

if importlib.util.find_spec("opentelemetry.instrumentation"):
    from opentelemetry import trace
    from opentelemetry.instrumentation.confluent_kafka import ConfluentKafkaInstrumentor
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

    class Nowhere(SpanExporter):
        """Takes everything."""

        def export(self, spans):
            """Nothing is sent."""
            return SpanExportResult.SUCCESS

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(Nowhere()))
    trace.set_tracer_provider(provider)
    ConfluentKafkaInstrumentor().instrument()

import confluent_kafka

BOOTSTRAP, WRITTEN, READ, VALUE_BYTES = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
VALUE = b"v" * VALUE_BYTES
KEYS = [f"customer-{number:07}" for number in range(10_000)]
AT_ONCE = 500
TRACED = [("traceparent", b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")]


def delivered(_error, _message):
    """What applications do here is theirs."""


def fill(records):
    """Write what is read later, with the header that an instrumented producer would have added."""
    for number in range(records):
        producer.produce(READ, VALUE, KEYS[number % len(KEYS)], headers=TRACED)
        producer.poll(0)
    producer.flush()


def produce(records):
    """Send records one by one, with a callback for each."""
    for number in range(records):
        producer.produce(WRITTEN, VALUE, KEYS[number % len(KEYS)], on_delivery=delivered)
        producer.poll(0)
    producer.flush()


def poll(records):
    """Read records one by one."""
    read = 0
    while read < records:
        message = consumer.poll(1.0)
        read += message is not None and message.error() is None


def consume(records):
    """Read many at once."""
    read = 0
    while read < records:
        read += len(consumer.consume(AT_ONCE, 1.0))


def rewind():
    """Read from the beginning, once what was fetched before is forgotten."""
    consumer.assign([confluent_kafka.TopicPartition(READ, 0, confluent_kafka.OFFSET_BEGINNING)])


producer = confluent_kafka.Producer(
    {"bootstrap.servers": BOOTSTRAP, "client.id": "bench", "queue.buffering.max.messages": 1_000_000}
)
consumer = confluent_kafka.Consumer(
    {"bootstrap.servers": BOOTSTRAP, "client.id": "bench", "group.id": "bench", "enable.auto.commit": False}
)
WORKS = {"fill": fill, "produce": produce, "poll": poll, "consume": consume}
for line in sys.stdin:
    work, records = line.split()
    if work in {"poll", "consume"}:
        rewind()
    cpu, began = time.process_time(), time.perf_counter()
    WORKS[work](int(records))
    print(json.dumps({"cpu_s": time.process_time() - cpu, "seconds": time.perf_counter() - began}), flush=True)
producer.flush()
consumer.close()
