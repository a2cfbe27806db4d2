"""Remember which KafkaCluster rules where several lead to one Kafka cluster: the first that was accepted.

A ConfigMap keeps it, so that neither a restart nor the deletion of that KafkaCluster hands its place to another.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from kwitness.operator.model.store import Key

__all__ = ["RULING_CONFIG_MAP", "Ruler", "rulers_of", "with_ruler"]

RULING_CONFIG_MAP: Final = "kwitness-kafka-clusters"
"""Name of the ConfigMap, in the release's namespace. It outlives an uninstall."""
_FILE: Final = "ruling.json"
_MOST_OF_NAMESPACE: Final = 64
"""Kafka clusters of which KafkaClusters of one namespace are remembered: their authors may invent ids."""
_MOST_BYTES: Final = 900_000
"""Of the text; the API server takes 1 MiB of a ConfigMap."""


class Ruler(NamedTuple):
    """A KafkaCluster that rules, with the uid that it had when that was decided."""

    key: Key
    uid: str


def rulers_of(config_map: Mapping[str, Any] | None) -> Mapping[str, Ruler]:
    """Return them by Kafka's cluster id; entries that cannot be read are left out."""
    return _read(((config_map or {}).get("data") or {}).get(_FILE, "{}"))


@lru_cache(maxsize=2)
def _read(text: str) -> Mapping[str, Ruler]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    rulers = {}
    for cluster_id, entry in (found if isinstance(found, dict) else {}).items():
        match entry:
            case {"namespace": str(namespace), "name": str(name), "uid": str(uid)}:
                rulers[cluster_id] = Ruler(Key(namespace, name), uid)
            case _:
                continue
    return rulers


def with_ruler(rulers: Mapping[str, Ruler], cluster_id: str, ruler: Ruler) -> dict[str, str] | None:
    """Return the data of the ConfigMap with this one too; None where it has no room for it."""
    of_namespace = Counter(known.key.namespace for known in rulers.values())
    if cluster_id not in rulers and of_namespace[ruler.key.namespace] >= _MOST_OF_NAMESPACE:
        return None
    entries = {
        id_: {"namespace": known.key.namespace, "name": known.key.name, "uid": known.uid}
        for id_, known in sorted({**rulers, cluster_id: ruler}.items())
    }
    text = json.dumps(entries, separators=(",", ":"))
    return {_FILE: text} if len(text) <= _MOST_BYTES else None
