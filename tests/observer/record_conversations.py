"""Writes down what real clients and a real broker say to each other, for the tests of services/protocol.

Usage: `python -m tests.observer.record_conversations`. The broker is the oldest, so that the newest Java client falls
back to version 0 of ApiVersions; each client also signs in by SASL, where ApiVersions comes before its credentials.
"""

from __future__ import annotations

import base64
import gzip
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, Final

from kwitness.e2e.kafka.listeners import Listener
from kwitness.e2e.kafka.local_broker import USERS, LocalBroker
from kwitness.images.image_parts import REPOSITORY

from tests.eventually import eventually
from tests.observer.client_programs import CLIENTS_OF_JAVA, LIBRDKAFKA, OLDEST, Client, counts
from tests.observer.tap import Recording, Tap

TARGET: Final = REPOSITORY / "services/protocol/vectors/conversations.jsonl.gz"
BROKER_HOST: Final = "127.0.3.1"
RECORDS: Final = 10
WAYS: Final = ("none:all", "zstd:1", "gzip:0")
USER: Final = "alice"
CLIENTS: Final = (CLIENTS_OF_JAVA[-1], LIBRDKAFKA)


def main() -> None:
    """Write the file."""
    with LocalBroker(OLDEST, clients_host=BROKER_HOST, listeners=[Listener.SASL_PLAINTEXT_PLAIN]) as broker:
        ports = [broker.clients_port or 0, int(broker.bootstrap_of(Listener.SASL_PLAINTEXT_PLAIN).partition(":")[2])]
        with Tap({(BROKER_HOST, port): ("127.0.0.1", port) for port in ports}) as tap:
            conversations = [
                conversation(tap, client, f"{BROKER_HOST}:{port}", user)
                for client in CLIENTS
                for port, user in zip(ports, (None, USER), strict=True)
            ]
    lines = "".join(f"{json.dumps(one)}\n" for one in conversations)
    TARGET.write_bytes(gzip.compress(lines.encode(), 9, mtime=0))
    print(f"wrote {TARGET.name}: {len(conversations)} conversations", file=sys.stderr)  # noqa: T201


def conversation(tap: Tap, client: Client, bootstrap: str, user: str | None) -> dict[str, Any]:
    """What a client said on all of its connections, and what it says that it did."""
    begin = len(tap.recordings)
    topic = f"{client.name}-{user or 'anonymous'}"
    with tempfile.NamedTemporaryFile("w", suffix=".properties") as properties:
        if user:
            properties.write("".join(f"{name}={value}\n" for name, value in signing_in(client, user)))
            properties.flush()
            environment = {"CLIENT_PROPERTIES": properties.name}
            client = replace(client, environment=lambda: environment)
        said = counts(client.start(bootstrap, topic, RECORDS, WAYS))
    recordings = eventually(
        lambda: tap.recordings[begin:], lambda found: not any(one.is_open for one in found), every=0.1
    )
    ((name, version),) = client.software
    return {
        "software": [name, version],
        "user": user,
        "password": USERS[user] if user else None,
        "topic": topic,
        **asdict(said),
        "connections": [list(spoken(recording)) for recording in recordings],
    }


def spoken(recording: Recording) -> Iterator[tuple[str, str]]:
    """Which side, and its bytes."""
    for side, chunk in recording.chunks:
        yield side.value, base64.b64encode(chunk).decode()


def signing_in(client: Client, user: str) -> Iterator[tuple[str, str]]:
    """How the library signs in by SASL PLAIN."""
    yield "security.protocol", "SASL_PLAINTEXT"
    yield ("sasl.mechanisms" if client is LIBRDKAFKA else "sasl.mechanism"), "PLAIN"
    if client is LIBRDKAFKA:
        yield "sasl.username", user
        yield "sasl.password", USERS[user]
    else:
        module = "org.apache.kafka.common.security.plain.PlainLoginModule"
        yield "sasl.jaas.config", f'{module} required username="{user}" password="{USERS[user]}";'


if __name__ == "__main__":
    main()
