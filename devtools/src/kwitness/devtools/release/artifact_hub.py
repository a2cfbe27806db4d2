"""Describes charts to Artifact Hub, by annotations that only a release knows; `Chart.yaml` has the fixed ones."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import yaml

from kwitness.contracts.generate.crds import crd
from kwitness.contracts.resources import KINDS
from kwitness.contracts.resources.meta import VERSION
from kwitness.devtools.release.images_lock import LockedImage
from kwitness.devtools.release.release import Release
from kwitness.devtools.release.resource_examples import resource_examples

__all__ = ["definition_annotations", "image_annotations", "release_annotations"]

_PREFIX: Final = "artifacthub.io"
_WORD_WITHIN: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


@functools.cache
def definition_annotations() -> Mapping[str, str]:
    """Return annotations of the kinds: their names and descriptions, and an example of each."""
    return {
        f"{_PREFIX}/crds": _text([_definition(crd(info)) for info in KINDS]),
        f"{_PREFIX}/crdsExamples": _text(resource_examples()),
    }


def image_annotations(registry: str, images: Iterable[LockedImage]) -> dict[str, str]:
    """Return annotations of the images that a chart runs."""
    listed = [
        {
            "name": image.repository.rpartition("/")[2],
            "image": f"{registry}/{image.repository}@{image.digest}",
            "platforms": sorted(image.platforms),
        }
        for image in images
    ]
    return {f"{_PREFIX}/images": _text(listed)}


def release_annotations(release: Release, changes: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return annotations of the version. Artifact Hub finds signatures of cosign itself.

    Parameters
    ----------
    changes
        Each with `kind`, such as `changed`, and `description`; without any there is no annotation of changes.
    """
    annotations = {f"{_PREFIX}/prerelease": str("-" in release.version).lower()}
    if changes:
        annotations[f"{_PREFIX}/changes"] = _text(list(changes))
    return annotations


def _definition(definition: Mapping[str, Any]) -> dict[str, str]:
    kind = definition["spec"]["names"]["kind"]
    (schema,) = (version["schema"]["openAPIV3Schema"] for version in definition["spec"]["versions"])
    return {
        "kind": kind,
        "version": VERSION,
        "name": definition["metadata"]["name"],
        "displayName": _WORD_WITHIN.sub(" ", kind),
        "description": schema["description"],
    }


def _text(value: Any) -> str:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=120)
