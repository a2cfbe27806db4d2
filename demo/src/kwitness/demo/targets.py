"""Where the demo stands: on a node of its own, or on the cluster that kubectl points to."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from kwitness.demo import images
from kwitness.demo.cluster import DemoCluster
from kwitness.demo.first_checks import NODE
from kwitness.demo.image_supply import ImageSupply
from kwitness.demo.parts import DemoTarget
from kwitness.demo.platform import APPS, NAMESPACE
from kwitness.demo.progress import DemoError, Progress
from kwitness.e2e import binaries
from kwitness.e2e.node.kubernetes_node import KubernetesNode
from kwitness.images import builder, container_engine
from kwitness.images.cache import cache_folder
from kwitness.images.commands import CommandFailedError, run
from kwitness.images.commands import Progress as Say

STEPS = 1
"""Steps before the parts."""
HOSTNAME = "kubernetes.io/hostname"


def start_node(folder: Path, progress: Progress, names: Collection[str]) -> tuple[KubernetesNode, DemoTarget]:
    """Start the demo's node, or use it if it runs already with the same image; images are brought beside that.

    Parameters
    ----------
    folder
        Where the Helm values with the images are written.
    names
        The images that are needed; the values name the others as well.
    """

    def load(references: Sequence[str], note: Say) -> None:
        node.load_images(references, note)

    with progress.step("a Kubernetes node in one container"):
        binaries.helm(progress.note)
        container_engine.ensure_engine(progress.note)
        supply = ImageSupply(names, load)
        supply.start()
        node = KubernetesNode(name=NODE, replace_outdated=True, progress=progress.note)  # builds the node's image
        node.start()
        supply.open()
    return node, _on_node(node, folder, supply)


def on_node(node: KubernetesNode, folder: Path, progress: Progress) -> DemoTarget:
    """Build all images and load them into a node that runs."""
    with progress.step("container images (what has not changed is not built again)"):
        built = builder.build_all(images.ALL, progress.note)
    with progress.step("images into the node"):
        node.load_images(list(built.values()), progress.note)
    return _on_node(node, folder, None)


def on_current_cluster(registry: str, folder: Path, progress: Progress, names: Collection[str]) -> DemoTarget:
    """Use the cluster that kubectl points to; images are pushed to a registry beside that.

    Parameters
    ----------
    folder
        Where the Helm values and a copy of the credentials are written.
    names
        The images that are needed; the values name the others as well.

    Raises
    ------
    DemoError
        There is no kubeconfig, or its cluster has no node that pods could run on.
    """

    def push(references: Sequence[str], note: Say) -> None:
        builder.push_all({reference: reference for reference in references}, registry, note)

    with progress.step("the cluster that kubectl points to"):
        cluster = current_cluster(folder, progress.note)
        placement = placement_on(cluster.items("nodes"))
        for name in placement.values():
            progress.note(f"everything that shares the table's volume runs on one of its nodes, {name}")
        supply = ImageSupply(names, push)
        supply.start()
        supply.open()
    references = {name: builder.pushed_name(reference, registry) for name, reference in images.references().items()}
    values = _write_values(folder, references, placement)
    logs = _logs_by(lambda folder: cluster.collect_logs(folder, NAMESPACE, APPS))
    return DemoTarget(cluster=cluster, images=references, image_values=values, logs=logs, supply=supply)


def current_cluster(folder: Path, progress: Say) -> DemoCluster:
    """The cluster of the current context. What is read now is copied into `folder`: a later switch changes nothing.

    Raises
    ------
    DemoError
        There is no kubeconfig, or it has no current context.
    """
    binaries.helm(progress)
    kubectl = binaries.kubectl(progress)
    try:
        text = run([kubectl, "config", "view", "--raw", "--flatten", "--minify"])
    except CommandFailedError as failed:
        where = os.environ.get("KUBECONFIG") or "~/.kube/config"
        reason = f"CLUSTER=current needs a kubeconfig with a current context, and {where} has none; set KUBECONFIG"
        raise DemoError(component="cluster", reason=reason, log="kubectl config get-contexts") from failed
    kubeconfig = folder / "kubeconfig"
    kubeconfig.touch(mode=0o600)
    kubeconfig.write_text(text)
    cluster = DemoCluster(kubeconfig)
    progress(cluster.kubectl("config", "view", "--output=jsonpath={.current-context}, {.clusters[0].cluster.server}"))
    return cluster


def placement_on(nodes: list[dict[str, Any]]) -> Mapping[str, str]:
    """Labels of the node that the platform's pods keep to; empty where there is only one.

    Spark's driver and executors share one volume, and most clusters offer none that several nodes can write.

    Raises
    ------
    DemoError
        No node is ready and free for pods.
    """
    free = [node for node in nodes if _takes_pods(node)]
    if not free:
        reason = f"none of its {len(nodes)} nodes is ready and without taints"
        raise DemoError(component="cluster", reason=reason, log="kubectl describe nodes")
    return {HOSTNAME: free[0]["metadata"]["labels"][HOSTNAME]} if len(nodes) > 1 else {}


def _takes_pods(node: Mapping[str, Any]) -> bool:
    spec, conditions = node["spec"], node["status"].get("conditions", [])
    kept_off = any(taint["effect"] != "PreferNoSchedule" for taint in spec.get("taints", []))
    ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
    return ready and not kept_off and not spec.get("unschedulable", False)


def _on_node(node: KubernetesNode, folder: Path, supply: ImageSupply | None) -> DemoTarget:
    references = images.references()
    return DemoTarget(
        cluster=DemoCluster(node.kubeconfig),
        images=references,
        image_values=_write_values(folder, references, {}),
        logs=_logs_by(node.collect_logs),
        supply=supply,
    )


def _write_values(folder: Path, built: Mapping[str, str], placement: Mapping[str, str]) -> Path:
    for chart, names in images.OF_CHARTS.items():
        values = json.loads(builder.helm_values({name: built[name] for name in names}))
        (folder / f"{chart}.yaml").write_text(json.dumps({**values, "pods": {"nodeSelector": dict(placement)}}))
    return folder


def _logs_by(collect: Callable[[Path], object]) -> Callable[[], str]:
    def logs() -> str:
        collected = cache_folder() / "logs" / time.strftime("%Y%m%d-%H%M%S")
        collected.mkdir(parents=True, exist_ok=True)
        collect(collected)
        return str(collected)

    return logs
