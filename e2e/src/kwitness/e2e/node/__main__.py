"""A real Kubernetes node in one container: `start NAME`, `stop NAME`, or `load NAME IMAGE...`, for a person."""

from __future__ import annotations

import argparse

from kwitness.e2e.node.kubernetes_node import KubernetesNode
from kwitness.e2e.node.removal import remove_node


def main() -> None:
    """Start it, stop it, or load images into it."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.e2e.node", description=__doc__)
    parser.add_argument("action", choices=("start", "stop", "load"))
    parser.add_argument("name")
    parser.add_argument("images", nargs="*", metavar="IMAGE", help="with load: images of the local engine")
    parser.add_argument("--images-too", action="store_true", help="with stop: remove the imported images as well")
    chosen = parser.parse_args()
    if chosen.action == "stop":
        remove_node(chosen.name, keep_images=not chosen.images_too, progress=print)
    elif chosen.action == "load":
        KubernetesNode.attach(chosen.name, progress=print).load_images(chosen.images)
    else:
        print(f"export KUBECONFIG={KubernetesNode(chosen.name, progress=print).start().kubeconfig}")


if __name__ == "__main__":
    main()
