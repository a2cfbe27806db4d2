"""Produces and consumes as README.md beside this folder says, by librdkafka."""

from __future__ import annotations

import itertools
import json
import select
import sys
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, Producer

RECORDS_OF_A_TRANSACTION = 20


def main() -> None:
    bootstrap, topic, client_id, records, ways, *transactional_id = sys.argv[1:]
    common = {"bootstrap.servers": bootstrap, "client.id": client_id}
    counts = {"acknowledged": 0, "unconfirmed": 0}
    for way in ways.split(","):
        produced = produce(common, topic, int(records), way, *transactional_id)
        counts["unconfirmed" if way.endswith(":0") else "acknowledged"] += produced
    consumed = consume(common, topic, sum(counts.values()))
    print(json.dumps({**counts, "consumed": consumed}))


def produce(common: dict[str, Any], topic: str, records: int, way: str, transactional_id: str | None = None) -> int:
    codec, acks = way.split(":")
    transactional = {"transactional.id": transactional_id} if transactional_id else {}
    producer = Producer({**common, **transactional, "compression.type": codec, "acks": acks})
    if transactional_id:
        producer.init_transactions(60)
    delivered = 0

    def note(error: KafkaError | None, _: Message) -> None:
        nonlocal delivered
        delivered += error is None
        if error is not None:
            print(error, file=sys.stderr)

    for number in itertools.count():
        if number == records if records else select.select([sys.stdin], [], [], 0.005)[0]:
            break
        if transactional_id and number % RECORDS_OF_A_TRANSACTION == 0:
            if number:
                producer.commit_transaction(60)
            producer.begin_transaction()
        producer.produce(topic, key=f"{number}", value=f"{way} {number} " * 10, on_delivery=note)
        producer.poll(0)
    if transactional_id:
        producer.commit_transaction(60)
    if left := producer.flush(60):
        sys.exit(f"{left} records were not delivered within 60 s")
    return delivered


def consume(common: dict[str, Any], topic: str, wanted: int) -> int:
    consumer = Consumer({**common, "group.id": common["client.id"], "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    places = set()
    while len(places) < wanted:
        for message in consumer.consume(500, 1):
            if message.error() is None:
                places.add((message.partition(), message.offset()))
    consumer.close()
    return len(places)


main()
