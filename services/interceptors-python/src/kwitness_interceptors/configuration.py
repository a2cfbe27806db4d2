"""What a client's configuration says to interceptors, apart from what it says to the client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["CLASSES", "ClientConfiguration", "kafka_names", "split"]

CLASSES = "interceptor.classes"
_OURS = "kwitness."


class ClientConfiguration(NamedTuple):
    """`client` is what the client library may see, `classes` the value of `interceptor.classes`, None without it."""

    client: dict[str, Any]
    classes: Any
    whole: dict[str, Any]


def split(config: Mapping[str, Any], client_id: str) -> ClientConfiguration:
    """Take `interceptor.classes` and ``kwitness.*`` out of a configuration with Kafka's names.

    `client_id` is the one that the client has where none is configured: interceptors are told it.
    """
    client = {key: value for key, value in config.items() if not _is_ours(key)}
    whole = dict(config)
    whole.setdefault("client.id", client_id)
    return ClientConfiguration(client, config.get(CLASSES), whole)


def kafka_names(config: Mapping[str, Any]) -> dict[str, Any]:
    """Spell keyword arguments as Kafka spells settings: ``bootstrap_servers`` is ``bootstrap.servers``."""
    return {key.replace("_", "."): value for key, value in config.items()}


def _is_ours(key: object) -> bool:
    return isinstance(key, str) and (key == CLASSES or key.startswith(_OURS))
