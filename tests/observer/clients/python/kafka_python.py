"""Produces and consumes as README.md beside this folder says, by kafka-python."""

from __future__ import annotations

import json
import sys

from kafka import KafkaConsumer, KafkaProducer


def main() -> None:
    bootstrap, topic, client_id, records, ways = sys.argv[1:]
    counts = {"acknowledged": 0, "unconfirmed": 0}
    for way in ways.split(","):
        codec, acks = way.split(":")
        producer = KafkaProducer(
            bootstrap_servers=bootstrap,
            client_id=client_id,
            compression_type=None if codec == "none" else codec,
            acks=acks if acks == "all" else int(acks),
            enable_idempotence=acks == "all",
        )
        texts = (f"{way} {number} ".encode() * 10 for number in range(int(records)))
        sent = [producer.send(topic, text, key=f"{number}".encode()) for number, text in enumerate(texts)]
        for one in sent:
            one.get(60)
        producer.close()
        counts["unconfirmed" if acks == "0" else "acknowledged"] += len(sent)
    print(json.dumps({**counts, "consumed": consume(bootstrap, topic, client_id, sum(counts.values()))}))


def consume(bootstrap: str, topic: str, client_id: str, wanted: int) -> int:
    consumer = KafkaConsumer(
        topic, bootstrap_servers=bootstrap, client_id=client_id, group_id=client_id, auto_offset_reset="earliest"
    )
    places = set()
    while len(places) < wanted:
        polled = consumer.poll(1000)
        places |= {(record.partition, record.offset) for records in polled.values() for record in records}
    consumer.close()
    return len(places)


main()
