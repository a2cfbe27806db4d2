"""A producer on kafka-python, which has no client telemetry: brokers count its connections and nothing else."""

from __future__ import annotations

import client_settings
import kafka
from kafka import KafkaProducer

REPORT_EVERY = 100
"""Records between two lines of progress."""


def main() -> None:
    """Send small records until told to stop."""
    stop = client_settings.stop_at_signals()
    topic = client_settings.required("TOPIC")
    producer = KafkaProducer(
        bootstrap_servers=client_settings.required("BOOTSTRAP_SERVERS"),
        client_id=client_settings.required("CLIENT_ID"),
        **client_settings.protocol_of_kafka(),
    )
    delivered = 0
    while not stop.wait(client_settings.seconds_between_records()):
        producer.send(topic, f"order {delivered}".encode()).get(timeout=30)
        delivered += 1
        if delivered == 1:
            print(f"connected; kafka-python {kafka.__version__}", flush=True)
        if delivered % REPORT_EVERY == 0:
            print(f"delivered {delivered}", flush=True)
    producer.close(timeout=5)
    print(f"stopped after {delivered} records", flush=True)


if __name__ == "__main__":
    main()
