"""Produces and consumes as README.md beside this folder says, by librdkafka."""

from __future__ import annotations

import itertools
import json
import os
import select
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, Producer

RECORDS_OF_A_TRANSACTION = 20
PAUSE_S = 0.005


def main() -> None:
    bootstrap, topic, client_id, records, ways, *transactional_id = sys.argv[1:]
    common = {"bootstrap.servers": bootstrap, "client.id": client_id}
    if more := os.environ.get("CLIENT_PROPERTIES"):
        common |= dict(line.split("=", 1) for line in Path(more).read_text().splitlines())
    counts = {"acknowledged": 0, "unconfirmed": 0}
    produced: Future[int] = Future()
    pool = ThreadPoolExecutor()
    if records == "0":  # until their number is known it consumes beside producing
        consumed = pool.submit(consume, common, topic, produced)
    for way in ways.split(","):
        count = produce(common, topic, int(records), way, *transactional_id)
        counts["unconfirmed" if way.endswith(":0") else "acknowledged"] += count
    produced.set_result(sum(counts.values()))
    if records != "0":
        consumed = pool.submit(consume, common, topic, produced)
    print(json.dumps({**counts, "consumed": consumed.result()}))


def produce(common: dict[str, Any], topic: str, records: int, way: str, transactional_id: str | None = None) -> int:
    codec, acks = way.split(":")
    transactional = {"transactional.id": transactional_id} if transactional_id else {}
    asked = {"compression.type": codec, "acks": acks, "enable.idempotence": acks == "all"}
    producer = Producer({**common, **transactional, **asked})
    if transactional_id:
        producer.init_transactions(60)
    delivered = 0

    def note(error: KafkaError | None, _: Message) -> None:
        nonlocal delivered
        delivered += error is None
        if error is not None:
            print(error, file=sys.stderr)

    for number in itertools.count():
        if number == records if records else select.select([sys.stdin], [], [], PAUSE_S)[0]:
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


def consume(common: dict[str, Any], topic: str, wanted: Future[int]) -> int:
    consumer = Consumer({**common, "group.id": common["client.id"], "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    places = set()
    while not wanted.done() or len(places) < wanted.result():
        for message in consumer.consume(500, 1):
            if message.error() is None:
                places.add((message.partition(), message.offset()))
    consumer.close()
    return len(places)


main()
