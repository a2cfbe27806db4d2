"""A consumer on confluent-kafka, as an application would write it. It knows nothing of kwitness."""

from __future__ import annotations

import sys

import client_settings
from confluent_kafka import Consumer, version

REPORT_EVERY = 100
"""Records between two lines of progress."""


def main() -> None:
    """Read records until told to stop."""
    stop = client_settings.stop_at_signals()
    consumer = Consumer(
        {
            "bootstrap.servers": client_settings.required("BOOTSTRAP_SERVERS"),
            "client.id": client_settings.required("CLIENT_ID"),
            "group.id": client_settings.required("GROUP_ID"),
            "auto.offset.reset": "earliest",
            **client_settings.properties(),
        }
    )
    consumer.subscribe([client_settings.required("TOPIC")])
    received = 0
    while not stop.is_set():
        message = consumer.poll(1.0)
        if message is None:
            continue
        if message.error() is not None:
            print(f"not received: {message.error()}", file=sys.stderr, flush=True)
            continue
        received += 1
        if received == 1:
            print(f"connected; confluent-kafka {version()[0]}", flush=True)
        if received % REPORT_EVERY == 0:
            print(f"received {received}", flush=True)
    consumer.close()
    print(f"stopped after {received} records", flush=True)


if __name__ == "__main__":
    main()
