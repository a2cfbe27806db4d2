"""What the injector knows of the cluster: its injections, the metadata of enabled namespaces, Kubernetes' version."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from typing import Any, Final

import aiohttp

from kwitness.contracts.injections import INJECTION
from kwitness.injector import metrics
from kwitness.injector.configuration import Configuration
from kwitness.injector.decision.place import Place
from kwitness.runtime.api_failures import in_words
from kwitness.runtime.watching import METADATA, Collection, follow

__all__ = ["Cluster"]

Json = dict[str, Any]

_FALLBACK_S: Final = 1.0
"""How long one namespace is asked for: the API server waits two seconds for all of a review."""

_VERSION_EVERY_S: Final = 600.0
"""Kubernetes is upgraded under a running injector."""

_LOG = logging.getLogger(__name__)


class Cluster:
    """Follows what it needs to know; `ready` once all of it was read."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        server: str,
        *,
        namespace: str,
        injections: str,
        interceptors: str,
        security_level: str,
        into: Configuration,
    ) -> None:
        self._session = session
        self._server = server
        self._namespaces: dict[str, Json] | None = None
        self._minor: int | None = None
        self._configured: set[str] = set()
        self._security_level = security_level
        self._config_maps = tuple(
            self._config_map(namespace, name, take)
            for name, take in ((injections, into.take), (interceptors, into.take_interceptors))
        )
        self._enabled = Collection(
            path="/api/v1/namespaces",
            selector={"labelSelector": f"{INJECTION}=enabled"},
            listed=self._know,
            changed=self._change,
            succeeded=_heard,
            metadata_only=True,
        )

    @property
    def ready(self) -> bool:
        """Whether reviews can be decided."""
        return (
            len(self._configured) == len(self._config_maps) and self._namespaces is not None and self._minor is not None
        )

    async def run(self) -> None:
        """Follow until cancelled."""
        async with asyncio.TaskGroup() as group:
            for config_map in self._config_maps:
                group.create_task(follow(self._session, self._server, config_map))
            group.create_task(follow(self._session, self._server, self._enabled))
            group.create_task(self._find_version())

    async def place(self, name: str) -> Place | None:
        """What is known of a namespace; one that was enabled a moment ago is asked for."""
        if self._minor is None:
            return None
        known = (self._namespaces or {}).get(name) or await self._ask(name)
        return None if known is None else Place(known, self._minor, self._security_level)

    async def _ask(self, name: str) -> Json | None:
        timeout = aiohttp.ClientTimeout(total=_FALLBACK_S)
        url, headers = f"{self._server}/api/v1/namespaces/{name}", {"Accept": METADATA}
        try:
            async with self._session.get(url, headers=headers, timeout=timeout, raise_for_status=True) as answer:
                return dict(await answer.json(content_type=None))
        except (aiohttp.ClientError, TimeoutError) as error:
            _LOG.warning(
                "A namespace is not known",
                extra={"namespace": name, "detail": in_words(error)},
            )
            return None

    async def _find_version(self) -> None:
        timeout = aiohttp.ClientTimeout(total=10)
        while True:
            try:
                async with self._session.get(f"{self._server}/version", timeout=timeout, raise_for_status=True) as one:
                    found = await one.json(content_type=None)
                # Some providers write 31+.
                self._minor = int(re.sub(r"\D.*", "", found["minor"]))
            except (aiohttp.ClientError, TimeoutError, ValueError) as error:
                _LOG.warning("Kubernetes' version is not known", extra={"detail": in_words(error)})
            await asyncio.sleep(_VERSION_EVERY_S if self._minor is not None else 1)

    def _config_map(self, namespace: str, name: str, take: Callable[[dict[str, str] | None], None]) -> Collection:
        def configure(found: list[Json]) -> None:
            take((found[0].get("data") or {}) if found else None)
            self._configured.add(name)

        return Collection(
            path=f"/api/v1/namespaces/{namespace}/configmaps",
            selector={"fieldSelector": f"metadata.name={name}"},
            listed=configure,
            changed=lambda one, gone: configure([] if gone else [one]),
            succeeded=_heard,
        )

    def _know(self, found: list[Json]) -> None:
        self._namespaces = {one["metadata"]["name"]: one for one in found}

    def _change(self, namespace: Json, gone: bool) -> None:  # noqa: FBT001 - as every collection's
        known = self._namespaces if self._namespaces is not None else {}
        if gone:
            known.pop(namespace["metadata"]["name"], None)
        else:
            known[namespace["metadata"]["name"]] = namespace


def _heard(resource: str) -> None:
    metrics.WATCH_SUCCESS.labels(resource=resource).set_to_current_time()
