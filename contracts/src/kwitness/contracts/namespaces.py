"""Lists of namespaces, in which * stands for all."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

__all__ = ["ANY_NAMESPACE", "contains_namespace"]

ANY_NAMESPACE: Final = "*"


def contains_namespace(namespaces: Collection[str], namespace: str) -> bool:
    """Return whether a list names a namespace or has `ANY_NAMESPACE`."""
    return namespace in namespaces or ANY_NAMESPACE in namespaces
