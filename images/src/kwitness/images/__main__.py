"""Builds the images, one after the other, and says where they are; what has not changed is not built again."""

from __future__ import annotations

import argparse
from pathlib import Path

from kwitness.images.builder import build_all, helm_values, push_all
from kwitness.images.image_recipes import NAMES


def main() -> None:
    """Build, and as asked push, load into a node, write a values file."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.images", description=__doc__)
    parser.add_argument("--only", action="append", metavar="NAME", help="only this image; may be given again")
    parser.add_argument("--push", metavar="REGISTRY", help="push the images to a registry")
    parser.add_argument("--load", metavar="NODE", help="load the images into a node that runs")
    parser.add_argument("--values", type=Path, metavar="FILE", help="write a Helm values file that names the images")
    chosen = parser.parse_args()
    built = build_all(print, names=chosen.only or NAMES)
    if chosen.push:
        built = push_all(built, chosen.push, print)
    if chosen.load:
        from kwitness.e2e.node.kubernetes_node import KubernetesNode  # noqa: PLC0415 # without --load no node is touched

        KubernetesNode.attach(chosen.load, progress=print).load_images(built.values())
    if chosen.values:
        chosen.values.write_text(helm_values(built))
    for name, reference in built.items():
        print(f"{name:12} {reference}")


if __name__ == "__main__":
    main()
