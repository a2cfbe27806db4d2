"""Remember which KafkaCluster rules where several lead to one Kafka cluster: the first that was accepted.

A ConfigMap keeps it, so that neither a restart nor a KafkaCluster that is recreated hands its place to another.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from kwitness.operator.model.store import Key

__all__ = ["RULING_CONFIG_MAP", "Ruler", "rulers_of", "with_ruler"]

RULING_CONFIG_MAP: Final = "kwitness-kafka-clusters"
"""Name of the ConfigMap, in the release's namespace. It outlives an uninstall."""
_FILE: Final = "ruling.json"
_MOST_IN_TURN: Final = 4
"""KafkaClusters of one Kafka cluster: the first, and those that ruled while it was gone."""
_MOST_OF_NAMESPACE: Final = 64
"""Kafka clusters of which KafkaClusters of one namespace are remembered: their authors may invent ids."""
_MOST_BYTES: Final = 900_000
"""Of the text; the API server takes 1 MiB of a ConfigMap."""


class Ruler(NamedTuple):
    """A KafkaCluster that rules, with the uid that it had when that was decided."""

    key: Key
    uid: str


_FILE_TYPE: Final = TypeAdapter(dict[str, tuple[tuple[str, str, str], ...]])


def rulers_of(config_map: Mapping[str, Any] | None) -> Mapping[str, tuple[Ruler, ...]]:
    """Return them by Kafka's cluster id, the first before those that came while it was gone; none if unreadable."""
    return _read(((config_map or {}).get("data") or {}).get(_FILE, "{}"))


@lru_cache(maxsize=2)
def _read(text: str) -> Mapping[str, tuple[Ruler, ...]]:
    try:
        found = _FILE_TYPE.validate_json(text)
    except ValidationError:
        return {}
    return {
        cluster_id: tuple(Ruler(Key(namespace, name), uid) for namespace, name, uid in entries)
        for cluster_id, entries in found.items()
    }


def with_ruler(rulers: Mapping[str, tuple[Ruler, ...]], cluster_id: str, ruler: Ruler) -> dict[str, str] | None:
    """Return the data of the ConfigMap with this one too, in its old place if its name returned; None without room."""
    in_turn = rulers.get(cluster_id, ())
    if ruler.key in [known.key for known in in_turn]:
        in_turn = tuple(ruler if known.key == ruler.key else known for known in in_turn)
    else:
        in_turn = (*in_turn[: _MOST_IN_TURN - 1], ruler)
    of_namespace = Counter(entries[0].key.namespace for entries in rulers.values() if entries)
    if cluster_id not in rulers and of_namespace[ruler.key.namespace] >= _MOST_OF_NAMESPACE:
        return None
    entries = {
        id_: [(*known.key, known.uid) for known in found]
        for id_, found in sorted({**rulers, cluster_id: in_turn}.items())
    }
    text = json.dumps(entries, separators=(",", ":"))
    return {_FILE: text} if len(text) <= _MOST_BYTES else None
