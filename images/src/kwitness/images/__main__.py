"""Builds the images that are shipped, and says where they are; what has not changed is not built again."""

from __future__ import annotations

import argparse
from pathlib import Path

from kwitness.images.builder import build_all, fill_context, helm_values, push_all
from kwitness.images.image_recipes import SHIPPED


def main() -> None:
    """Build, and as asked push and write a values file; or only fill build contexts."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.images", description=__doc__)
    parser.add_argument("--only", action="append", choices=SHIPPED, help="only this image; may be given again")
    parser.add_argument("--push", metavar="REGISTRY", help="push the images to a registry")
    parser.add_argument("--values", type=Path, metavar="FILE", help="write a Helm values file that names the images")
    help_of_context = "build nothing, but fill FOLDER/<image> with what it is built from, and print the command"
    parser.add_argument("--context", type=Path, metavar="FOLDER", help=help_of_context)
    chosen = parser.parse_args()
    recipes = {name: SHIPPED[name] for name in chosen.only or SHIPPED}
    if chosen.context:
        for name, recipe in recipes.items():
            print(fill_context(recipe, chosen.context / name))
        return
    built = build_all(recipes, print)
    if chosen.push:
        built = push_all(built, chosen.push, print)
    if chosen.values:
        chosen.values.write_text(helm_values(built))
    for name, reference in built.items():
        print(f"{name:12} {reference}")


if __name__ == "__main__":
    main()
