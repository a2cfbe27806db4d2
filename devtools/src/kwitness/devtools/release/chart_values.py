"""Writes the values of a released chart: the registry and the digests of images are its defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import yaml

from kwitness.devtools.release.images_lock import LockedImage
from kwitness.devtools.release.release import ReleaseError

__all__ = ["images_of", "pinned_values"]

_FORM: Final = '`  name: {repository: path, tag: "", digest: "", pullPolicy: IfNotPresent}`'


def images_of(values: str, lock: Mapping[str, LockedImage]) -> dict[str, LockedImage]:
    """Return the image of the lock for each key of the values' `images`.

    Raises
    ------
    ReleaseError
        The lock lacks one.
    """
    found = {}
    for key, image in yaml.safe_load(values)["images"].items():
        name = image["repository"].rpartition("/")[2]
        if name not in lock:
            raise ReleaseError(f"images.lock.json has no {name}, which the chart runs: run the step images again")
        found[key] = lock[name]
    return found


def pinned_values(values: str, registry: str, images: Mapping[str, LockedImage]) -> str:
    """Return the text of values with a registry, and with images by their digests; all else, comments too, stays.

    Raises
    ------
    ReleaseError
        The values are written in another form than the one that is changed here.
    """
    expected = yaml.safe_load(values)
    expected["global"]["imageRegistry"] = registry
    text = re.sub(r'(?m)^(  imageRegistry:) ""$', rf'\1 "{registry}"', values)
    for key, image in images.items():
        expected["images"][key] |= {"repository": image.repository, "digest": image.digest}
        text = re.sub(
            rf'(?m)^(  {key}: {{)repository: [\w./-]+, tag: "", digest: "",',
            rf'\1repository: {image.repository}, tag: "", digest: "{image.digest}",',
            text,
        )
    if yaml.safe_load(text) != expected:
        raise ReleaseError(
            "images or global.imageRegistry in the chart's values.yaml have another form than the release changes: "
            f"write each image as {_FORM}"
        )
    return text
