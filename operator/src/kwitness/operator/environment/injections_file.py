"""Writes what the injector reads of one sort: the injections of all namespaces, in the order in which they prevail.

The order of namespaces is the installation's (`injector.otherNamespaces.from`); priority orders within a namespace.
Room is shared: each namespace has an equal part. What is too large for the rest of its namespace's part waits until the
others have theirs, and what finds no room takes none.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeVar

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
    at: Key,
    wanted: Iterable[T],
    file: Callable[[tuple[T, ...]], str],
    digest: Callable[[T], str],
    *,
    first: Sequence[str],
) -> Body:
    """Return the ConfigMap, with a hash by owner; None is that of those that found no room.

    ``first`` are namespaces whose injections come before all others', in this order.
    """
    rank = {namespace: number for number, namespace in enumerate(first)}
    in_order = sorted(
        wanted,
        key=lambda one: (
            rank.get(one.namespace, len(rank)),
            one.namespace,
            precedence(one.priority, one.name),
        ),
    )
    fitting = _fitting(in_order)
    held = [injection for injection in in_order if injection.owner in fitting]
    hashes = {one.owner: digest(one) if one.owner in fitting else None for one in in_order}
    labels = {"app.kubernetes.io/part-of": "kwitness", "app.kubernetes.io/managed-by": "kwitness-operator"}
    metadata: dict[str, Any] = {"name": at.name, "namespace": at.namespace, "labels": labels}
    data = {INJECTIONS_KEY: file(tuple(held)), INJECTION_HASHES_KEY: json.dumps(dict(sorted(hashes.items())))}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def _fitting(in_order: Sequence[OfTheInjector]) -> set[str]:
    """Return the owners whose injections find room: within their namespace's part first, then in what is left.

    What is left goes first to the namespaces that exceed their part the least with it.
    """
    sizes = {injection.owner: len(injection.model_dump_json().encode()) + 1 for injection in in_order}
    namespaces = {injection.namespace for injection in in_order}
    share = max(1, len(namespaces))
    parts = dict.fromkeys(namespaces, _Room(_MOST_BYTES // share, _MOST // share))
    fitting: set[str] = set()
    for injection in in_order:
        left = parts[injection.namespace].without(sizes[injection.owner])
        if left is not None:
            parts[injection.namespace] = left
            fitting.add(injection.owner)
    excess = Counter({namespace: -part.size for namespace, part in parts.items()})
    waiting: list[tuple[int, OfTheInjector]] = []
    for injection in in_order:
        if injection.owner not in fitting:
            excess[injection.namespace] += sizes[injection.owner]
            waiting.append((excess[injection.namespace], injection))
    room = _Room(_MOST_BYTES - sum(sizes[owner] for owner in fitting), _MOST - len(fitting))
    for _, injection in sorted(waiting, key=lambda entry: entry[0]):
        rest = room.without(sizes[injection.owner])
        if rest is not None:
            room = rest
            fitting.add(injection.owner)
    return fitting


class _Room(NamedTuple):
    size: int
    number: int

    def without(self, size: int) -> _Room | None:
        """Return what is left beside an injection of ``size`` bytes; None if it does not fit."""
        return _Room(self.size - size, self.number - 1) if self.size >= size and self.number else None


def standing(config_map: Body | None, parse: Callable[[str], Sequence[T]]) -> Mapping[str, T]:
    """Return, by owner, what the injector was told last; nothing where that cannot be read."""
    text = ((config_map or {}).get("data") or {}).get(INJECTIONS_KEY)
    try:
        found = parse(text) if text else ()
    except ValidationError:
        # Of another version, or changed by somebody; it is about to be replaced.
        return {}
    return {one.owner: one for one in found}
