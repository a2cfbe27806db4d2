"""Converts `spec.identity` of TelemetryCollector and ObserverDeployment, which had a field for each key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["identity_to_v1beta1"]

_CAPITAL: Final = re.compile(r"[A-Z]")


def identity_to_v1beta1(identity: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the list of `{key, treatment}`; keys that are kept are left out, since the API server wrote them all."""
    return [
        {"key": _CAPITAL.sub(lambda found: f"_{found[0].lower()}", field), "treatment": treatment}
        for field, treatment in identity.items()
        if treatment != "Keep"
    ]
