"""Produces and consumes as README.md beside this folder says, by aiokafka."""

from __future__ import annotations

import asyncio
import json
import sys

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer


async def main() -> None:
    bootstrap, topic, client_id, records, ways = sys.argv[1:]
    counts = {"acknowledged": 0, "unconfirmed": 0}
    for way in ways.split(","):
        codec, acks = way.split(":")
        producer = AIOKafkaProducer(
            bootstrap_servers=bootstrap,
            client_id=client_id,
            compression_type=None if codec == "none" else codec,
            acks=acks if acks == "all" else int(acks),
        )
        async with producer:
            texts = (f"{way} {number} ".encode() * 10 for number in range(int(records)))
            sent = [await producer.send(topic, text, key=f"{number}".encode()) for number, text in enumerate(texts)]
            await asyncio.gather(*sent)
        counts["unconfirmed" if acks == "0" else "acknowledged"] += len(sent)
    print(json.dumps({**counts, "consumed": await consume(bootstrap, topic, client_id, sum(counts.values()))}))


async def consume(bootstrap: str, topic: str, client_id: str, wanted: int) -> int:
    places = set()
    async with AIOKafkaConsumer(
        topic, bootstrap_servers=bootstrap, client_id=client_id, group_id=client_id, auto_offset_reset="earliest"
    ) as consumer:
        while len(places) < wanted:
            polled = await consumer.getmany(timeout_ms=1000)
            places |= {(record.partition, record.offset) for records in polled.values() for record in records}
    return len(places)


asyncio.run(main())
