"""Packs the charts of a release, with the digests of its images as defaults, and pushes them."""

from __future__ import annotations

import json
import os
import shutil
from typing import Final

from kwitness.devtools.release.artifact_hub import definition_annotations, image_annotations, release_annotations
from kwitness.devtools.release.changes import changes_of
from kwitness.devtools.release.chart_registry import push_chart
from kwitness.devtools.release.chart_values import images_of, pinned_values
from kwitness.devtools.release.images_lock import read_images_lock
from kwitness.devtools.release.release import Release
from kwitness.devtools.release.release_chart import DEFINITIONS, PRODUCT, check_versions, released_files
from kwitness.devtools.sources import ROOT
from kwitness.devtools.tar_archive import packed
from kwitness.images.commands import Progress

__all__ = ["CHARTS_LOCK", "charts", "packaged_charts"]

CHARTS_LOCK: Final = "charts.lock.json"
"""Each chart's repository and digest, in the folder of the release."""
_METADATA: Final = "artifacthub-repo.yml"


def charts(release: Release, progress: Progress) -> None:
    """Push the charts; `charts/*.tgz` are their packages, `charts.lock.json` has their digests there.

    The folder `charts` is replaced when the registry has accepted all of them.

    Raises
    ------
    ReleaseError
        Versions or images do not agree, or the registry refuses.
    """
    packages = packaged_charts(release)
    lock = {}
    with release.replaced_folder("charts") as folder:
        for chart, content in packages.items():
            package = folder / f"{chart}-{release.version}.tgz"
            package.write_bytes(content)
            # Helm writes the file's time into what it pushes.
            os.utime(package, (release.epoch, release.epoch))
            lock[chart] = {"repository": f"{release.identity.charts}/{chart}", "digest": push_chart(release, package)}
            progress(f"{release.registry}/{lock[chart]['repository']}:{release.version}@{lock[chart]['digest']}")
        shutil.copyfile(PRODUCT.parent / _METADATA, folder / _METADATA)
    (release.out / CHARTS_LOCK).write_text(json.dumps(lock, indent=2) + "\n", encoding="utf-8")


def packaged_charts(release: Release) -> dict[str, bytes]:
    """Return the package of each chart; the same for the same commit, images and registry.

    Raises
    ------
    ReleaseError
        Versions differ, or images are missing.
    """
    check_versions(PRODUCT, release.version)
    registry = release.registry.rstrip("/")
    values = (PRODUCT / "values.yaml").read_text(encoding="utf-8")
    images = images_of(values, read_images_lock(release))
    changes = changes_of((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), release.version)
    shared = {**definition_annotations(), **release_annotations(release, changes)}
    product = released_files(
        PRODUCT,
        shared | image_annotations(registry, images.values()),
        pinned_values(values, registry, images),
    )
    contents = {PRODUCT.name: product, DEFINITIONS.name: released_files(DEFINITIONS, shared)}
    return {
        chart: packed({f"{chart}/{path}": content for path, content in files.items()}, epoch=release.epoch)
        for chart, files in contents.items()
    }
