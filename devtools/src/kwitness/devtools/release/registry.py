"""Knows of a registry if it is on this machine, and what to do where it refuses."""

from __future__ import annotations

import ipaddress
import re
from typing import Final

__all__ = ["is_loopback", "registry_remedy"]

_AWAY: Final = re.compile(r"connection refused|no such host|timeout|no route", re.IGNORECASE)
_DENIED: Final = re.compile(r"\b(401|403|405)\b|unauthorized|denied|forbidden|credential not found", re.IGNORECASE)
_ABSENT: Final = re.compile(r"\b404\b|not found|unknown manifest|MANIFEST_UNKNOWN|NAME_UNKNOWN", re.IGNORECASE)


def is_loopback(registry: str) -> bool:
    """Return whether a registry is on this machine."""
    host = registry.partition("/")[0]
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def registry_remedy(reason: str, *, sign_in: str) -> str:
    """Return a remedy for the reason that a program gives.

    Parameters
    ----------
    sign_in
        Command that signs a user of the program in.
    """
    if _AWAY.search(reason):
        return "start it, or correct REGISTRY"
    if _DENIED.search(reason):
        return f"sign in by `{sign_in}` as a user who may push there"
    if _ABSENT.search(reason):
        return "run the step that pushes it again"
    return "the registry's log says more; run the step again when it is mended"
