"""Processor time and memory of a container, from a resource and from what the installation gives where it is silent."""

from __future__ import annotations

from collections.abc import Mapping

from kwitness.contracts.resources.pod_resources import PodResources
from kwitness.contracts.resources.quantities import quantity

__all__ = ["container_resources"]

Amounts = dict[str, dict[str, str]]


def container_resources(asked: PodResources, defaults: Mapping[str, Mapping[str, str]]) -> Amounts:
    """Combine them: a default that contradicts what is asked for moves to it, as a request above a limit is refused."""
    wanted: Amounts = asked.model_dump()
    combined = {part: {**defaults.get(part, {}), **wanted[part]} for part in wanted}
    combined = {part: amounts for part, amounts in combined.items() if amounts}
    requests, limits = combined.get("requests", {}), combined.get("limits", {})
    for name in requests.keys() & limits.keys():
        if not _exceeds(requests[name], limits[name]):
            continue
        if name not in wanted["limits"]:
            limits[name] = requests[name]
        elif name not in wanted["requests"]:
            requests[name] = limits[name]
    return combined


def _exceeds(request: str, limit: str) -> bool:
    asked, most = quantity(request), quantity(limit)
    return asked is not None and most is not None and asked > most
