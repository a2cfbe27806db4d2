"""Whether an object already is as we want it, and what must change in a status if it is not."""

from __future__ import annotations

from typing import Any, Final

from kwitness.contracts.resources.meta import GROUP
from kwitness.contracts.resources.quantities import quantity
from kwitness.operator.model.list_maps import Path, item_key
from kwitness.operator.model.store import Key

__all__ = [
    "APPLIED_HASH",
    "CHILDREN_OF_JOBS",
    "MANAGED",
    "WATCHED_CHILDREN",
    "belongs_to",
    "covers",
    "granted",
    "merge_patch",
    "owner_of",
]

APPLIED_HASH: Final = "kwitness.dev/applied-hash"
"""Annotation with the hash of what was last applied; it shows that a field was dropped from the desired state."""

MANAGED: Final = "kwitness.dev/managed"
"""Label, "true" on whatever the operator makes and on pods of drivers: by it children are watched, and nothing else."""

CHILDREN_OF_JOBS: Final = ("Job", "CronJob", "Pod")
"""Kinds that are watched only where AnalyticsJobs may run; pods are drivers'."""

WATCHED_CHILDREN: Final = ("StatefulSet", "Deployment", *CHILDREN_OF_JOBS)
"""Kinds of children that are watched; the others are compared once a minute."""


def owner_of(metadata: dict[str, Any]) -> tuple[str, Key] | None:
    """Kind and key of the resource of ours that controls an object with this metadata; None without one."""
    for reference in metadata.get("ownerReferences", ()):
        if reference.get("controller") and reference["apiVersion"].partition("/")[0] == GROUP:
            return reference["kind"], Key(metadata["namespace"], reference["name"])
    return None


def belongs_to(present: dict[str, Any], owner: dict[str, Any]) -> bool:
    """Whether an object is a child of our resource that the reference names, or of its predecessor by that name.

    One without a controller is what is left of such a child (of a restore, or of a deletion that spared it), if the
    annotation says that we made it.
    """
    metadata = present["metadata"]
    controllers = [one for one in metadata.get("ownerReferences", ()) if one.get("controller")]
    if not controllers:
        return APPLIED_HASH in metadata.get("annotations", {})
    # Other operators have kinds of the same names, such as KafkaCluster.
    ours = (GROUP, owner["kind"], owner["name"])
    return any((one["apiVersion"].partition("/")[0], one["kind"], one["name"]) == ours for one in controllers)


def covers(present: Any, wanted: Any, path: Path = ()) -> bool:
    """Whether ``present`` holds everything that ``wanted`` names; what it holds beyond that belongs to others.

    ``path`` is where in an object of Kubernetes both are, since that tells how its lists are compared: items of
    list-maps by their keys, every other list as a whole.
    """
    if isinstance(wanted, dict):
        return isinstance(present, dict) and all(
            (key in present and covers(present[key], value, (*path, key))) or (key not in present and _is_empty(value))
            for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(present, list) and _list_covers(present, wanted, path)
    if isinstance(wanted, str) and isinstance(present, str):
        return wanted == present or (_same_quantity(wanted, present))
    return bool(present == wanted)


def granted(answer: Any, wanted: Any, path: Path = ()) -> Any:
    """What ``answer``, an API server's, made of ``wanted``: of the same fields the values that they have there."""
    if isinstance(wanted, dict) and isinstance(answer, dict):
        return {key: granted(answer[key], value, (*path, key)) for key, value in wanted.items() if key in answer}
    if isinstance(wanted, list) and isinstance(answer, list):
        by_key = _by_key(answer, path)
        if by_key is not None:
            ours = ((by_key.get(item_key(path, one)), one) for one in wanted)
            return [granted(found, one, path) for found, one in ours if found is not None]
    return answer


def _is_empty(value: Any) -> bool:
    # The API server drops empty maps and lists.
    return value in ({}, [], None)


def _list_covers(present: list[Any], wanted: list[Any], path: Path) -> bool:
    by_key = _by_key(present, path)
    if by_key is None or not wanted:
        return len(present) == len(wanted) and all(
            covers(one, other, path) for one, other in zip(present, wanted, strict=True)
        )
    return all(covers(by_key.get(item_key(path, item)), item, path) for item in wanted)


def _by_key(items: list[Any], path: Path) -> dict[tuple[Any, ...] | None, Any] | None:
    found = {item_key(path, item): item for item in items}
    return None if None in found else found


def _same_quantity(wanted: str, present: str) -> bool:
    # The API server rewrites quantities: 0.5 becomes 500m, 1000m becomes 1.
    amount = quantity(wanted)
    return amount is not None and amount == quantity(present)


def merge_patch(present: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """The RFC 7386 patch that makes ``wanted`` of ``present``; empty when they are equal."""
    patch: dict[str, Any] = {key: None for key in present if key not in wanted}
    for key, value in wanted.items():
        old = present.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            if deeper := merge_patch(old, value):
                patch[key] = deeper
        elif old != value:
            patch[key] = value
    return patch
