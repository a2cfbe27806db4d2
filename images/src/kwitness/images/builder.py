"""Builds the images, one after the other, and says where they are; what has not changed is not built again."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from kwitness.images import container_engine
from kwitness.images.base_images import base_image, base_tag
from kwitness.images.cache import cache_folder, exclusive
from kwitness.images.commands import Progress, silent
from kwitness.images.image_parts import copy_content
from kwitness.images.image_recipes import NAMES, Recipe, recipe

#: Image to its key in the chart's values; the others are no part of the chart.
_VALUES = {
    "operator": "operator",
    "collector": "collector",
    "spark": "spark",
    "dev-kafka": "devKafka",
    "prometheus": "prometheus",
}

#: Images kept of each name: enough for two clones that are worked on at once.
_KEPT = 6


def build_all(progress: Progress = silent, *, names: Iterable[str] = NAMES) -> dict[str, str]:
    """Build every image that changed and return all, name to `repository:tag`.

    Parameters
    ----------
    names
        Only these; `dev-kafka@3.7.2` is the development Kafka of another version.

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
        return {name: _ensure(recipe(name), present, progress) for name in names}


def push_all(built: Mapping[str, str], registry: str, progress: Progress = silent) -> dict[str, str]:
    """Push images to a registry (`host[:port][/path]`) and return their names there.

    Raises
    ------
    CommandFailedError
        The registry refused.
    """
    pushed = {}
    for name, reference in built.items():
        target = f"{registry.rstrip('/')}/{reference}"
        progress(f"pushing {target}")
        container_engine.docker("tag", reference, target)
        try:
            container_engine.docker("push", "--quiet", target)
        finally:
            container_engine.docker("rmi", target)  # the second name alone: nothing of it is left here
        pushed[name] = target
    return pushed


def helm_values(built: Mapping[str, str]) -> str:
    """A values file of the chart that names these images, as JSON, which is YAML too."""
    images = {}
    for name, key in _VALUES.items():
        if name in built:
            repository, _, tag = built[name].rpartition(":")
            images[key] = {"repository": repository, "tag": tag}
    return json.dumps({"global": {"imageRegistry": ""}, "images": images}, indent=2) + "\n"


def _ensure(wanted: Recipe, present: frozenset[str], progress: Progress) -> str:
    if wanted.on is None:
        base = base_tag(f"kwitness-base/{wanted.base}", wanted.packages)
        tag = wanted.tag(base)
        if tag in present:
            return tag
        base_image(f"kwitness-base/{wanted.base}", wanted.packages, progress)
    else:
        base = wanted.on.tag(base_tag(f"kwitness-base/{wanted.on.base}", wanted.on.packages))
        tag = wanted.tag(base)
        if tag in present:
            return tag
        _ensure(wanted.on, present, progress)
    progress(f"building {tag}")
    _build(wanted, tag, base, progress)
    return tag


def _build(wanted: Recipe, tag: str, base: str, progress: Progress) -> None:
    scratch = cache_folder() / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        context = Path(folder)
        copy_content(wanted.folder, context)
        wanted.prepare(context, progress)
        container_engine.build(context, tag, arguments={"BASE": base, **wanted.arguments})
    container_engine.forget_old_images(wanted.repository, wanted.prefix, keep=_KEPT)
