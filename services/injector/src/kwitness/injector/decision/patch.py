"""A JSON patch (RFC 6902) that makes a pod what it must be, and none where it is already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

from .pods import Json, annotations_of

__all__ = [
    "Operation",
    "all_listed",
    "annotated",
    "annotations_fit",
    "applied",
    "covers",
    "first_listed",
    "listed",
    "replaced",
]

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


def listed(path: str, present: list[Json], wanted: Json) -> list[Operation]:
    """Have ``wanted`` in a list whose entries are told apart by name; a new one comes last."""
    for index, entry in enumerate(present):
        if entry["name"] == wanted["name"]:
            return [] if covers(entry, wanted) else [{"op": "replace", "path": f"{path}/{index}", "value": wanted}]
    if not present:
        return [replaced(path, [wanted])]
    return [replaced(f"{path}/-", wanted)]


def first_listed(path: str, present: list[Json], wanted: Sequence[Json]) -> list[Operation]:
    """Have all of ``wanted`` in such a list, in this order; new ones come first, or after the one before them."""
    if not present:
        return [replaced(path, list(wanted))]
    operations = []
    names = [entry["name"] for entry in present]
    entries = {entry["name"]: entry for entry in present}
    at = 0
    for entry in wanted:
        name = entry["name"]
        if name not in entries:
            operations.append(replaced(f"{path}/{at}", entry))
            names.insert(at, name)
        else:
            at = names.index(name)
            if not covers(entries[name], entry):
                operations.append({"op": "replace", "path": f"{path}/{at}", "value": entry})
        at += 1
    return operations


def all_listed(path: str, present: list[Json], wanted: Sequence[Json]) -> list[Operation]:
    """Have all of ``wanted`` in such a list; new ones come last."""
    if not present:
        return [replaced(path, list(wanted))]
    return [operation for entry in wanted for operation in listed(path, present, entry)]


def applied(pod: Json, operations: Sequence[Operation]) -> Json:
    """Return the pod as it is after operations that are made here; the pod itself stays as it is."""
    after: Json = deepcopy(pod)
    for operation in operations:
        *way, last = (part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:])
        place: Any = after
        for part in way:
            place = place[int(part)] if isinstance(place, list) else place[part]
        value = deepcopy(operation.get("value"))
        if isinstance(place, list) and operation["op"] == "add":
            place.insert(len(place) if last == "-" else int(last), value)
        elif operation["op"] == "remove":
            del place[last]
        else:
            place[int(last) if isinstance(place, list) else last] = value
    return after


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
