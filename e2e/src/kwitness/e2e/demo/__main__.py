"""`make demo` and `make demo-down`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from kwitness.e2e.commands import CommandFailedError
from kwitness.e2e.demo import down, places, up
from kwitness.e2e.demo.cluster import DemoCluster
from kwitness.e2e.demo.progress import DemoError, Progress
from kwitness.e2e.node import KubernetesNode


def main() -> int:
    """Parse the command line and do it; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.e2e.demo", description=__doc__)
    parser.add_argument("do", choices=["up", "down"])
    parser.add_argument("--cluster", choices=["node", "current"], default="node")
    parser.add_argument("--registry", help="where images are pushed to, with --cluster current")
    options = parser.parse_args()
    if options.do == "up" and options.cluster == "current" and not options.registry:
        parser.error("--cluster current needs --registry (make demo CLUSTER=current REGISTRY=...)")
    return _up(options.cluster, options.registry or "") if options.do == "up" else _down(options.cluster)


def _up(where: str, registry: str) -> int:
    started = time.monotonic()
    progress = Progress(total=places.STEPS + up.STEPS)
    logs = None
    with tempfile.TemporaryDirectory() as folder:
        try:
            if where == "node":
                node = places.start_node(progress)
                place = places.on_node(node, Path(folder), progress)
            else:
                place = places.on_current_cluster(registry, Path(folder), progress)
            logs = place.logs
            platform = up.stand_up(place, progress)
            summary = platform.summary()
        except (DemoError, CommandFailedError) as failed:
            component = failed.component if isinstance(failed, DemoError) else Path(failed.command[0]).name
            print(f"\nfailed: {failed}", file=sys.stderr)
            if isinstance(failed, DemoError) and failed.log:
                print(f"its log: {failed.log}", file=sys.stderr)
            if logs is not None:
                print(f"all logs: {logs()} (component: {component})", file=sys.stderr)
            return 1
    print(f"\n{summary}\n")
    print(f"The platform stands after {(time.monotonic() - started) / 60:.1f} min.")
    if where == "node":
        print(f"Look around with: export KUBECONFIG={place.cluster.kubeconfig}; kubectl get kwitness -n kwitness")
    print("Remove it with: make demo-down")
    return 0


def _down(where: str) -> int:
    if where == "node":
        KubernetesNode(name=places.NODE).stop(keep_images=False)
        print("the node is gone, with everything in it; caches stay")
        return 0
    kubeconfig = Path(os.environ.get("KUBECONFIG") or Path.home() / ".kube" / "config")
    down.remove_from(DemoCluster(kubeconfig))
    print("the demo is gone from the cluster; images stay in the registry")
    return 0


if __name__ == "__main__":
    sys.exit(main())
