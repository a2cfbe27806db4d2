"""The custom resources, one module per kind: spec, status, and the rules that the API server checks.

Durations, references, connections and the like are modules of their own; nothing here talks to anything. `KINDS` is
imported when it is asked for: who needs a duration, or one kind, does not wait for the models of all.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .kinds import KINDS, KindInfo, PrinterColumn

__all__ = ["KINDS", "KindInfo", "PrinterColumn"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    return getattr(importlib.import_module(".kinds", __name__), name)
