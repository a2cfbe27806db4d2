"""Builds and pushes the images that are shipped, with labels and one time: the same content has the same digest."""

from __future__ import annotations

import dataclasses
import json
import shutil
import tempfile
import tomllib
from pathlib import Path
from typing import Final

from kwitness.devtools.release.image_archive import ArchivedImage, write_images
from kwitness.devtools.release.images_lock import IMAGES_LOCK
from kwitness.devtools.release.release import REPOSITORY, Release, ReleaseError
from kwitness.images.base_images import base_tag
from kwitness.images.base_lock import installed_packages, lock_file, package_differences, read_lock
from kwitness.images.builder import build_all
from kwitness.images.cache import scratch_folder
from kwitness.images.commands import Progress
from kwitness.images.container_engine import save
from kwitness.images.image_recipes import SHIPPED
from kwitness.images.recipe import base_repository

__all__ = ["LAYOUT", "images", "labels", "refuse_other_packages"]

LAYOUT: Final = "images"
"""Folder of the OCI image layout, in that of the release."""


def images(release: Release, progress: Progress) -> None:
    """Build all images, write them into one layout, push them, and write `images.lock.json`.

    Raises
    ------
    CommandFailedError
        A build failed, or the registry refused.
    NoEngineError
        There is no container engine.
    ReleaseError
        A base image has other packages than its lock.
    """
    build_all(SHIPPED, progress)
    for packages_file in sorted({recipe.packages_file for recipe in SHIPPED.values()}):
        refuse_other_packages(packages_file)
    repositories = {name: f"{release.identity.images}/{name}" for name in SHIPPED}
    archived = [
        ArchivedImage(
            name=name,
            reference=recipe.reference,
            latest=recipe.base_lock.latest,
            labels=labels(release, name),
            push=f"{release.registry.rstrip('/')}/{repositories[name]}:{release.version}",
        )
        for name, recipe in SHIPPED.items()
    ]
    layout, listed = release.out / LAYOUT, release.out / IMAGES_LOCK
    # Where this fails, no later step goes on with images of another build.
    listed.unlink(missing_ok=True)
    shutil.rmtree(layout, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=scratch_folder()) as folder:
        archive = Path(folder, "images.tar")
        progress(f"reading {len(archived)} images")
        save([image.reference for image in archived], archive)
        progress(f"pushing them to {release.registry}")
        written = write_images(archive, archived, layout, release.epoch, progress)
    lock = {name: {"repository": repositories[name], **dataclasses.asdict(image)} for name, image in written.items()}
    listed.write_text(json.dumps(lock, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    for name, image in written.items():
        progress(f"{name} {image.digest}")


def labels(release: Release, name: str) -> dict[str, str]:
    """Return the labels of an image, which are annotations of its index and its manifest, too."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    values = {
        "title": f"kwitness {name}",
        "version": release.version,
        "source": release.identity.repository,
        "revision": release.commit,
        "licenses": project["license"],
        "created": release.created,
    }
    return {f"org.opencontainers.image.{key}": value for key, value in values.items()}


def refuse_other_packages(packages_file: Path) -> None:
    """Refuse a base image that is not as its lock has it.

    Raises
    ------
    ReleaseError
        Names each package that differs.
    """
    image = base_tag(base_repository(packages_file), packages_file)
    if differing := package_differences(read_lock(lock_file(packages_file)).packages, installed_packages(image)):
        raise ReleaseError(
            f"{image} has other packages than {lock_file(packages_file).name}: {'; '.join(differing)}: "
            "run `make lock-images` and commit what it writes"
        )
