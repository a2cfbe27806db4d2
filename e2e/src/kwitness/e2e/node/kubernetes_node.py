"""A real Kubernetes node in one container, for the demo and the tests."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Self, cast

import docker.errors
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer
from typing_extensions import override

from kwitness.e2e.binaries import kubectl
from kwitness.e2e.cluster import Cluster
from kwitness.e2e.node.image import PAUSE_IMAGE, node_image
from kwitness.e2e.node.privileges import node_privileges
from kwitness.e2e.node.removal import node_folder, remove_cgroups, remove_container, remove_image_volumes, remove_node
from kwitness.images import container_engine
from kwitness.images.cache import cache_folder, exclusive
from kwitness.images.commands import CommandFailedError, Progress, silent
from kwitness.sandbox.waiting import Patience, WaitFailedError

_API_PORT = "6443/tcp"
_NAME = re.compile(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?")
_LABEL = "dev.kwitness.node"
_IMAGES = ("ctr", "-n", "k8s.io", "images")


class NodeNotReadyError(RuntimeError):
    """The node's container ended, or the node did not become ready and nothing moved in it."""


class KubernetesNode(DockerContainer, Cluster):
    """One Kubernetes node with a name of its own.

    A node that already runs under the name is used as it is, so that several processes share it. The container
    outlives this process; `stop` removes it and everything it made.

    Parameters
    ----------
    name
        A DNS label of at most 40 characters. Container, volumes and control groups carry it.
    replace_outdated
        Whether a running node of another image is removed and replaced.
    progress
        Receives what is waited for.
    """

    def __init__(self, name: str, *, replace_outdated: bool = False, progress: Progress = silent) -> None:
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} is no node name: use a DNS label of at most 40 characters, such as kwitness-test"
            )
        # Ryuk's image cannot be pulled everywhere, and it would end a demo together with the process that began it.
        testcontainers_config.ryuk_disabled = True
        container_engine.ensure_engine(progress)
        self.node_name = name
        self._replace_outdated = replace_outdated
        self._borrowed = False
        self._progress = progress
        self._folder = node_folder(name)
        image = node_image(progress)
        DockerContainer.__init__(self, image, name=name, env={"NODE_NAME": name})
        Cluster.__init__(self, kubeconfig=self._folder / "kubeconfig", kubectl=kubectl(progress))

    @classmethod
    def attach(cls, name: str, *, progress: Progress = silent) -> Self:
        """The node that already runs under a name, ready; leaving its context does not stop it.

        Raises
        ------
        NodeNotReadyError
            There is none.
        """
        node = cls(name, progress=progress)
        node._borrowed = True
        if not node._attach():
            raise NodeNotReadyError(f"no node {name} runs: start one with `python -m kwitness.e2e.node start {name}`")
        node._wait_until_ready()
        return node

    @override
    def __exit__(self, *raised: object) -> None:
        if not self._borrowed:
            self.stop()

    @override
    def start(self) -> Self:
        """Start the node, or attach to the one that runs, and wait until pods can run.

        Raises
        ------
        NodeNotReadyError
            With the node's own last lines.
        """
        with exclusive(self._folder / "lock"):
            if not self._attach():
                self._create()
            self._wait_until_ready()
        return self

    @override
    def stop(self, force: bool = True, delete_volume: bool = True, *, keep_images: bool = True) -> None:
        """Remove container, volumes and control groups; the volume with imported images stays unless told otherwise.

        A node that does not run is no error.
        """
        remove_node(self.node_name, keep_images=keep_images)
        self.get_docker_client().client.close()

    def load_images(self, names: Iterable[str], progress: Progress | None = None) -> list[str]:
        """Import local images that the node does not have yet, and return those.

        Parameters
        ----------
        names
            `repository:tag` as the local engine knows them.
        progress
            Receives what is loaded; absent: the node's own does.
        """
        present = self._loaded_images()
        missing = [name for name in dict.fromkeys(names) if f"docker.io/{name}" not in present and name not in present]
        if missing:
            (progress or self._progress)(f"loading {', '.join(missing)} into the node")
            # In one archive, which holds a layer that several images share once.
            load: list[str | Path] = ["docker", "exec", "-i", self.node_name, *_IMAGES, "import", "-"]
            container_engine.copy_images(missing, load)
        return missing

    def forget_images(self, repository: str, keep: Collection[str]) -> None:
        """Remove images of repositories that begin so from the node, except those to keep and that of sandboxes."""
        kept = {f"docker.io/{name}" for name in (*keep, PAUSE_IMAGE)}
        begun = f"docker.io/{repository}"
        if old := sorted(name for name in self._loaded_images() - kept if name.startswith(begun)):
            self.run(*_IMAGES, "rm", *old)

    def _loaded_images(self) -> set[str]:
        return set(self.run(*_IMAGES, "list", "-q").split())

    def run(self, *command: str) -> str:
        """Run a command in the node's container and return its standard output.

        Raises
        ------
        CommandFailedError
            The command failed.
        """
        return container_engine.docker("exec", self.node_name, *command)

    def audit(self, text: str = "") -> list[dict[str, Any]]:
        """Requests that the API server has answered, oldest first: `audit.k8s.io/v1` events without bodies.

        Parameters
        ----------
        text
            Only those that hold it, such as a user's name: a run writes hundreds of megabytes.
        """
        lines = self.run(
            "awk", "-v", f"text={text}", "!text || index($0, text)", "/var/log/node/audit.log"
        ).splitlines()
        return [json.loads(line) for line in lines if line.endswith("}")]

    def collect_logs(self, folder: Path) -> Path:
        """Write the logs of the node's processes and of all pods, objects and events into a folder.

        Works as far as possible when the API server does not answer. Returns the folder.
        """
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(docker.errors.APIError):
            (folder / "node.log").write_bytes(self.get_wrapped_container().logs())
        for source, name in (("/var/log/node/.", "processes"), ("/var/log/pods/.", "pods")):
            target = folder / name
            target.mkdir(exist_ok=True)
            with contextlib.suppress(CommandFailedError):
                container_engine.docker("cp", "--follow-link", f"{self.node_name}:{source}", target)
        self.describe_everything(folder)
        return folder

    def _attach(self) -> bool:
        try:
            container = self.get_docker_client().client.containers.get(self.node_name)
        except docker.errors.NotFound:
            return False
        current = self.image in container.image.tags
        if container.status == "running" and (current or not self._replace_outdated):
            self._container = container
            return True
        self._progress(
            f"replacing node {self.node_name}: it {'is outdated' if container.status == 'running' else 'has ended'}"
        )
        remove_cgroups(self.node_name, remove_container(self.node_name))
        self._container = None
        return False

    def _create(self) -> None:
        self._progress(f"starting node {self.node_name} ({self.image})")
        remove_image_volumes(self.node_name, keep=self._image_volume())
        self.ports = cast("dict[str, int | None]", {_API_PORT: ("127.0.0.1",)})
        self.volumes = {}
        self.with_volume_mapping("/sys/fs/cgroup", "/sys/fs/cgroup", "rw")
        self.with_volume_mapping(self._image_volume(), "/var/lib/containerd", "rw")
        if Path("/lib/modules").is_dir():
            self.with_volume_mapping("/lib/modules", "/lib/modules", "ro")
        self.tmpfs = {"/run": "", "/tmp": "exec"}  # noqa: S108 # a mount point, not a file of ours
        options: dict[str, Any] = {
            "hostname": self.node_name,
            "cgroupns": "host",
            "labels": {_LABEL: self.node_name},
            **node_privileges(self.image),
        }
        if Path("/dev/kmsg").exists():
            options["devices"] = ["/dev/kmsg"]
        self.with_kwargs(**options)
        super().start()

    def _wait_until_ready(self) -> None:
        shown: str | None = None
        with Patience(f"node {self.node_name}", signs=[self._log_size]) as patience:
            while waiting_for := self._missing():
                container = self.get_wrapped_container()
                container.reload()
                if container.status == "exited":
                    self._fail("its container ended")
                if waiting_for != shown:
                    shown = waiting_for
                    self._progress(f"node {self.node_name}: waiting for {waiting_for}")
                try:
                    patience.note(waiting_for)
                except WaitFailedError as error:
                    self._fail(str(error))
                time.sleep(0.3)

    def _log_size(self) -> str:
        """Sizes of what the node's processes logged, without requests: looks are among those."""
        return self.run("sh", "-c", "stat --format='%s' $(ls /var/log/node/*.log | grep -v audit)")

    def _missing(self) -> str | None:
        """What the node still lacks before a pod can run in it, or None."""
        if not self._write_kubeconfig():
            return "its certificates"
        checks = (
            ("the API server", ("get", "--raw", "/readyz")),
            ("the kubelet", ("wait", "--for=condition=Ready", "--timeout=1s", f"node/{self.node_name}")),
            ("the first service account", ("get", "serviceaccount", "default", "--namespace", "default")),
            ("its volumes", ("get", "persistentvolume", "volume-30")),
        )
        for what, arguments in checks:
            try:
                self.kubectl(*arguments)
            except CommandFailedError:
                return what
        try:
            self.run("curl", "-fsS", "http://127.0.0.1:8181/ready")
        except CommandFailedError:
            return "DNS"
        return None

    def _write_kubeconfig(self) -> bool:
        try:
            text = self.run("cat", "/var/lib/node/admin.kubeconfig")
        except CommandFailedError:
            return False
        port = container_engine.docker("port", self.node_name, _API_PORT).split()[0].rpartition(":")[2]
        self._folder.mkdir(parents=True, exist_ok=True)
        partial = self.kubeconfig.with_suffix(".partial")
        partial.touch(mode=0o600)
        partial.write_text(text.replace("https://127.0.0.1:6443", f"https://127.0.0.1:{port}"))
        partial.rename(self.kubeconfig)
        return True

    def _fail(self, why: str) -> None:
        folder = self.collect_logs(cache_folder() / "logs" / self.node_name)
        last = self.get_wrapped_container().logs(tail=25).decode(errors="replace")
        raise NodeNotReadyError(f"node {self.node_name} is not ready: {why}; all its logs are in {folder}\n{last}")

    def _image_volume(self) -> str:
        """Images stay imported as long as the node's own image is the same."""
        return f"{self.node_name}-images-{self.image.rpartition(':')[2]}"
