"""Finds ports for two replicas of one collector, and names clients of which each owns some."""

from __future__ import annotations

import random
import socket

CLIENTS = [f"instance-{number}" for number in range(40)]


def port_pair() -> int:
    """Return a port P such that P0 and P1, read as decimal digits, are free: a template finds both by ordinal."""
    for tens in random.sample(range(1_200, 2_000), 200):  # below what `free_port` gives out
        try:
            for ordinal in range(2):
                with socket.socket() as one:
                    one.bind(("127.0.0.1", tens * 10 + ordinal))
        except OSError:
            continue
        return tens
    raise RuntimeError("no two adjacent free ports on 127.0.0.1")
