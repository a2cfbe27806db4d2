"""The clients of a fleet: who they are and what they use. All of it follows from their number and the fleet's seed."""

from __future__ import annotations

import base64
import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass

from .fleet import Fleet

__all__ = ["Client", "Topic", "clients_of", "topics_of"]

INSTANCES = 4
"""Clients of one application."""
_TRADES = ("orders", "payments", "stock", "mail", "prices", "search", "fraud", "billing", "audit", "export")
_SOFTWARE = (
    ("apache-kafka-java", "4.3.1"),
    ("apache-kafka-java", "3.7.0"),
    ("librdkafka", "2.16.0"),
    ("kafka-python", "2.2.15"),
    ("sarama", "1.46.0"),
)
_OLD = ("sarama", "1.26.1")
_CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic by its number, and its name and id as JSON text."""

    number: int
    named: str
    by_id_alone: str


@dataclass(frozen=True, slots=True)
class Client:
    """One client.

    Attributes
    ----------
    key
        Key of its records.
    identity
        Its known identity keys as JSON text: members of an object, with a comma after each.
    uses
        The topics that it uses, each with the partitions that are its own.
    group
        The number of its group; None of a producer.
    codec, record_bytes
        How a producer compresses, and the length of its records.
    acks
        Whether a producer's requests are confirmed.
    old
        Whether its library uses versions of requests that Kafka 4.0 removed.
    application
        The number of its application, whose instances send the same headers.
    """

    number: int
    key: bytes
    identity: str
    uses: tuple[tuple[Topic, tuple[int, ...]], ...]
    group: int | None
    codec: str
    record_bytes: int
    acks: bool
    transactional: bool
    source_port: int
    old: bool
    application: int


def topics_of(fleet: Fleet) -> tuple[Topic, ...]:
    """Return all topics."""
    found = []
    for number in range(fleet.topics):
        name = f"{_TRADES[number % len(_TRADES)]}.{number}"
        named, topic_id = json.dumps(name), json.dumps(_uuid(f"{fleet.seed}/{name}"))
        found.append(Topic(number, f'"topic":{named},"topic_id":{topic_id},', f'"topic_id":{topic_id},'))
    return tuple(found)


def clients_of(fleet: Fleet, source: int, topics: Sequence[Topic]) -> list[Client]:
    """Return the clients that a source sees."""
    return [_client(fleet, number, topics) for number in range(source, fleet.clients, fleet.sources)]


def _client(fleet: Fleet, number: int, topics: Sequence[Topic]) -> Client:
    application, member = divmod(number, INSTANCES)
    consumes = application % 2 == 1
    # An application is the same for all of its instances, whichever source sees them.
    dice = random.Random(f"{fleet.seed}/application/{application}")  # noqa: S311 - it must be the same again
    used = dice.sample(range(len(topics)), min(len(topics), dice.randint(1, 3)))
    members = min(INSTANCES, fleet.clients - application * INSTANCES)
    partitions = tuple(range(member, fleet.partitions, members)) if consumes else tuple(range(fleet.partitions))
    software, version = dice.choice(_SOFTWARE)
    # By dice of its own, so that the others are the same with any share.
    old = random.Random(f"{fleet.seed}/old/{application}").random() < fleet.old_clients  # noqa: S311 - likewise
    if old:
        software, version = _OLD
    name = f"{_TRADES[application % len(_TRADES)]}-{application}"
    transactional = not consumes and application % 8 == 0
    port = 32_768 + number % 28_000
    identity = {
        "broker_id": str(number % 3),
        "listener": "GATEWAY" if number % fleet.sources % 2 == 0 else "SIDECAR",
        "principal": f"User:{name}",
        "client_id": name,
        "client_software_name": software,
        "client_software_version": version,
        "client_address": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
        "client_source_port": port,
    }
    if consumes:
        identity |= {"group_id": name, "group_member_id": f"{name}-{_uuid(f'{fleet.seed}/member/{number}')}"}
    if transactional:
        identity["transactional_id"] = f"{name}-{member}"
    return Client(
        number=number,
        key=hashlib.blake2b(f"{fleet.seed}/{number}".encode(), digest_size=8).hexdigest().encode(),
        identity=json.dumps(identity, separators=(",", ":"))[1:-1] + ",",
        uses=tuple((topics[topic], partitions) for topic in used),
        group=application if consumes else None,
        codec=dice.choice(_CODECS),
        record_bytes=dice.choice((80, 240, 1_000, 4_000)),
        acks=application % 16 != 6,  # noqa: PLR2004 - any even number would do
        transactional=transactional,
        source_port=port,
        old=old,
        application=application,
    )


def _uuid(text: str) -> str:
    """An id of 22 characters, as Kafka prints a Uuid."""
    return base64.urlsafe_b64encode(hashlib.blake2b(text.encode(), digest_size=16).digest()).decode().rstrip("=")
