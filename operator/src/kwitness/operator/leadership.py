"""Leadership among replicas: one holds a Lease and works, the others wait until it is given up or expires.

Times are those of Kubernetes' own controllers. Clocks of nodes are not compared: a Lease expires when this process has
seen no renewal for as long as it is valid.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import time
from typing import Any, Final, NoReturn

from kwitness.operator.adapters.kubernetes import Kubernetes
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.store import Key

__all__ = ["LEASE", "Leadership", "LeadershipLostError"]

LEASE: Final = "kwitness-operator"
"""Name of the Lease, in the release's namespace."""

_VALID_S: Final = 15.0
"""How long a Lease is valid."""
_RENEWAL_S: Final = 10.0
"""How long its holder tries to renew it."""
_PAUSE_S: Final = 2.0
"""Between two attempts."""

_log = logging.getLogger(__name__)


class LeadershipLostError(RuntimeError):
    """The Lease could not be renewed in time, or another replica has it."""


class Leadership:
    """The Lease, as one replica sees it.

    Parameters
    ----------
    kubernetes
        The API server.
    namespace
        Namespace of the Lease.
    holder
        Name of this replica, unique among all.
    """

    def __init__(self, kubernetes: Kubernetes, namespace: str, holder: str) -> None:
        self._kubernetes = kubernetes
        self._at = Key(namespace, LEASE)
        self._holder = holder
        self._version: str | None = None
        self._since = 0.0

    async def acquire(self) -> None:
        """Wait until this replica has the Lease."""
        waits = False
        while not await self._acquired():
            if not waits:
                _log.info("Waiting for leadership", extra={"lease": str(self._at), "holder": self._holder})
                waits = True
            await asyncio.sleep(_PAUSE_S)
        _log.info("Leading", extra={"lease": str(self._at), "holder": self._holder})

    async def keep(self) -> NoReturn:
        """Renew the Lease for ever.

        Raises
        ------
        LeadershipLostError
            Another replica has it, or no renewal succeeded for as long as one may be tried.
        """
        renewed = time.monotonic()
        while True:
            await asyncio.sleep(_PAUSE_S)
            try:
                async with asyncio.timeout(_RENEWAL_S):
                    holder, version = await self._read()
                    if holder != self._holder:
                        raise LeadershipLostError(f"Lease {self._at} is held by {holder or 'no replica'}")
                    await self._write(self._holder, version)
                    renewed = time.monotonic()
            except (OperatorError, TimeoutError) as error:
                if time.monotonic() - renewed > _RENEWAL_S:
                    raise LeadershipLostError(f"Lease {self._at} could not be renewed: {error}") from error

    async def release(self) -> None:
        """Give the Lease up, so that another replica need not wait until it expires."""
        try:
            holder, version = await self._read()
            if holder == self._holder:
                await self._write("", version)
        except OperatorError as error:
            _log.warning("The lease stays until it expires", extra={"lease": str(self._at), "detail": error.message})

    async def _acquired(self) -> bool:
        try:
            holder, version = await self._read()
            if version != self._version:
                self._version, self._since = version, time.monotonic()
            is_held = holder not in {"", self._holder} and time.monotonic() - self._since <= _VALID_S
            if is_held:
                return False
            await self._write(self._holder, version)
        except OperatorError as error:
            _log.warning("No leadership yet", extra={"lease": str(self._at), "detail": error.message})
            return False
        return True

    async def _read(self) -> tuple[str, str | None]:
        """Return the holder, empty where there is none, and the resource version, None where there is no Lease."""
        found = await self._kubernetes.get("Lease", self._at.namespace, self._at.name)
        if found is None:
            return "", None
        return str((found.get("spec") or {}).get("holderIdentity") or ""), str(found["metadata"]["resourceVersion"])

    async def _write(self, holder: str, version: str | None) -> None:
        now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        spec: dict[str, Any] = {
            "holderIdentity": holder,
            "leaseDurationSeconds": max(1, round(_VALID_S)),
            "renewTime": now,
        }
        await self._kubernetes.exchange("Lease", self._at, {"spec": spec}, version=version)
