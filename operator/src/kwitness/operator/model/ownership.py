"""Whether an object already is as we want it, and what must change in a status if it is not."""

from __future__ import annotations

from typing import Any, Final

from kwitness.operator.model.quantities import quantity

__all__ = ["APPLIED_HASH", "belongs_to", "covers", "merge_patch"]

APPLIED_HASH: Final = "kwitness.dev/applied-hash"
"""Annotation with the hash of what was last applied; it shows that a field was dropped from the desired state."""

_KEYS: Final = ("name", "containerPort", "port", "mountPath", "key", "type")
"""What tells the items of Kubernetes' list-maps apart; an item of someone else's in such a list is left alone."""


def belongs_to(present: dict[str, Any], owner: dict[str, Any]) -> bool:
    """Whether an object is a child of the resource that the owner reference names, or of its predecessor by that name.

    One without a controller is what is left of such a child (of a restore, or of a deletion that spared it), if the
    annotation says that we made it.
    """
    metadata = present["metadata"]
    controllers = [one for one in metadata.get("ownerReferences", ()) if one.get("controller")]
    if not controllers:
        return APPLIED_HASH in metadata.get("annotations", {})
    return any((one["kind"], one["name"]) == (owner["kind"], owner["name"]) for one in controllers)


def covers(present: Any, wanted: Any) -> bool:
    """Whether ``present`` holds everything that ``wanted`` names; what it holds beyond that belongs to others."""
    if isinstance(wanted, dict):
        return isinstance(present, dict) and all(
            (key in present and covers(present[key], value)) or (key not in present and _is_empty(value))
            for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(present, list) and _list_covers(present, wanted)
    if isinstance(wanted, str) and isinstance(present, str):
        return wanted == present or (_same_quantity(wanted, present))
    return bool(present == wanted)


def _is_empty(value: Any) -> bool:
    # The API server drops empty maps and lists.
    return value in ({}, [], None)


def _list_covers(present: list[Any], wanted: list[Any]) -> bool:
    key = next(
        (key for key in _KEYS if wanted and all(isinstance(item, dict) and key in item for item in wanted)), None
    )
    if key is None:
        return len(present) == len(wanted) and all(map(covers, present, wanted))
    by_key = {item.get(key): item for item in present if isinstance(item, dict)}
    return all(item[key] in by_key and covers(by_key[item[key]], item) for item in wanted)


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
