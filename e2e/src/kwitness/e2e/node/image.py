"""The image of the local Kubernetes node: Debian's containerd and runc, and the commands built from Go modules."""

from __future__ import annotations

import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kwitness.e2e.binaries import COREDNS, ETCD, KUBERNETES, NODE_SOURCES, PAUSE, built, kubectl
from kwitness.images.base_images import base_image, read_packages
from kwitness.images.cache import cache_folder, content_key, exclusive, scratch_folder
from kwitness.images.commands import Progress, silent
from kwitness.images.container_engine import build, docker, forget_old_images, image_exists

_SCRIPTS = ("start.sh", "certificates.sh", "cgroups.sh", "volumes.sh")
PAUSE_IMAGE = "kwitness/pause:local"


def node_image(progress: Progress = silent) -> str:
    """The name of the node image, built if anything it is made of changed.

    Raises
    ------
    CommandFailedError
        Go, apt or the engine failed.
    """
    packages = NODE_SOURCES / "packages.txt"
    with ThreadPoolExecutor(1) as beside:
        making = beside.submit(base_image, "kwitness-base/node", packages)
        commands = {command.name: built(command, progress) for command in (KUBERNETES, ETCD, COREDNS, PAUSE)}
        commands["kubectl"] = kubectl(progress).parent
        base = making.result()
    key = content_key(
        *(f"{name} {folder.name}" for name, folder in sorted(commands.items())),
        *(NODE_SOURCES / script for script in _SCRIPTS),
        NODE_SOURCES / "config",
        NODE_SOURCES / "Dockerfile",
        *read_packages(packages),
    )
    tag = f"kwitness-node:{key}"
    with exclusive(cache_folder() / "node-image.lock"):
        if not image_exists(tag):
            progress(f"building the node image {tag}")
            _build(tag, base, commands)
            forget_old_images("kwitness-node", keep=2)
    return tag


def _build(tag: str, base: str, commands: dict[str, Path]) -> None:
    with tempfile.TemporaryDirectory(dir=scratch_folder()) as name:
        context = Path(name)
        _pause_archive(commands["pause"] / "pause", context / "pause.tar")
        (context / "bin").mkdir()
        for module in ("kubernetes", "etcd", "coredns"):
            shutil.copytree(commands[module], context / "bin", symlinks=True, dirs_exist_ok=True)
        shutil.copy2(commands["kubectl"] / "kubectl", context / "bin")
        for script in (*_SCRIPTS, "Dockerfile"):
            shutil.copy2(NODE_SOURCES / script, context / script)
        shutil.copytree(NODE_SOURCES / "config", context / "config")
        build(context, tag, arguments={"BASE": base})


def _pause_archive(command: Path, archive: Path) -> None:
    """Write an image that holds nothing but the sandbox process of a pod."""
    with tempfile.TemporaryDirectory() as name:
        context = Path(name)
        shutil.copy2(command, context / "pause")
        (context / "Dockerfile").write_text(
            'FROM scratch\nCOPY pause /pause\nUSER 65535:65535\nENTRYPOINT ["/pause"]\n'
        )
        build(context, PAUSE_IMAGE)
    docker("save", "--output", archive, PAUSE_IMAGE)
