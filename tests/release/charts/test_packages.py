"""Packages of charts: versions that agree, images by digest, and what Artifact Hub shows."""

from __future__ import annotations

import difflib
import io
import json
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.contracts.resources import KINDS
from kwitness.devtools.release import charts as step
from kwitness.devtools.release.artifact_hub import release_annotations
from kwitness.devtools.release.chart_values import images_of, pinned_values
from kwitness.devtools.release.charts import packaged_charts
from kwitness.devtools.release.images_lock import read_images_lock
from kwitness.devtools.release.release import Release, ReleaseError
from kwitness.devtools.release.release_chart import DEFINITIONS, PRODUCT, check_versions, description

from tests.release.charts.conftest import VALUES, VERSION, images_lock, release_into

REGISTRY = "registry.example.org/team"


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return release_into(tmp_path, f"{REGISTRY}/")


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return packaged_charts(release_into(tmp_path_factory.mktemp("release"), f"{REGISTRY}/"))


def files_of(package: bytes) -> dict[str, str]:
    with tarfile.open(fileobj=io.BytesIO(package)) as tar:
        return {entry.name: (tar.extractfile(entry) or io.BytesIO()).read().decode() for entry in tar}


def annotations(package: bytes, chart: str) -> dict[str, Any]:
    described = yaml.safe_load(files_of(package)[f"{chart}/Chart.yaml"])["annotations"]
    return {
        key.removeprefix("artifacthub.io/"): yaml.safe_load(value)
        for key, value in described.items()
        if key.startswith("artifacthub.io/")
    }


def test_a_chart_that_is_packed_twice_has_the_same_bytes(
    release: Release, packages: dict[str, bytes], tmp_path: Path
) -> None:
    copy = shutil.copytree(PRODUCT, tmp_path / PRODUCT.name)  # whose files have other times
    for file in copy.rglob("*"):
        file.touch()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step, "PRODUCT", copy)
        assert packaged_charts(release) == packages


def test_only_registry_and_digests_differ_from_the_values_of_the_repository(release: Release) -> None:
    changed = pinned_values(VALUES, REGISTRY, images_of(VALUES, read_images_lock(release)))

    lines = list(difflib.unified_diff(VALUES.splitlines(), changed.splitlines(), lineterm="", n=0))
    added = [line for line in lines if line.startswith("+ ")]
    assert added[0] == f'+  imageRegistry: "{REGISTRY}"'
    assert [line.partition("{")[2] for line in added[1:]] == [
        f'repository: {image["repository"]}, tag: "", digest: "{image["digest"]}", pullPolicy: IfNotPresent}}'
        for image in images_lock().values()
    ]
    assert len([line for line in lines if line.startswith("- ")]) == len(added)


def test_the_readme_of_the_package_shows_its_defaults(packages: dict[str, bytes]) -> None:
    readme = files_of(packages["kwitness"])["kwitness/README.md"]

    assert f'| `global.imageRegistry` | `"{REGISTRY}"` |' in readme
    assert images_lock()["observer-host"]["digest"] in readme


def test_values_in_another_form_are_refused(release: Release) -> None:
    images = images_of(VALUES, read_images_lock(release))

    with pytest.raises(ReleaseError, match="have another form than the release changes: write each image as"):
        pinned_values(VALUES.replace('collector, tag: ""', "collector, tag: ''"), REGISTRY, images)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (None, "images.lock.json is missing: run the step images"),
        ('{"operator": {"repos', "is malformed, the file: Invalid JSON.*: run the step images"),
        ("[]", "is malformed, the file: "),
        ('{"operator": {"repository": "kwitness/operator"}}', r"is malformed, operator\.digest: "),
        ('{"operator": {"repository": "x", "digest": "sha256:12", "platforms": {}}}', r"operator\.digest: .*pattern"),
        (json.dumps({"console": {**images_lock()["console"], "digest": 1}}), r"console\.digest: .*string"),
        (json.dumps({"console": {**images_lock()["console"], "platforms": ["x"]}}), r"console\.platforms: "),
    ],
)
def test_a_lock_that_no_step_wrote_is_refused(release: Release, content: str | None, error: str) -> None:
    file = release.out / "images.lock.json"
    file.unlink() if content is None else file.write_text(content)

    with pytest.raises(ReleaseError, match=error):
        packaged_charts(release)


