"""The Helm releases of the demo: the product, and a Kafka and a Prometheus to try it with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from kwitness.demo import platform
from kwitness.demo.cluster import DemoCluster

ROOT = Path(__file__).resolve().parents[4]
"""The checkout."""
CHARTS = ROOT / "charts"
PRODUCT, DEMO = "kwitness", "kwitness-demo"
"""The charts, by name."""
VALUES = ROOT / "demo" / "values"
RESOURCES = ROOT / "demo" / "resources"
CLIENTS = ROOT / "demo" / "clients"
GROUP = ".kwitness.dev"
"""What the names of our definitions end in."""


def install(
    cluster: DemoCluster,
    images: Path,
    *,
    console: bool = False,
    settings: Mapping[str, str] | None = None,
    demo_settings: Mapping[str, str] | None = None,
    release: str = platform.RELEASE,
    namespace: str = platform.NAMESPACE,
) -> None:
    """`helm upgrade --install` of both charts with the demo's values; the same whether or not they are there.

    Parameters
    ----------
    images
        A folder with a values file for each chart, of its name, that says where its images are.
    console
        Whether the product has the console, with the values of the demo.
    settings
        Single values of the product's chart that differ, by path (`crds.enabled`); JSON where not text.
    demo_settings
        The same for the demo's chart (`devKafka.replicas`).
    release
        The product's; the other has `-demo` at its end.
    """
    install_product(cluster, images, console=console, settings=settings, release=release, namespace=namespace)
    files = ",".join(
        f"prometheus.rules.{file.stem}={file}" for file in sorted((CHARTS / PRODUCT / "rules").glob("*.yaml"))
    )
    rules = ("--set-file", files)
    _upgrade(cluster, DEMO, images, demo_settings or {}, *rules, place=(_beside(release), namespace))


def install_product(
    cluster: DemoCluster,
    images: Path,
    *,
    console: bool,
    settings: Mapping[str, str] | None = None,
    release: str = platform.RELEASE,
    namespace: str = platform.NAMESPACE,
) -> None:
    """`helm upgrade --install` of the product alone; see `install`."""
    wanted = dict(settings or {})
    if definitions(cluster) - definitions(cluster, of=f"{namespace}/{release}"):
        # Another installation brought them, and Helm would refuse to take them over.
        wanted["crds.enabled"] = "false"
    values = ("--values", str(VALUES / "console.yaml")) if console else ()
    _upgrade(cluster, PRODUCT, images, wanted, *values, place=(release, namespace))


def has_console(cluster: DemoCluster, namespace: str = platform.NAMESPACE) -> bool:
    """Return whether the product is installed with the console."""
    return bool(cluster.find("deployment", platform.CONSOLE, namespace))


def uninstall(cluster: DemoCluster, *, release: str = platform.RELEASE, namespace: str = platform.NAMESPACE) -> None:
    """`helm uninstall` of both, as far as they are installed."""
    listed = json.loads(cluster.helm("list", "--namespace", namespace, "--all", "--output", "json"))
    for name in (_beside(release), release):
        if any(one["name"] == name for one in listed):
            cluster.helm("uninstall", name, "--namespace", namespace, "--wait")


def _beside(release: str) -> str:
    return f"{release}-demo"


def _upgrade(
    cluster: DemoCluster, chart: str, images: Path, settings: Mapping[str, str], *options: str, place: tuple[str, str]
) -> None:
    release, namespace = place
    values = [part for folder in (VALUES, images) for part in ("--values", str(folder / f"{chart}.yaml"))]
    single = [part for key, value in settings.items() for part in ("--set-json", f"{key}={value}")]
    where = ("--namespace", namespace)
    cluster.helm("upgrade", "--install", release, str(CHARTS / chart), *where, *values, *options, *single)


def definitions(cluster: DemoCluster, *, of: str = "") -> set[str]:
    """Names of our custom resource definitions in the cluster; with `of`, those of the release `namespace/name`."""
    found = [item["metadata"] for item in cluster.items("crd") if item["metadata"]["name"].endswith(GROUP)]
    return {one["name"] for one in found if not of or _owner(one.get("annotations", {})) == of}


def _owner(annotations: Mapping[str, str]) -> str:
    return f"{annotations.get('meta.helm.sh/release-namespace')}/{annotations.get('meta.helm.sh/release-name')}"
