"""The version has one place, `pyproject.toml`; other files that name it have what `make version` wrote there."""

from __future__ import annotations

from pathlib import Path

import pytest

from kwitness.devtools.release.version_places import VersionPlace, source_version, unruled_places, version_places

ROOT = Path(__file__).resolve().parents[2]
VERSION = source_version(ROOT)


@pytest.fixture(scope="module")
def places() -> list[VersionPlace]:
    return list(version_places(ROOT))


def test_all_files_name_the_version_of_pyproject(places: list[VersionPlace]) -> None:
    others = [f"{place.file}:{place.line}: {place.version}" for place in places if place.version != VERSION]

    assert others == [], f"the version is {VERSION}, as in pyproject.toml: write it there, or another by `make version`"


def test_no_file_names_the_version_where_it_would_not_be_written() -> None:
    unknown = [f"{place.file}:{place.line}" for place in unruled_places(ROOT)]

    assert unknown == [], "read the version there, or add a rule to kwitness.devtools.release.version_places"


def test_each_chart_crate_and_artefact_has_its_version(places: list[VersionPlace]) -> None:
    charts = {str(file.relative_to(ROOT)) for file in (ROOT / "charts").rglob("Chart.yaml")}
    artefacts = {str(file.relative_to(ROOT)) for file in (ROOT / "services").glob("*/pom.xml")}
    crates = {
        str(file.relative_to(ROOT))
        for file in (ROOT / "Cargo.toml", *(ROOT / "services").rglob("Cargo.toml"))
        if "version.workspace = true" not in file.read_text()
    }

    assert charts | artefacts | crates <= {str(place.file) for place in places}
