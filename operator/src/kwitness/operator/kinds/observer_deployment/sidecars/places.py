"""Where the injector is, and where it is told."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.injections import INJECTIONS_CONFIG_MAP
from kwitness.operator.model.store import Key
from kwitness.operator.settings import OperatorSettings

__all__ = ["INJECTOR", "config_map_key"]

INJECTOR: Final = "kwitness-injector"
"""Name of its Deployment, in the release's namespace; the chart makes it."""


def config_map_key(settings: OperatorSettings) -> Key:
    """The ConfigMap with all injections."""
    return Key(settings.namespace, INJECTIONS_CONFIG_MAP)
