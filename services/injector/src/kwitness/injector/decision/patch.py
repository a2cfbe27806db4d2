"""A JSON patch (RFC 6902) that makes a pod what it must be, and none where it is already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .pods import Json, annotations_of

__all__ = ["Operation", "all_listed", "annotated", "annotations_fit", "covers", "listed", "replaced"]

Operation = Json
"""op, path and value."""

_MOST_ANNOTATED: Final = 255 * 1024
"""Bytes of all names and values; the API server takes 256 KiB, and some marks are still to be added."""


def replaced(path: str, value: Any) -> Operation:
    """Set a member, whether it is there or not."""
    return {"op": "add", "path": path, "value": value}


def annotated(pod: Json, wanted: Mapping[str, str | None]) -> list[Operation]:
    """Set annotations; None removes one."""
    present = annotations_of(pod)
    values = {name: value for name, value in wanted.items() if value is not None and present.get(name) != value}
    if values and not present:
        return [replaced("/metadata/annotations", values)]
    operations = [replaced(_annotation(name), value) for name, value in values.items()]
    operations += [
        {"op": "remove", "path": _annotation(name)}
        for name, value in wanted.items()
        if value is None and name in present
    ]
    return operations


def annotations_fit(pod: Json, wanted: Mapping[str, str]) -> bool:
    """Whether the API server takes that many characters of annotations."""
    after = {**annotations_of(pod), **wanted}
    return sum(len(name.encode()) + len(value.encode()) for name, value in after.items()) <= _MOST_ANNOTATED


def listed(path: str, present: list[Json], wanted: Json, *, first: bool = False) -> list[Operation]:
    """Have ``wanted`` in a list whose entries are told apart by name; a new one comes first or last."""
    for index, entry in enumerate(present):
        if entry["name"] == wanted["name"]:
            return [] if covers(entry, wanted) else [{"op": "replace", "path": f"{path}/{index}", "value": wanted}]
    if not present:
        return [replaced(path, [wanted])]
    return [replaced(f"{path}/0" if first else f"{path}/-", wanted)]


def all_listed(path: str, present: list[Json], wanted: Sequence[Json]) -> list[Operation]:
    """Have all of ``wanted`` in such a list; new ones come last."""
    if not present:
        return [replaced(path, list(wanted))]
    return [operation for entry in wanted for operation in listed(path, present, entry)]


def covers(present: Any, wanted: Any) -> bool:
    """Whether all that is wanted is there; what the API server adds by default may be there too."""
    if isinstance(wanted, dict):
        return isinstance(present, dict) and all(
            name in present and covers(present[name], value) for name, value in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(present, list) and len(present) == len(wanted) and all(map(covers, present, wanted))
    return bool(present == wanted)


def _annotation(name: str) -> str:
    return f"/metadata/annotations/{name.replace('~', '~0').replace('/', '~1')}"
