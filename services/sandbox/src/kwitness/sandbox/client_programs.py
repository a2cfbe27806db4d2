"""Runs the client programs of `clients`, each as an application would be."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kwitness.sandbox.guarded_process import GuardedProcess

__all__ = ["CLIENTS", "PUSH_INTERVAL_S", "TOPIC", "ClientProgram", "start_client"]

TOPIC: Final = "orders"
PUSH_INTERVAL_S: Final = 2
"""How often clients push their metrics."""
_PROGRAMS: Final = Path(__file__).resolve().parent / "clients"


@dataclass(frozen=True, kw_only=True)
class ClientProgram:
    """A client; `is_silent` where its library cannot push metrics, `environment` has its settings.

    `bytes_per_second` is its quota at the broker, None where it has none.
    """

    client_id: str
    program: str
    about: str
    is_silent: bool = False
    bytes_per_second: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


CLIENTS: Final = (
    ClientProgram(
        client_id="checkout",
        program="producer_confluent.py",
        about="a producer on confluent-kafka, which pushes its metrics",
        environment={"RATE_PER_SECOND": "20"},
    ),
    ClientProgram(
        client_id="reports",
        program="producer_confluent.py",
        about="a slow one: a quota of the broker throttles it",
        bytes_per_second=1_000,
        # Records that wait for a throttled request go in one batch, so that the quota is enough for them.
        environment={"RATE_PER_SECOND": "20", "KAFKA_MAX_IN_FLIGHT": "1"},
    ),
    ClientProgram(
        client_id="billing",
        program="producer_kafka_python.py",
        about="a producer on kafka-python, which cannot push",
        is_silent=True,
    ),
    ClientProgram(
        client_id="archive",
        program="producer_kafka_python.py",
        about="an old one: it speaks Kafka's protocol of 2018 and does not name its library",
        is_silent=True,
        environment={"PROTOCOL_OF_KAFKA": "2.1"},
    ),
)


def start_client(client: ClientProgram, folder: Path, bootstrap: str) -> GuardedProcess:
    """Start a client; its log goes to `folder`."""
    environment = {
        **os.environ,
        "BOOTSTRAP_SERVERS": bootstrap,
        "TOPIC": TOPIC,
        "CLIENT_ID": client.client_id,
        **client.environment,
    }
    command = [sys.executable, str(_PROGRAMS / client.program)]
    return GuardedProcess(command, log_file=folder / f"{client.client_id}.log", environment=environment)
