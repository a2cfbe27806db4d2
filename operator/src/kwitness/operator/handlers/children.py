"""What the operator made, watched by its label: what others have in the namespaces is neither listed nor kept.

Metadata alone is watched, also of those whose status is read: an event says what to read again, and nothing is decided
from an older state than the last write left. ConfigMaps, Services, policies and claims are compared once a minute
instead: a watch of them would need the permission to list everybody's.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import aiohttp

from kwitness.operator import metrics
from kwitness.operator.adapters.resource_types import TYPES
from kwitness.operator.context import Context
from kwitness.operator.model.fingerprints import fingerprint
from kwitness.operator.model.ownership import CHILDREN_OF_JOBS, MANAGED, WATCHED_CHILDREN, owner_of
from kwitness.operator.model.store import Key
from kwitness.operator.settings import OperatorSettings
from kwitness.runtime.watching import Collection, follow

__all__ = ["Children", "Pace", "watch_children"]

_OURS: Final = ("uid", "generation", "labels", "annotations", "ownerReferences", "deletionTimestamp")
"""Metadata that tell a change of what the operator wants from one of the status; every other is the API server's."""


async def watch_children(context: Context, session: aiohttp.ClientSession, server: str) -> None:
    """Follow them until cancelled; what may not be watched is compared as often as without."""
    children = Children(context)
    async with asyncio.TaskGroup() as group:
        for kind, namespace in _collections(context.settings):
            group.create_task(follow(session, server, _collection(context, children, kind, namespace)))


def _collections(settings: OperatorSettings) -> Iterator[tuple[str, str | None]]:
    namespaces = [None] if settings.watches_everything else settings.watch_namespaces
    of_jobs = [one for one in settings.analytics.namespaces if settings.watches(one)]
    for kind in WATCHED_CHILDREN:
        yield from ((kind, namespace) for namespace in (of_jobs if kind in CHILDREN_OF_JOBS else namespaces))


def _collection(context: Context, children: Children, kind: str, namespace: str | None) -> Collection:
    plural = TYPES[kind].plural
    watched = metrics.CHILDREN_WATCHED.labels(resource=plural, namespace=namespace or "")
    watched.set(0)

    def succeeded(_resource: str) -> None:
        context.children_watched.add((kind, namespace))
        watched.set(1)

    def interrupted() -> None:
        context.children_watched.discard((kind, namespace))
        watched.set(0)

    return Collection(
        path=TYPES[kind].path(namespace),
        selector={"labelSelector": f"{MANAGED}=true"},
        listed=lambda found: children.listed(kind, namespace, found),
        changed=lambda body, gone: children.changed(kind, body["metadata"], gone=gone),
        succeeded=succeeded,
        metadata_only=True,
        interrupted=interrupted,
    )


class _Seen(NamedTuple):
    """A child as it was heard of last; ``owner`` is kind and key of our resource that it belongs to, or did."""

    version: str
    marks: str
    owner: tuple[str, Key] | None


class Pace:
    """How often a resource's children are compared because somebody changed one: so no quarrel goes on at full speed.

    Beyond that they are compared once a minute, as they are without a watch.
    """

    _MOST: Final = 4
    _SECONDS: Final = 60.0

    def __init__(self) -> None:
        self._times: dict[tuple[str, Key], deque[float]] = {}

    def allows(self, owner: tuple[str, Key], now: float) -> bool:
        """Whether once more, at ``now`` in monotonic seconds, is not too often; then it counts."""
        times = self._times.setdefault(owner, deque(maxlen=self._MOST))
        if len(times) == self._MOST and now - times[0] < self._SECONDS:
            return False
        times.append(now)
        return True

    def forget(self, owner: tuple[str, Key]) -> None:
        """The resource is gone."""
        self._times.pop(owner, None)


class Children:
    """What was heard of each child, and who is woken when it changes."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._seen: dict[tuple[str, Key], _Seen] = {}
        self._listed: set[tuple[str, str | None]] = set()
        self._pace = Pace()

    def listed(self, kind: str, namespace: str | None, found: list[dict[str, Any]]) -> None:
        """Take a complete list; of the first one nothing was changed by anybody, as far as is known."""
        first = (kind, namespace) not in self._listed
        self._listed.add((kind, namespace))
        present = {_key(one["metadata"]) for one in found}
        for one in found:
            self.changed(kind, one["metadata"], quietly=first)
        missing = [
            key for of, key in self._seen if of == kind and namespace in {None, key.namespace} and key not in present
        ]
        for key in missing:
            self.changed(kind, {"namespace": key.namespace, "name": key.name}, gone=True)

    def changed(self, kind: str, metadata: dict[str, Any], *, gone: bool = False, quietly: bool = False) -> None:
        """Take one that came, changed or went; ``quietly`` does not have it compared."""
        key = _key(metadata)
        before = self._seen.pop((kind, key), None)
        owner = owner_of(metadata) or (before.owner if before is not None else None)
        version = str(metadata.get("resourceVersion"))
        marks = fingerprint([metadata.get(name) for name in _OURS])
        if not gone:
            self._seen[kind, key] = _Seen(version, marks, owner)
            if before is not None and before.version == version:
                return
        self._context.touched(kind, key)
        is_other = gone or before is None or before.marks != marks
        if gone:
            self._context.kubernetes.applied.forget(kind, key)
        if is_other and not quietly and owner is not None and not self._is_our_write(kind, key, version):
            self._compare(owner)

    def _is_our_write(self, kind: str, key: Key, version: str) -> bool:
        return self._context.kubernetes.applied.is_last_write(kind, key, version)

    def _compare(self, owner: tuple[str, Key]) -> None:
        if self._context.store.get(*owner) is None:
            # Its children go with it.
            self._pace.forget(owner)
        elif self._pace.allows(owner, time.monotonic()):
            self._context.children_touched[owner] = time.monotonic()
            self._context.enqueue(*owner, 0.0)


def _key(metadata: dict[str, Any]) -> Key:
    return Key(metadata["namespace"], metadata["name"])