def test_a_lock_without_an_image_of_the_chart_is_refused(release: Release) -> None:
    lock = images_lock()
    del lock["console"]
    (release.out / "images.lock.json").write_text(json.dumps(lock))

    with pytest.raises(ReleaseError, match=r"images\.lock\.json has no console, which the chart runs: run the step"):
        packaged_charts(release)


@pytest.mark.parametrize(
    ("file", "key", "subject"),
    [
        ("Chart.yaml", "version: ", "version of the chart kwitness"),
        ("Chart.yaml", "appVersion: ", "appVersion of the chart kwitness"),
        ("Chart.yaml", "    version: ", "the dependency kwitness-crds of the chart kwitness"),
        ("charts/kwitness-crds/Chart.yaml", "version: ", "version of the chart kwitness-crds"),
        ("charts/kwitness-crds/Chart.yaml", "appVersion: ", "appVersion of the chart kwitness-crds"),
    ],
)
def test_a_chart_beside_definitions_of_another_version_is_refused(
    tmp_path: Path, file: str, key: str, subject: str
) -> None:
    copy = shutil.copytree(PRODUCT, tmp_path / PRODUCT.name)
    check_versions(copy, VERSION)
    text = (copy / file).read_text()
    (copy / file).write_text(text.replace(f"\n{key}{VERSION}\n", f"\n{key}0.0.9\n"))

    with pytest.raises(ReleaseError, match=rf"^{subject} is 0\.0\.9, not {VERSION}: run `make version VERSION="):
        check_versions(copy, VERSION)


@pytest.mark.parametrize("chart", [PRODUCT, DEFINITIONS], ids=lambda chart: chart.name)
def test_descriptions_have_the_names_of_the_identity(release: Release, chart: Path) -> None:
    described = description(chart)

    assert described["home"] == release.identity.repository
    assert described["sources"] == [release.identity.repository]
    assert described["maintainers"] == [{"name": release.identity.team}]


@pytest.mark.parametrize("chart", ["kwitness", "kwitness-crds"])
def test_artifact_hub_shows_each_kind_with_an_example(packages: dict[str, bytes], chart: str) -> None:
    shown = annotations(packages[chart], chart)

    assert [(entry["kind"], entry["name"], entry["version"]) for entry in shown["crds"]] == [
        (info.kind, f"{info.plural}.kwitness.dev", "v1beta1") for info in KINDS
    ]
    assert all(entry["displayName"] and entry["description"].endswith(".") for entry in shown["crds"])
    for info, example in zip(KINDS, shown["crdsExamples"], strict=True):
        assert example["kind"] == info.kind
        info.model.model_validate(example)


def test_artifact_hub_shows_the_images_that_are_run(packages: dict[str, bytes]) -> None:
    assert annotations(packages["kwitness"], "kwitness")["images"] == [
        {"name": name, "image": f"{REGISTRY}/{image['repository']}@{image['digest']}", "platforms": ["linux/amd64"]}
        for name, image in images_lock().items()
    ]
    assert "images" not in annotations(packages["kwitness-crds"], "kwitness-crds")


@pytest.mark.parametrize(("version", "expected"), [("1.0.0-rc.1", "true"), ("1.0.0", "false")])
def test_candidates_are_marked_as_such(version: str, expected: str) -> None:
    release = Release(version=version, out=Path(), registry=REGISTRY)

    assert release_annotations(release, []) == {"artifacthub.io/prerelease": expected}


def test_artifact_hub_shows_changes() -> None:
    release = Release(version="1.0.0", out=Path(), registry=REGISTRY)
    changes = [{"kind": "changed", "description": "Names of columns: `kind` is `type`"}]

    shown = release_annotations(release, changes)

    assert yaml.safe_load(shown["artifacthub.io/changes"]) == changes
