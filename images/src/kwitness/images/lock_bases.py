"""Locks the packages of all base images as Debian's archive has them now: `make lock-images`."""

from __future__ import annotations

from kwitness.images.base_images import lock_base
from kwitness.images.container_engine import ensure_engine
from kwitness.images.image_recipes import SHIPPED
from kwitness.images.recipe import base_repository


def main() -> None:
    """Write the locks, and report which changed."""
    ensure_engine(print)
    for packages_file in sorted({recipe.packages_file for recipe in SHIPPED.values()}):
        changed = lock_base(base_repository(packages_file), packages_file, print)
        print(f"{packages_file.stem}: {'locked again' if changed else 'as locked'}")


if __name__ == "__main__":
    main()
