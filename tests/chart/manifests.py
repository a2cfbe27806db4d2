"""What tests of the charts look for in what these render."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from kwitness.e2e import chart


def named(manifests: list[chart.Manifest], kind: str, name: str) -> chart.Manifest:
    return next(one for one in chart.of_kind(manifests, kind) if one["metadata"]["name"] == name)


def pod_annotations(manifests: list[chart.Manifest], name: str) -> dict[str, str]:
    return next(
        dict(pod["metadata"]["annotations"]) for pod in chart.pods(manifests) if pod["metadata"]["name"] == name
    )


def containers(pod: chart.Manifest) -> list[dict[str, Any]]:
    return list(pod["spec"]["containers"])


def leaves(node: Any) -> list[Any]:
    if isinstance(node, dict):
        return [leaf for pair in node.items() for one in pair for leaf in leaves(one)]
    if isinstance(node, list):
        return [leaf for one in node for leaf in leaves(one)]
    return [node]


def keys_twice(node: Any) -> Iterator[str]:
    if isinstance(node, yaml.MappingNode):
        names = [key.value for key, _ in node.value]
        yield from {name for name in names if names.count(name) > 1}
        for _, value in node.value:
            yield from keys_twice(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from keys_twice(value)
