"""Manifests of a release are what its chart installs."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.devtools.release.manifests import manifests
from kwitness.devtools.release.release import Release, ReleaseError
from kwitness.devtools.release.release_chart import DEFINITIONS
from kwitness.devtools.sources import ROOT
from kwitness.e2e import chart
from kwitness.e2e.api_server import ApiServer
from kwitness.images.commands import silent

from tests.chart.reader import Reader
from tests.release.charts.conftest import VERSION, images_lock, release_into

PAGE = ROOT / "docs/guides/install.md"
FILES = {"install.yaml": {}, "install-cluster.yaml": {"watchNamespaces": ["*"]}}


@pytest.fixture
def reader(empty_server: ApiServer, tmp_path: Path) -> Reader:
    return Reader(empty_server, tmp_path)


def objects(release: Release, file: str) -> list[chart.Manifest]:
    text = (release.out / "manifests" / file).read_text()
    return list(yaml.load_all(text, Loader=yaml.CSafeLoader))


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_manifests_equal_the_packaged_chart_and_have_its_namespace(published: Release, file: str) -> None:
    package = published.out / "charts" / f"kwitness-{VERSION}.tgz"
    namespace, *rest = objects(published, file)

    assert (namespace["kind"], namespace["metadata"]["name"]) == ("Namespace", "kwitness")
    installed = [
        manifest
        for manifest in chart.render(FILES[file], chart=package)
        if "helm.sh/hook" not in manifest["metadata"].get("annotations", {})
    ]
    assert rest == installed
    assert {manifest["metadata"].get("namespace", "kwitness") for manifest in rest} == {"kwitness"}


@pytest.mark.slow
def test_definitions_are_the_same_in_all_manifests_and_both_charts(published: Release) -> None:
    definitions = objects(published, "crds.yaml")

    assert definitions == chart.render(chart=DEFINITIONS)
    for file in FILES:
        assert chart.of_kind(objects(published, file), "CustomResourceDefinition") == definitions


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_what_others_need_comes_before_them(published: Release, file: str) -> None:
    kinds = [manifest["kind"] for manifest in objects(published, file)]
    order = (
        "Namespace",
        "ServiceAccount",
        "ConfigMap",
        "CustomResourceDefinition",
        "Role",
        "RoleBinding",
        "Deployment",
    )

    last = {kind: len(kinds) - kinds[::-1].index(kind) for kind in order}
    assert [kinds.index(kind) >= last[before] for before, kind in pairwise(order)] == [True] * 6


@pytest.mark.slow
def test_images_in_manifests_have_digests_of_the_lock(published: Release) -> None:
    locked = {f"{published.registry}/{image['repository']}@{image['digest']}" for image in images_lock().values()}
    pods = 0
    for file in FILES:
        made = objects(published, file)
        named = set(re.findall(rf"{re.escape(published.registry)}/[\w./@:-]+", json.dumps(made)))
        assert len(named) >= 5
        assert named <= locked
        for pod in chart.pods(made):
            pods += 1
            assert {container["image"] for container in pod["spec"]["containers"]} <= locked
    assert pods == len(FILES)


@pytest.mark.slow
def test_the_first_comment_has_the_command_that_applies_them(published: Release) -> None:
    for file in (*FILES, "crds.yaml"):
        comment = (published.out / "manifests" / file).read_text().partition("\n---\n")[0].splitlines()
        assert VERSION in comment[0]
        assert f"#   kubectl apply --server-side -f {file}" in comment
        assert all(line.startswith("#") for line in comment)


def test_manifests_without_packaged_charts_name_the_step(tmp_path: Path) -> None:
    release = release_into(tmp_path, "127.0.0.1:1")

    with pytest.raises(ReleaseError, match=rf"kwitness-crds-{VERSION}\.tgz is missing: run the step charts"):
        manifests(release, silent)
    assert not (tmp_path / "manifests").exists()


def commands(release: Release) -> list[str]:
    """The commands of the page, with this release's places in place of the example's."""
    section = PAGE.read_text().partition("### From a release\n")[2].partition("\n### ")[0]
    places = {
        f"{release.identity.downloads}/VERSION": str(release.out),
        release.identity.registry: release.registry,
        "--version VERSION": f"--plain-http --version {VERSION}",
    }
    found = re.findall(r"^(?:helm|kubectl) .+$", section, re.MULTILINE)
    for example, place in places.items():
        found = [command.replace(example, place) for command in found]
    return found


def test_the_page_installs_the_chart_and_writes_manifests(published: Release, reader: Reader) -> None:
    install, _, template = commands(published)

    reader.types(install)

    operator = f"{published.registry}/kwitness/images/operator@{images_lock()['operator']['digest']}"
    image = "{.spec.template.spec.containers[0].image}"
    assert reader.types(f"kubectl get deployment kwitness-operator -n kwitness -o jsonpath='{image}'") == operator
    assert operator in reader.types(template)


def test_manifests_that_are_applied_twice_change_nothing(published: Release, reader: Reader) -> None:
    _, apply, _ = commands(published)
    file = published.out / "manifests" / "install.yaml"

    def versions() -> dict[str, str]:
        reader.types(apply)
        reader.server.await_definitions()
        found: dict[str, Any] = json.loads(reader.types(f"kubectl get --filename={file} --output=json"))
        return {made["metadata"]["uid"]: made["metadata"]["resourceVersion"] for made in found["items"]}

    first = versions()

    assert len(first) == len(objects(published, "install.yaml"))
    assert versions() == first
