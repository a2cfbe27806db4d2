"""Names of subscriptions and selectors in the broker, and what they are in resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

__all__ = ["SELECTORS", "ResourceName", "own_prefix", "owner_of", "resource_of", "selector_of"]

_KWITNESS: Final = "kwitness."
_PARTS: Final = 4
"""Of a name of ours: kwitness, installation, namespace and name."""

SELECTORS: Final[Mapping[str, str]] = {
    "clientId": "client_id",
    "clientInstanceId": "client_instance_id",
    "clientSoftwareName": "client_software_name",
    "clientSoftwareVersion": "client_software_version",
    "clientSourceAddress": "client_source_address",
    "clientSourcePort": "client_source_port",
}
"""Selectors as resources spell them, to Kafka's spelling."""
_SPELLINGS: Final = {kafkas: ours for ours, kafkas in SELECTORS.items()}


class ResourceName(NamedTuple):
    """A ClientMetricsSubscription."""

    namespace: str
    name: str


def own_prefix(installation: str) -> str:
    """Return what the names of all subscriptions of an installation begin with."""
    return f"{_KWITNESS}{installation}."


def resource_of(prefix: str | None, name: str) -> ResourceName | None:
    """Return the resource that a subscription of the installation with this prefix is made from; None for others."""
    if prefix is None or not name.startswith(prefix):
        return None
    namespace, _, rest = name.removeprefix(prefix).partition(".")
    return ResourceName(namespace, rest) if namespace and rest else None


def owner_of(prefix: str | None, name: str) -> Literal["Ours", "OtherInstallation", "Foreign"]:
    """Return who made a subscription, from the prefix of this installation."""
    if resource_of(prefix, name) is not None:
        return "Ours"
    parts = name.split(".", _PARTS - 1)
    return "OtherInstallation" if name.startswith(_KWITNESS) and len(parts) == _PARTS and all(parts) else "Foreign"


def selector_of(key: str) -> str:
    """Return a selector as resources spell it; one that they do not have stays as it is."""
    return _SPELLINGS.get(key, key)
