"""The Helm release of the demo."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from kwitness.demo import platform
from kwitness.demo.cluster import DemoCluster

ROOT = Path(__file__).resolve().parents[4]
"""The checkout."""
CHART = ROOT / "charts" / "kwitness"
VALUES = ROOT / "demo" / "values.yaml"
RESOURCES = ROOT / "demo" / "resources"
CLIENTS = ROOT / "demo" / "clients"
GROUP = ".kwitness.dev"
"""What the names of our definitions end in."""


def install(
    cluster: DemoCluster,
    images: Path,
    *,
    settings: Mapping[str, str] | None = None,
    release: str = platform.RELEASE,
    namespace: str = platform.NAMESPACE,
) -> None:
    """`helm upgrade --install` with the demo's values; the same command whether or not it is there.

    Parameters
    ----------
    images
        A values file that says where the images are.
    settings
        Single values that differ, by path (`devKafka.replicas`); JSON where not text.
    """
    wanted = dict(settings or {})
    if definitions(cluster) - definitions(cluster, of=f"{namespace}/{release}"):
        # Another installation brought them, and Helm would refuse to take them over.
        wanted["crds.enabled"] = "false"
    extra = [part for key, value in wanted.items() for part in ("--set-json", f"{key}={value}")]
    cluster.helm(
        "upgrade",
        "--install",
        release,
        str(CHART),
        "--namespace",
        namespace,
        "--values",
        str(VALUES),
        "--values",
        str(images),
        *extra,
    )


def uninstall(cluster: DemoCluster, *, release: str = platform.RELEASE, namespace: str = platform.NAMESPACE) -> None:
    """`helm uninstall`, if it is installed."""
    listed = json.loads(cluster.helm("list", "--namespace", namespace, "--all", "--output", "json"))
    if any(one["name"] == release for one in listed):
        cluster.helm("uninstall", release, "--namespace", namespace, "--wait")


def definitions(cluster: DemoCluster, *, of: str = "") -> set[str]:
    """Names of our custom resource definitions in the cluster; with `of`, those of the release `namespace/name`."""
    found = [item["metadata"] for item in cluster.items("crd") if item["metadata"]["name"].endswith(GROUP)]
    return {one["name"] for one in found if not of or _owner(one.get("annotations", {})) == of}


def _owner(annotations: Mapping[str, str]) -> str:
    return f"{annotations.get('meta.helm.sh/release-namespace')}/{annotations.get('meta.helm.sh/release-name')}"
