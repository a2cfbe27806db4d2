"""Charts of a release with invented digests, in a registry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.devtools.release.charts import charts
from kwitness.devtools.release.manifests import manifests
from kwitness.devtools.release.release import Release
from kwitness.devtools.release.release_chart import PRODUCT, description
from kwitness.images.commands import silent

from tests.registries import registry_on

VALUES = (PRODUCT / "values.yaml").read_text()
VERSION: str = description(PRODUCT)["version"]


def images_lock() -> dict[str, dict[str, Any]]:
    """An entry for each image of the chart, each with a digest of its own."""
    repositories = [image["repository"] for image in yaml.safe_load(VALUES)["images"].values()]
    return {
        repository.removeprefix("kwitness/"): {
            "repository": f"kwitness/images/{repository.removeprefix('kwitness/')}",
            "digest": f"sha256:{number:064x}",
            "platforms": {"linux/amd64": f"sha256:{number:063x}f"},
        }
        for number, repository in enumerate(repositories, 1)
    }


def release_into(out: Path, registry: str) -> Release:
    """A release whose images are in the registry, as far as its lock says."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "images.lock.json").write_text(json.dumps(images_lock()))
    return Release(version=VERSION, out=out, registry=registry)


@pytest.fixture(scope="session")
def registry() -> Iterator[str]:
    with registry_on() as address:
        yield address


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory, registry: str) -> Release:
    """A release whose charts are pushed and whose manifests are written."""
    release = release_into(tmp_path_factory.mktemp("release") / "out", registry)
    charts(release, silent)
    manifests(release, silent)
    return release
