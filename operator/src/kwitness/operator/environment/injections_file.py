"""What the injector reads of one sort: all injections of the installation, in the order in which they prevail."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

from pydantic import ValidationError

from kwitness.contracts.injections import INJECTION_HASHES_KEY, INJECTIONS_KEY
from kwitness.contracts.resources.precedence import precedence
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Body

__all__ = ["OfTheInjector", "injections_config_map", "standing"]

_MOST_BYTES: Final = 900_000
"""Of the file; the API server takes 1 MiB of a ConfigMap."""
_MOST: Final = 1_000


class OfTheInjector(Protocol):
    """One injection, of observers or of interceptors."""

    @property
    def namespace(self) -> str:
        """Of its resource."""

    @property
    def name(self) -> str:
        """Of its resource."""

    @property
    def priority(self) -> int:
        """Of its resource."""

    @property
    def owner(self) -> str:
        """<namespace>/<name> of its resource."""

    def model_dump_json(self) -> str:
        """As the file has it."""


T = TypeVar("T", bound=OfTheInjector)


def injections_config_map(
    at: Key, wanted: Iterable[T], file: Callable[[tuple[T, ...]], str], digest: Callable[[T], str]
) -> Body:
    """Return the ConfigMap, with a hash by owner; None is that of those that found no room."""
    held: list[T] = []
    hashes: dict[str, str | None] = {}
    room = _MOST_BYTES
    for one in sorted(wanted, key=lambda one: precedence(one.priority, one.namespace, one.name)):
        room -= len(one.model_dump_json().encode()) + 1
        fits = room >= 0 and len(held) < _MOST
        if fits:
            held.append(one)
        hashes[one.owner] = digest(one) if fits else None
    labels = {"app.kubernetes.io/part-of": "kwitness", "app.kubernetes.io/managed-by": "kwitness-operator"}
    metadata: dict[str, Any] = {"name": at.name, "namespace": at.namespace, "labels": labels}
    data = {INJECTIONS_KEY: file(tuple(held)), INJECTION_HASHES_KEY: json.dumps(dict(sorted(hashes.items())))}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def standing(config_map: Body | None, parse: Callable[[str], Sequence[T]]) -> Mapping[str, T]:
    """Return, by owner, what the injector was told last; nothing where that cannot be read."""
    text = ((config_map or {}).get("data") or {}).get(INJECTIONS_KEY)
    try:
        found = parse(text) if text else ()
    except ValidationError:
        # Of another version, or changed by somebody; it is about to be replaced.
        return {}
    return {one.owner: one for one in found}
