"""Write the page of the images that are shipped, from their recipes, their Dockerfiles and the locks of their bases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kwitness.images.base_images import read_packages
from kwitness.images.image_recipes import PLATFORMS, SHIPPED
from kwitness.images.recipe import Recipe

__all__ = ["images_page"]

_HEAD: Final = """<!-- Generated from the recipes of images by `make generate`; do not edit. -->
# Images

What `make images` builds and a release publishes. Platforms are those on which an image was tried: an image of another
one can be built, see [compatibility](../compatibility.md#architectures). Which of them have the same digest when they
are built twice is in [the node and the images](../dev/node-and-images.md#the-same-digest-when-built-twice).

| Image | What it is | Built on | User | Platforms tried |
|---|---|---|---|---|
"""
_BASES: Final = """
## Base images

Debian 12, made from its archive or from the published `debian:bookworm-slim`, with these packages and what they need.
The lock has the version of each package; it is a part of the tag of the base, so another lock makes another base.

| Base | Packages | With what they need | Lock |
|---|---|---|---|
"""
_SUMMARY: Final = re.compile(r"# (?P<text>.+?)\. BASE |# (?P<other>.+?)[.;]?$", re.MULTILINE)
_USER: Final = re.compile(r"^USER (\S+)$", re.MULTILINE)


def images_page() -> str:
    """Return the page."""
    rows = (_row(name, recipe) for name, recipe in SHIPPED.items())
    return f"{_HEAD}{chr(10).join(rows)}\n{_BASES}{chr(10).join(_bases())}\n"


def _row(name: str, recipe: Recipe) -> str:
    text = (recipe.folder / "Dockerfile").read_text(encoding="utf-8")
    found = _SUMMARY.match(text)
    users = _USER.findall(text)
    if found is None or not users:
        raise ValueError(
            f"{recipe.folder}/Dockerfile: begin it with a comment that says what the image is; name a USER"
        )
    base = recipe.base.name if isinstance(recipe.base, Recipe) else recipe.base.stem
    shown = base if isinstance(recipe.base, Recipe) and base in SHIPPED else f"base `{recipe.packages_file.stem}`"
    summary = found["text"] or found["other"]
    return f"| `{name}` | {summary} | {shown} | `{users[-1]}` | {', '.join(PLATFORMS)} |"


def _bases() -> Iterator[str]:
    """Yield a row of each base."""
    for packages_file, lock in {recipe.packages_file: recipe.base_lock for recipe in SHIPPED.values()}.items():
        packages = ", ".join(f"`{name}`" for name in read_packages(packages_file))
        file = f"images/base/{packages_file.stem}.lock"
        yield f"| `{packages_file.stem}` | {packages} | {len(lock.packages)} packages | [{file}](../../{file}) |"
