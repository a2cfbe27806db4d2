"""Whose reports a collector takes because the operator knows of them, beside those that its resource names."""

from __future__ import annotations

from dataclasses import dataclass

from kwitness.operator.model.store import Key

__all__ = ["Reporters"]


@dataclass(frozen=True, slots=True)
class Reporters:
    """ObserverDeployments that are gateways, and namespaces whose pods may have an observer, or interceptors."""

    gateways: tuple[Key, ...] = ()
    namespaces: tuple[str, ...] = ()
    intercepted: tuple[str, ...] = ()
