"""The charts, rendered by the real Helm."""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from kwitness.e2e import binaries
from kwitness.images.commands import run

_CHARTS = Path(__file__).resolve().parents[4] / "charts"
CHART = _CHARTS / "kwitness"
"""The product."""
DEMO_CHART = _CHARTS / "kwitness-demo"
"""A Kafka and a Prometheus to try it with."""
KUBERNETES_VERSION = "1.34.4"
"""What templates are told when no cluster is asked; Helm's own default is older than the chart allows."""

Manifest = dict[str, Any]


def helm(*arguments: str | Path) -> str:
    """Run helm; its standard output.

    Raises
    ------
    CommandFailedError
        helm failed; what it said is in the message.
    """
    return run([binaries.helm(), *map(str, arguments)])


def render(
    values: Mapping[str, Any] | None = None,
    *,
    namespace: str = "kwitness",
    release: str = "kwitness",
    chart: Path = CHART,
) -> list[Manifest]:
    """`helm template` with the given values; the objects it renders.

    Raises
    ------
    CommandFailedError
        The values do not fit the schema, or a template failed.
    """
    text = _rendered(json.dumps(values or {}), namespace, release, chart)
    return [document for document in yaml.load_all(text, Loader=yaml.CSafeLoader) if document]


@functools.cache
def _rendered(values: str, namespace: str, release: str, chart: Path) -> str:
    with values_file(json.loads(values)) as file:
        return helm(
            *("template", release, chart, "--namespace", namespace),
            *("--kube-version", KUBERNETES_VERSION, "--values", file.name),
        )


def values_file(values: Mapping[str, Any]) -> Any:
    """A temporary values file; a context manager."""
    file = tempfile.NamedTemporaryFile("w", suffix=".json")  # noqa: SIM115 - the caller's `with` closes it
    json.dump(values, file)
    file.flush()
    return file


def of_kind(manifests: list[Manifest], *kinds: str) -> list[Manifest]:
    """Only the objects of these kinds."""
    return [one for one in manifests if one["kind"] in kinds]


def pods(manifests: list[Manifest]) -> Iterator[Manifest]:
    """A Pod for each workload and each pod: what a controller would make of it."""
    for one in of_kind(manifests, "Deployment", "StatefulSet", "Pod"):
        template = one if one["kind"] == "Pod" else one["spec"]["template"]
        claims = [
            {"name": claim["metadata"]["name"], "emptyDir": {}} for claim in one["spec"].get("volumeClaimTemplates", [])
        ]
        metadata = {
            **{key: value for key, value in template["metadata"].items() if key != "namespace"},
            "name": one["metadata"]["name"],
        }
        spec = {**template["spec"], "volumes": [*template["spec"].get("volumes", []), *claims]}
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
