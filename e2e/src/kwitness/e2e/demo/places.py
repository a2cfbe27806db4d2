"""Where the demo stands: on a node of its own, or on the cluster that kubectl points to."""

from __future__ import annotations

import os
import time
from pathlib import Path

from kwitness.e2e import images
from kwitness.e2e.cache import cache_folder
from kwitness.e2e.demo.cluster import DemoCluster
from kwitness.e2e.demo.progress import DemoError, Progress
from kwitness.e2e.demo.up import Place
from kwitness.e2e.node import KubernetesNode

STEPS = 3
"""Steps that this module announces."""
NODE = "kwitness-demo"
"""The demo's node. Tests have another, so that they leave a running demo alone."""


def on_node(node: KubernetesNode, folder: Path, progress: Progress) -> Place:
    """Build the images, load them into a node that runs, and say where everything is.

    Parameters
    ----------
    folder
        Where the Helm values with the images are written.
    """
    with progress.step("container images (what has not changed is not built again)"):
        built = images.build_all(progress.note)
    with progress.step("images into the node"):
        node.load_images(built.values())
    return _place(DemoCluster(node.kubeconfig), built, folder, collect=node.collect_logs)


def on_current_cluster(registry: str, folder: Path, progress: Progress) -> Place:
    """Build the images, push them to a registry and use the cluster that kubectl points to.

    Raises
    ------
    DemoError
        There is no kubeconfig, or it names no cluster that answers.
    """
    kubeconfig = Path(os.environ.get("KUBECONFIG") or Path.home() / ".kube" / "config")
    if not kubeconfig.is_file():
        reason = f"CLUSTER=current needs a kubeconfig, and there is none at {kubeconfig}; set KUBECONFIG"
        raise DemoError(component="cluster", reason=reason, log="")
    cluster = DemoCluster(kubeconfig)
    with progress.step(f"the cluster of {kubeconfig}"):
        cluster.kubectl("version")
    with progress.step("container images (what has not changed is not built again)"):
        built = images.build_all(progress.note)
    with progress.step(f"images to {registry}"):
        pushed = images.push_all(built, registry, progress.note)
    return _place(cluster, pushed, folder, collect=_describe(cluster))


def start_node(progress: Progress, name: str = NODE) -> KubernetesNode:
    """Start the demo's node, or use it if it runs already with the same image."""
    with progress.step("a Kubernetes node in one container"):
        return KubernetesNode(name=name, replace_outdated=True, progress=progress.note).start()


def _place(cluster: DemoCluster, built: dict[str, str], folder: Path, *, collect: object) -> Place:
    values = folder / "images.yaml"
    values.write_text(images.helm_values(built))

    def logs() -> str:
        target = cache_folder() / "logs" / time.strftime("%Y%m%d-%H%M%S")
        target.mkdir(parents=True, exist_ok=True)
        collect(target)  # type: ignore[operator]
        return str(target)

    return Place(cluster=cluster, images=built, image_values=values, logs=logs)


def _describe(cluster: DemoCluster) -> object:
    return cluster.describe_everything
