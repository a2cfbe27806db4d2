"""Which broker configs of this installation have lost their resource. In doubt, none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kwitness.operator.desired.subscription_plan import own_key
from kwitness.operator.model.references import cluster_of
from kwitness.operator.model.store import Key

__all__ = ["Remaining", "orphans", "own_names"]


@dataclass(frozen=True, slots=True)
class Remaining:
    """What is known of the resources behind the configs on the brokers of ``cluster``, whose id is ``cluster_id``.

    ``body`` has a resource as it was last seen, ``deleted`` those that this process saw deleted, ``complete`` all names
    of a namespace, None where it is not certain that these are all, and ``id_of`` the id of a KafkaCluster's Kafka
    cluster, None where it is not known. ``refused`` may not ask this cluster's clients any more; with ``forsaken``
    nobody may.
    """

    cluster: Key
    cluster_id: str | None
    body: Callable[[Key], Mapping[str, Any] | None]
    deleted: Collection[Key]
    complete: Callable[[str], Collection[str] | None]
    id_of: Callable[[Key], str | None]
    refused: Collection[Key] = ()
    forsaken: bool = False


def own_names(present: Iterable[str], installation: str, watches: Callable[[str], bool]) -> dict[str, Key]:
    """Those of this installation in namespaces that are watched, each with its resource."""
    keys = {name: own_key(installation, name) for name in present}
    return {name: key for name, key in keys.items() if key is not None and watches(key.namespace)}


def orphans(names: Mapping[str, Key], known: Remaining) -> frozenset[str]:
    """Those of ``names`` (see `own_names`) that may be removed from the broker.

    One whose resource is not known counts only if a complete list does not have it: the watches' view may be late or,
    where a right was taken away, empty. A resource that refers to another Kafka cluster is as good as gone here.
    """
    return frozenset(name for name, key in names.items() if _is_orphan(key, known))


def _is_orphan(key: Key, known: Remaining) -> bool:
    body = known.body(key)
    if body is not None:
        return _has_left(key, body, known)
    if key in known.deleted:
        # With the namespace the right to list goes too; what this process saw deleted needs no list.
        return True
    names = known.complete(key.namespace)
    return names is not None and key.name not in names


def _has_left(key: Key, body: Mapping[str, Any], known: Remaining) -> bool:
    target = cluster_of(key, body)
    if target == known.cluster:
        return known.forsaken or key in known.refused
    # Another KafkaCluster of the same Kafka keeps the config; one that is not known yet might be the same.
    other = None if target is None else known.id_of(target)
    return other is not None and other != known.cluster_id
