"""What a client program did, held against the brokers' own offsets and what the observer reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from confluent_kafka import Consumer, TopicPartition

from tests.eventually import eventually
from tests.observer.client_programs import Client, Counts
from tests.observer.stand import PARTITIONS, Stand


def end_offsets(stand: Stand, topic: str) -> int:
    """Records of a topic without transactions, as its brokers say."""
    consumer = Consumer({"bootstrap.servers": stand.cluster.bootstrap, "group.id": "offsets"})
    try:
        places = [TopicPartition(topic, partition) for partition in range(PARTITIONS)]
        return sum(consumer.get_watermark_offsets(place, 30)[1] for place in places)
    finally:
        consumer.close()


def assert_counted(client: Client, stand: Stand, records: int, said: Counts) -> None:
    """The client produced so many records in each of its ways, and everybody says so."""
    confirmed = records * sum(not way.endswith(":0") for way in client.ways)
    unconfirmed = records * len(client.ways) - confirmed
    assert said == Counts(confirmed, unconfirmed, confirmed + unconfirmed)
    assert_reported(stand, client.name, confirmed, unconfirmed, client.codecs)
    rows = stand.rows(kind="partition", client_id=client.name)
    assert {row["topic"] for row in rows} == {client.name}
    assert {(row.get("client_software_name"), row.get("client_software_version")) for row in rows} == client.software


def assert_reported(stand: Stand, topic: str, confirmed: int, unconfirmed: int, codecs: Sequence[str]) -> None:
    """The topic has so many records, the observer saw them produced, and read at least once, in these codecs."""
    eventually(lambda: end_offsets(stand, topic), (confirmed + unconfirmed).__eq__)
    fetched = eventually(
        lambda: stand.rows(kind="partition", topic=topic, api="Fetch"),
        lambda rows: sum(row["records"] for row in rows) >= confirmed + unconfirmed,
    )

    def produced() -> tuple[int, int]:
        rows = stand.rows(kind="partition", topic=topic, api="Produce")
        return sum(row["records"] for row in rows), sum(row["unconfirmed"] for row in rows)

    # Connections report each for itself: what was read may be known before all of what was sent.
    eventually(produced, (confirmed, unconfirmed).__eq__)
    batches = sum((Counter(row["compression"]) for row in fetched), Counter())
    assert {codec for codec, count in batches.items() if count} == set(codecs)
