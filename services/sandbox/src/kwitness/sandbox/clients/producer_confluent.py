"""A producer on confluent-kafka, as an application would write it. It knows nothing of kwitness."""

from __future__ import annotations

import sys

import client_settings
from confluent_kafka import KafkaError, Message, Producer, version

REPORT_EVERY = 100
"""Records between two lines of progress."""


def main() -> None:
    """Send small records until told to stop."""
    delivered = 0

    def on_delivery(error: KafkaError | None, _: Message) -> None:
        nonlocal delivered
        if error is not None:
            print(f"not delivered: {error}", file=sys.stderr, flush=True)
            return
        delivered += 1
        if delivered == 1:
            print(f"connected; confluent-kafka {version()[0]}", flush=True)
        if delivered % REPORT_EVERY == 0:
            print(f"delivered {delivered}", flush=True)

    stop = client_settings.stop_at_signals()
    topic = client_settings.required("TOPIC")
    producer = Producer(
        {
            "bootstrap.servers": client_settings.required("BOOTSTRAP_SERVERS"),
            "client.id": client_settings.required("CLIENT_ID"),
            **client_settings.properties(),
        }
    )
    headers = client_settings.headers()
    number = 0
    while not stop.wait(client_settings.seconds_between_records()):
        number += 1
        producer.produce(topic, key=str(number % 10), value=f"order {number}", headers=headers, on_delivery=on_delivery)
        producer.poll(0)
    producer.flush(5)
    print(f"stopped after {delivered} records", flush=True)


if __name__ == "__main__":
    main()
