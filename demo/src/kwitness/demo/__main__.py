"""`make demo` and `make demo-down`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import requests
from docker.errors import DockerException

from kwitness.demo import down, targets, up
from kwitness.demo.parts import Demo
from kwitness.demo.progress import DemoError, Progress
from kwitness.e2e.api_objects import ApiRefusedError
from kwitness.e2e.node.kubernetes_node import NodeNotReadyError
from kwitness.e2e.node.removal import NodeRemainsError, remove_node
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
)
"""What can go wrong outside this program; each says what failed, and why."""


def main() -> int:
    """Parse the command line and do it; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.demo", description=__doc__)
    parser.add_argument("do", choices=["up", "down"])
    parser.add_argument("--cluster", choices=["node", "current"], default="node")
    parser.add_argument("--registry", default="", help="where images are pushed to, with --cluster current")
    options = parser.parse_args()
    if options.do == "up" and options.cluster == "current" and not options.registry:
        parser.error("--cluster current needs --registry (make demo CLUSTER=current REGISTRY=...)")
    with tempfile.TemporaryDirectory() as folder:
        if options.do == "down":
            return _down(options.cluster, Path(folder))
        return _up(options.cluster, options.registry, Path(folder))


def _up(where: str, registry: str, folder: Path) -> int:
    started = time.monotonic()
    progress = Progress(total=targets.STEPS + len(up.PARTS))
    down_command = "make demo-down" if where == "node" else "make demo-down CLUSTER=current"
    try:
        if where == "node":
            target = targets.on_node(targets.start_node(progress), folder, progress)
        else:
            target = targets.on_current_cluster(registry, folder, progress)
        demo = Demo(target, progress)
        demo.require(*up.PARTS)
        summary = demo.platform.summary()
    except FAILURES as failed:
        _explain(failed)
        return 1
    except KeyboardInterrupt:
        print(f"\ninterrupted; `make demo` goes on from here, `{down_command}` removes what is there", file=sys.stderr)
        return 130
    print(f"\n{summary}\n")
    print(f"The platform stands after {(time.monotonic() - started) / 60:.1f} min.")
    tools = cache_folder() / "bin"  # kubectl and helm, for whoever has none
    setting = f"export KUBECONFIG={target.cluster.kubeconfig} PATH=$PATH:{tools}; " if where == "node" else ""
    print(f"Look around with: {setting}kubectl get kwitness -n kwitness")
    print(f"Remove it with: {down_command}")
    return 0


def _explain(failed: Exception) -> None:
    print(f"\nfailed: {failed}", file=sys.stderr)
    if isinstance(failed, DemoError) and failed.log:
        print(f"its log: {failed.log}", file=sys.stderr)
    for note in getattr(failed, "__notes__", ()):
        print(note, file=sys.stderr)


def _down(where: str, folder: Path) -> int:
    progress = Progress(total=1)
    try:
        if where == "node":
            remove_node(targets.NODE, keep_images=False, progress=progress.note)
        else:
            down.remove_from(targets.current_cluster(folder, progress.note), progress.note)
    except FAILURES as failed:
        print(f"\nfailed: {failed}", file=sys.stderr)
        return 1
    print("the demo is gone; caches stay" if where == "node" else "the demo is gone; images stay in the registry")
    return 0


if __name__ == "__main__":
    sys.exit(main())
