"""Lists what a release has in the registry: images and charts, by their locks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from kwitness.devtools.release.charts import CHARTS_LOCK
from kwitness.devtools.release.images_lock import IMAGES_LOCK
from kwitness.devtools.release.release import Release, ReleaseError

__all__ = ["Pushed", "pushed"]


@dataclass(frozen=True)
class Pushed:
    """An image or chart in the registry."""

    name: str
    """With the registry."""
    digest: str
    """Such as `sha256:…`."""

    @property
    def reference(self) -> str:
        """The name by which it is pulled, with the digest."""
        return f"{self.name}@{self.digest}"


def pushed(release: Release) -> Iterator[Pushed]:
    """Return all images, then all charts.

    Raises
    ------
    ReleaseError
        A lock is missing.
    """
    for lock in (IMAGES_LOCK, CHARTS_LOCK):
        try:
            artefacts = json.loads((release.out / lock).read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise ReleaseError(f"{release.out / lock} is missing: run the step {lock.partition('.')[0]}") from error
        for artefact in artefacts.values():
            yield Pushed(f"{release.registry.rstrip('/')}/{artefact['repository']}", artefact["digest"])
