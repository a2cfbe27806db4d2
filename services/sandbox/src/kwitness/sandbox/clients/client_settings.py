"""Settings of a client program, from its environment."""

from __future__ import annotations

import os
import signal
import threading

PREFIX = "KAFKA_"
"""`KAFKA_SECURITY_PROTOCOL=SSL` sets `security.protocol`."""


def required(name: str) -> str:
    """A variable that must be set; ends the program with a sentence if it is not."""
    value = os.environ.get(name)
    if not value:
        message = f"the variable {name} is not set; a client needs BOOTSTRAP_SERVERS, TOPIC and CLIENT_ID"
        raise SystemExit(message)
    return value


def properties() -> dict[str, str]:
    """Kafka properties from variables that begin with `KAFKA_`."""
    return {
        name.removeprefix(PREFIX).lower().replace("_", "."): value
        for name, value in os.environ.items()
        if name.startswith(PREFIX)
    }


def protocol_of_kafka() -> dict[str, tuple[int, ...]]:
    """The option of kafka-python by which PROTOCOL_OF_KAFKA=2.1 makes it speak as an application of that time."""
    version = os.environ.get("PROTOCOL_OF_KAFKA")
    return {"api_version": tuple(int(part) for part in version.split("."))} if version else {}


def headers() -> list[tuple[str, bytes]]:
    """Headers of every record, as HEADERS="charge.tag=checkout debug.session=42" names them."""
    pairs = (pair.partition("=") for pair in os.environ.get("HEADERS", "").split())
    return [(key, value.encode()) for key, _, value in pairs]


def seconds_between_records() -> float:
    """The pause that makes RATE_PER_SECOND records a second (default 1)."""
    return 1.0 / float(os.environ.get("RATE_PER_SECOND", "1"))


def stop_at_signals() -> threading.Event:
    """An event that SIGTERM and SIGINT set, so that a client ends its connection in order."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop
