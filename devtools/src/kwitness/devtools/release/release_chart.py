"""Reads the charts of the repository, and makes the files of those that a release publishes.

They differ in what only a release knows: digests of images are defaults of the values, and annotations describe it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from kwitness.devtools.chart_readme import CHARTS, page
from kwitness.devtools.release.release import ReleaseError, version_remedy
from kwitness.images.cache import is_content

__all__ = ["DEFINITIONS", "PRODUCT", "check_versions", "description", "released_files"]

PRODUCT: Final = CHARTS / "kwitness"
DEFINITIONS: Final = PRODUCT / "charts" / "kwitness-crds"
"""A chart of its own, and a part of the product's."""


def description(chart: Path) -> dict[str, Any]:
    """Return what `Chart.yaml` contains."""
    content: dict[str, Any] = yaml.safe_load((chart / "Chart.yaml").read_text(encoding="utf-8"))
    return content


def check_versions(chart: Path, version: str) -> None:
    """Check that a chart, what it runs and the charts within it are of one version.

    Raises
    ------
    ReleaseError
        They are not.
    """
    described = description(chart)
    found = {f"{key} of the chart {chart.name}": described[key] for key in ("version", "appVersion")}
    for part in described.get("dependencies", []):
        found[f"the dependency {part['name']} of the chart {chart.name}"] = part["version"]
        check_versions(chart / "charts" / part["name"], version)
    if wrong := [f"{subject} is {has}" for subject, has in found.items() if has != version]:
        raise ReleaseError(f"{', '.join(wrong)}, not {version}: {version_remedy(version)}")


def released_files(chart: Path, annotations: Mapping[str, str], values: str | None = None) -> dict[str, bytes]:
    """Return the files of a chart by their path within it.

    Parameters
    ----------
    annotations
        Beside those of the chart's own description.
    values
        In place of the chart's values; its README shows these.
    """
    files = {
        path.relative_to(chart).as_posix(): path.read_bytes()
        for path in sorted(chart.rglob("*"))
        if path.is_file() and all(map(is_content, path.relative_to(chart).parts))
    }
    described = description(chart)
    described["annotations"] = {**described.get("annotations", {}), **annotations}
    files["Chart.yaml"] = yaml.safe_dump(described, sort_keys=False, allow_unicode=True, width=120).encode()
    if values is not None:
        files |= {"values.yaml": values.encode(), "README.md": page(chart.name, values).encode()}
    return files
