"""Builds images, one after the other, and says where they are; what has not changed is not built again."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kwitness.images import container_engine
from kwitness.images.base_images import base_image
from kwitness.images.cache import cache_folder, exclusive, scratch_folder
from kwitness.images.commands import Progress, silent
from kwitness.images.image_parts import copy_content
from kwitness.images.measured import Measured
from kwitness.images.recipe import Recipe, base_repository

#: Images kept of each name: enough for two clones that are worked on at once.
_KEPT = 6


def build_all(recipes: Mapping[str, Recipe], progress: Progress = silent) -> dict[str, str]:
    """Build every image that changed and return all, name to `repository:tag`.

    Raises
    ------
    CommandFailedError
        apt, uv, Maven or the engine failed.
    FileNotFoundError
        Sources of an image are not there.
    NoEngineError
        There is no container engine and none could be made available.
    """
    container_engine.ensure_engine(progress)
    with exclusive(cache_folder() / "images.lock"):
        present = container_engine.image_names()
        absent = [recipe for recipe in recipes.values() if recipe.reference not in present]
        measured = Measured("images", progress, total=len(absent))
        for recipe in absent:
            _ensure(recipe, present, progress)
            measured.step()
    return {name: recipe.reference for name, recipe in recipes.items()}


def fill_context(recipe: Recipe, context: Path, progress: Progress = silent) -> str:
    """Fill a folder with all that an image is built from, its base in the engine; the command that builds it by hand.

    The files are hard links where the file system allows: to look at, not to change.

    Raises
    ------
    CommandFailedError, FileNotFoundError, NoEngineError
        As `build_all`.
    """
    container_engine.ensure_engine(progress)
    with exclusive(cache_folder() / "images.lock"):
        _ensure_base(recipe, container_engine.image_names(), progress)
    _fill(recipe, context, progress)
    arguments = " ".join(f"--build-arg {name}={value}" for name, value in _arguments(recipe).items())
    return f"docker build --tag {recipe.reference} {arguments} {context}"


def push_all(built: Mapping[str, str], registry: str, progress: Progress = silent) -> dict[str, str]:
    """Push images to a registry (`host[:port][/path]`) and return all, name to `repository:tag@digest`.

    Raises
    ------
    CommandFailedError
        The registry refused.
    NoDigestError
        The engine did not report what the registry accepted.
    """
    pushed = {}
    for name, reference in built.items():
        target = pushed_name(reference, registry)
        progress(f"pushing {target}")
        container_engine.docker("tag", reference, target)
        try:
            pushed[name] = f"{target}@{container_engine.push(target)}"
        finally:
            container_engine.docker("rmi", target)  # the second name alone: nothing of it is left here
    return pushed


def pushed_name(reference: str, registry: str) -> str:
    """The name of an image in a registry (`host[:port][/path]`)."""
    return f"{registry.rstrip('/')}/{reference}"


def helm_values(built: Mapping[str, str]) -> str:
    """Return a values file of the chart that these images (`repository:tag[@digest]`) belong to: JSON, which is YAML.

    An image without a digest gets an empty one, so that a digest in another values file does not win over the tag.
    """
    images = {}
    for name, reference in built.items():
        tagged, _, digest = reference.partition("@")
        repository, _, tag = tagged.rpartition(":")
        images[_key(name)] = {"repository": repository, "tag": tag, "digest": digest}
    return json.dumps({"global": {"imageRegistry": ""}, "images": images}, indent=2) + "\n"


def _key(name: str) -> str:
    """`dev-kafka` as a chart's values write it: `devKafka`."""
    first, *others = name.split("-")
    return first + "".join(other.capitalize() for other in others)


def _ensure(recipe: Recipe, present: frozenset[str], progress: Progress) -> str:
    reference = recipe.reference
    if reference not in present:
        progress(f"building {reference}")
        _build(recipe, present, progress)
    return reference


def _ensure_base(recipe: Recipe, present: frozenset[str], progress: Progress) -> None:
    if isinstance(recipe.base, Recipe):
        _ensure(recipe.base, present, progress)
    else:
        base_image(base_repository(recipe.base), recipe.base, progress)


def _build(recipe: Recipe, present: frozenset[str], progress: Progress) -> None:
    with tempfile.TemporaryDirectory(dir=scratch_folder()) as folder, ThreadPoolExecutor(1) as beside:
        base = beside.submit(_ensure_base, recipe, present, progress)
        _fill(recipe, Path(folder), progress)
        base.result()
        container_engine.build(Path(folder), recipe.reference, arguments=_arguments(recipe))
    container_engine.forget_old_images(recipe.repository, recipe.prefix, keep=_KEPT)


def _fill(recipe: Recipe, context: Path, progress: Progress) -> None:
    copy_content(recipe.folder, context)
    recipe.prepare(context, progress)


def _arguments(recipe: Recipe) -> dict[str, str]:
    return {"BASE": recipe.base_reference, **recipe.arguments}
