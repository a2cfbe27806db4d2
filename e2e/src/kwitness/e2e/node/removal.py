"""Removing a node and everything it made, whether or not it runs, without building anything first."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

import docker as sdk
import docker.errors

from kwitness.e2e.node.privileges import node_privileges
from kwitness.images import container_engine
from kwitness.images.cache import cache_folder, exclusive
from kwitness.images.commands import Progress, silent

_CGROUPS = Path("/sys/fs/cgroup")


class NodeRemainsError(RuntimeError):
    """Something of a node could not be removed."""


def remove_node(name: str, *, keep_images: bool, progress: Progress = silent) -> None:
    """Remove a node's container, its volumes, its control groups and its kubeconfig.

    What is not there is no error, nor is a machine without a container engine.

    Parameters
    ----------
    keep_images
        Whether the volume with imported images stays, for the next node of this name.

    Raises
    ------
    NodeRemainsError
        Control groups are still in use.
    NoEngineError
        There is an engine, and it cannot be started.
    """
    if shutil.which("docker") is None:
        progress("there is no container engine, so there is no node")
        return
    container_engine.ensure_engine(progress)
    with exclusive(node_folder(name) / "lock"):
        image = remove_container(name, progress)
        remove_cgroups(name, image)
        if not keep_images:
            remove_image_volumes(name, progress=progress)
        with contextlib.suppress(FileNotFoundError):
            (node_folder(name) / "kubeconfig").unlink()


def node_folder(name: str) -> Path:
    """Where a node's kubeconfig and lock are."""
    return cache_folder() / "nodes" / name


def remove_container(name: str, progress: Progress = silent) -> str:
    """Remove the container and its nameless volumes; the image it ran, or an empty string when there was none."""
    with contextlib.closing(sdk.from_env()) as client:
        try:
            container = client.containers.get(name)
        except docker.errors.NotFound:
            return ""
        progress(f"removing node {name}, with everything in it")
        container.remove(force=True, v=True)
        return str(container.attrs["Config"]["Image"])


def remove_cgroups(name: str, image: str) -> None:
    """Remove what the kubelet left in the host's hierarchies, with the privileges of a container.

    Parameters
    ----------
    image
        A node image; any that is there when empty.
    """
    groups = [*_CGROUPS.glob(f"*/kwitness/{name}"), *_CGROUPS.glob(f"kwitness/{name}")]
    if not image and not groups:
        return
    if not (image and container_engine.image_exists(image)):
        image = _any_node_image()
    if not image:
        raise NodeRemainsError(f"node {name} left control groups, and no node image is here: rmdir them as root")
    with contextlib.closing(sdk.from_env()) as client:
        container = client.containers.create(
            image,
            entrypoint=["/opt/kwitness/cgroups.sh"],
            command=["remove", name],
            network_mode="none",
            cgroupns="host",
            volumes={"/sys/fs/cgroup": {"bind": "/sys/fs/cgroup", "mode": "rw"}},
            **node_privileges(image),
        )
        try:
            container.start()
            if container.wait()["StatusCode"] != 0:
                left = container.logs().decode(errors="replace")
                raise NodeRemainsError(f"control groups of node {name} could not be removed: {left}")
        finally:
            container.remove(force=True, v=True)


def remove_image_volumes(name: str, *, keep: str = "", progress: Progress = silent) -> None:
    """Remove the volumes with images imported into this node, but one: outdated ones hold gigabytes for nobody."""
    for volume in image_volumes(name):
        if volume != keep:
            progress(f"removing volume {volume}")
            container_engine.docker("volume", "rm", "--force", volume)


def image_volumes(name: str) -> dict[str, str]:
    """Return the volumes with images imported into a node, each with its size; none without an engine that answers."""
    if not container_engine.answers():
        return {}
    shown = "{{range .Volumes}}{{.Name}} {{.Size}}{{println}}{{end}}"
    listed = container_engine.docker("system", "df", "--verbose", "--format", shown).splitlines()
    volumes = dict(line.split(" ", 1) for line in listed if line)
    return {volume: size for volume, size in volumes.items() if volume.startswith(f"{name}-images-")}


def _any_node_image() -> str:
    return next((name for name in sorted(container_engine.image_names()) if name.startswith("kwitness-node:")), "")
