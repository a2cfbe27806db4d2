"""Where a new client connects: as it is configured, or to the observer of its pod if the profile says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .configuration import kafka_names
from .containment import FAILURES, is_contained, reason_of
from .reporting.process import PROCESS
from .through_observer import OTHER_SERVERS

__all__ = ["connect", "connect_by_arguments"]


def connect(client: dict[str, Any]) -> None:
    """Change the configuration of a client of librdkafka."""
    changes = _changes(client)
    if changes:
        # The same setting by another name: the later one of the two would count.
        client.pop(OTHER_SERVERS, None)
        client.update(changes)


def connect_by_arguments(client: dict[str, Any]) -> None:
    """Change the arguments of a client in Python, which are spelled with underscores."""
    client.update({name.replace(".", "_"): value for name, value in _changes(kafka_names(client)).items()})


def _changes(config: Mapping[str, Any]) -> Mapping[str, str]:
    try:
        return PROCESS.changes(config)
    except BaseException as error:
        if not is_contained(error):
            raise
        FAILURES.add("kwitness_interceptors", "connect", reason_of(error))
        return {}
