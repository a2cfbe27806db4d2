"""Starts the demo's parts in their order and prints what can be used; removes them again."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import requests
from docker.errors import DockerException

from kwitness.demo import removal, targets
from kwitness.demo.first_checks import NODE
from kwitness.demo.parts import Demo, DemoTarget, Part, with_needs
from kwitness.demo.progress import DemoError, Progress
from kwitness.demo.up import PARTS, SLOW, begin, collector
from kwitness.e2e import capacity
from kwitness.e2e.api_objects import ApiRefusedError
from kwitness.e2e.node.kubernetes_node import NodeNotReadyError
from kwitness.e2e.node.removal import NodeRemainsError, image_volumes, remove_node
from kwitness.e2e.reference_work import ReferenceClock
from kwitness.images.cache import cache_folder
from kwitness.images.commands import CommandFailedError
from kwitness.images.container_engine import NoEngineError

FAILURES = (
    DemoError,
    CommandFailedError,
    ApiRefusedError,
    requests.RequestException,
    NoEngineError,
    NodeNotReadyError,
    NodeRemainsError,
    DockerException,
    OSError,
)
"""Errors from outside this program; each message names what failed, and why."""
WORK = "where the fixed piece of work (kwitness.e2e.reference_work) takes"


def up(
    where: str, registry: str, names: Sequence[str], folder: Path, *, notify: int = 0, began: float | None = None
) -> int:
    """Start parts by their names, all without one, with what they need; the exit status.

    Parameters
    ----------
    notify
        The process that gets SIGUSR1 when the platform stands; 0 for none.
    began
        When the demo began, by `time.monotonic`.
    """
    parts = with_needs([part for part in PARTS if not names or part.name in names], PARTS)
    progress = Progress(total=targets.STEPS + len(parts), began=began)
    down_command = "make demo-down" if where == "node" else "make demo-down CLUSTER=current"
    reference = ReferenceClock()
    images = {image for part in parts for image in part.images}
    try:
        if where == "node":
            node, target = targets.start_node(folder, progress, images)
        else:
            node, target = None, targets.on_current_cluster(registry, folder, progress, images)
        demo = Demo(target, progress)
        with _supplied(target), reference:
            _start(demo, parts, _setting(where, target), notify)
        if node is not None:
            node.forget_images("kwitness/", keep={*target.images.values(), *_images_of_pods(target)})
        summary = demo.platform.summary({part.name for part in parts})
    except FAILURES as failed:
        _explain(failed)
        return 1
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print(f"\ninterrupted; `make demo` goes on from here, `{down_command}` removes what is there", file=sys.stderr)
        return 130
    print(f"\n{summary}\n")
    print(f"Look around with: {_setting(where, target)}kubectl get kwitness -n kwitness")
    print(f"Remove it with: {down_command}")
    print(f"All of it runs after {progress.spent / 60:.1f} min, {WORK} {reference.seconds:.3f} CPU-seconds.")
    return 0


def _images_of_pods(target: DemoTarget) -> set[str]:
    specs = [pod["spec"] for pod in target.cluster.items("pods")]
    return {
        found["image"] for spec in specs for kind in ("initContainers", "containers") for found in spec.get(kind, [])
    }


@contextlib.contextmanager
def _supplied(target: DemoTarget) -> Iterator[None]:
    try:
        yield
    finally:
        if target.supply is not None:
            target.supply.end()


def _start(demo: Demo, parts: Sequence[Part], setting: str, notify: int) -> None:
    """Start parts, and print before the slow ones what can be used already."""
    slow = [part for part in parts if part in SLOW]
    if collector in parts:
        demo.require(collector)
        begin(demo, parts)
    demo.require(*(part for part in parts if part not in slow))
    if notify:
        with contextlib.suppress(ProcessLookupError):
            os.kill(notify, signal.SIGUSR1)
        demo.progress.note("the platform stands, so the first look ends")
    if slow:
        names = ", ".join(part.name for part in slow)
        print(f"\nAll but {names} can be used now, after {demo.progress.spent / 60:.1f} min, in another terminal:")
        print(f"  {setting}kubectl get kwitness -n kwitness")
        print("  .venv-try/bin/kwitness clients -n kwitness")
        print("These parts take longest: their images are large, and drivers of Spark start one after the other.")
        print("Ctrl-C leaves what runs.\n")
    demo.require(*slow)


def _setting(where: str, target: DemoTarget) -> str:
    """Return what a person types before kubectl."""
    tools = cache_folder() / "bin"
    return f"export KUBECONFIG={target.cluster.kubeconfig} PATH=$PATH:{tools}; " if where == "node" else ""


def _explain(failed: Exception) -> None:
    print(f"\nfailed: {failed}", file=sys.stderr)
    if isinstance(failed, DemoError) and failed.log:
        print(f"its log: {failed.log}", file=sys.stderr)
    if os.strerror(errno.ENOSPC).lower() in str(failed).lower():
        print(f"{capacity.MAKE_ROOM}; then `make demo` goes on from here", file=sys.stderr)
    for note in getattr(failed, "__notes__", ()):
        print(note, file=sys.stderr)


def down(where: str, folder: Path) -> int:
    """Remove all that a demo made; the exit status."""
    progress = Progress(total=1)
    try:
        if where == "node":
            remove_node(NODE, keep_images=True, progress=progress.note)
            for volume, size in image_volumes(NODE).items():
                progress.note(f"volume {volume} ({size}) stays: with it the next demo loads no images again")
                progress.note(f"to remove it: docker volume rm {volume}, or make clean-cache with all caches")
        else:
            removal.remove_from(targets.current_cluster(folder, progress.note), progress.note)
    except FAILURES as failed:
        print(f"\nfailed: {failed}", file=sys.stderr)
        return 1
    print("the demo is gone; caches stay" if where == "node" else "the demo is gone; images stay in the registry")
    return 0
