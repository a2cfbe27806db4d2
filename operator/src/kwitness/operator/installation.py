"""The name by which this installation's broker configs are told from everybody else's."""

from __future__ import annotations

import asyncio
import logging
import secrets
from typing import Final

from kwitness.operator.adapters.kubernetes import Kubernetes
from kwitness.operator.model.errors import KubernetesUnavailableError
from kwitness.operator.settings import OperatorSettings

__all__ = ["CONFIG_MAP", "InstallationChangedError", "find_installation"]

CONFIG_MAP: Final = "kwitness-installation"
"""It outlives an uninstall, so that the same name comes back and leftovers on brokers can be swept."""
_RETRY_SECONDS: Final = 2.0
_log = logging.getLogger(__name__)


class InstallationChangedError(RuntimeError):
    """Nobody would own what is on the brokers under the former name, and clients would be asked twice."""

    def __init__(self, asked: str | None, kept: str, namespace: str) -> None:
        super().__init__(
            f"the Helm value installation is {asked}, and this installation has been {kept}, which is in the names of"
            f" what it has on brokers: set the value to {kept}; or remove what is on the brokers as"
            f" docs/operations/uninstall.md says, then the ConfigMap {CONFIG_MAP} in namespace {namespace}"
        )


async def find_installation(kubernetes: Kubernetes, settings: OperatorSettings) -> str:
    """Return the name in the ConfigMap, or the configured one or a new one, which is kept there.

    Waits for an API server that is away, or that does not accept the token yet or any more.

    Raises
    ------
    OperatorError
        When the ConfigMap may not be read or written; without a name nothing may be written to a broker.
    InstallationChangedError
        The configured name is another than that in the ConfigMap.
    """
    while True:
        try:
            return await _kept_or_made(kubernetes, settings)
        except KubernetesUnavailableError as error:
            _log.warning("Waiting for the API server", extra={"detail": error.message})
            await asyncio.sleep(_RETRY_SECONDS)


async def _kept_or_made(kubernetes: Kubernetes, settings: OperatorSettings) -> str:
    asked, kept = settings.installation, await _kept(kubernetes, settings.namespace)
    if kept is not None:
        if asked not in {None, kept}:
            raise InstallationChangedError(asked, kept, settings.namespace)
        return kept
    name = asked or secrets.token_hex(4)
    made = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": CONFIG_MAP, "namespace": settings.namespace},
        "data": {"installation": name},
    }
    await kubernetes.apply(made)
    # Another operator may have written at the same time; what is there now counts for both.
    found = await _kept(kubernetes, settings.namespace) or name
    if asked not in {None, found}:
        raise InstallationChangedError(asked, found, settings.namespace)
    return found


async def _kept(kubernetes: Kubernetes, namespace: str) -> str | None:
    found = await kubernetes.get("ConfigMap", namespace, CONFIG_MAP)
    name = ((found or {}).get("data") or {}).get("installation")
    return str(name) if name else None
