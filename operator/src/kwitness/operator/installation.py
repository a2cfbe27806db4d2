"""The name by which this installation's broker configs are told from everybody else's."""

from __future__ import annotations

import secrets
from typing import Final

from kwitness.operator.adapters.kubernetes import Kubernetes
from kwitness.operator.settings import OperatorSettings

__all__ = ["CONFIG_MAP", "find_installation"]

CONFIG_MAP: Final = "kwitness-installation"
"""It outlives an uninstall, so that the same name comes back and leftovers on brokers can be swept."""


async def find_installation(kubernetes: Kubernetes, settings: OperatorSettings) -> str:
    """Return the configured name, or the one in the ConfigMap, or a new one that is kept there.

    Raises
    ------
    OperatorError
        When the ConfigMap cannot be read or written; without a name nothing may be written to a broker.
    """
    if settings.installation is not None:
        return settings.installation
    kept = await _kept(kubernetes, settings.namespace)
    if kept is not None:
        return kept
    name = secrets.token_hex(4)
    made = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": CONFIG_MAP, "namespace": settings.namespace},
        "data": {"installation": name},
    }
    await kubernetes.apply(made)
    # Another operator may have written at the same time; what is there now counts for both.
    return await _kept(kubernetes, settings.namespace) or name


async def _kept(kubernetes: Kubernetes, namespace: str) -> str | None:
    found = await kubernetes.get("ConfigMap", namespace, CONFIG_MAP)
    name = ((found or {}).get("data") or {}).get("installation")
    return str(name) if name else None
