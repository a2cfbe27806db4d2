"""Tags of images, what is built into them, and how the chart is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kwitness.images.base_images import read_packages
from kwitness.images.builder import helm_values
from kwitness.images.image_parts import copy_content
from kwitness.images.image_recipes import NAMES, recipe


@pytest.mark.parametrize("name", NAMES)
def test_every_image_has_a_tag_of_its_content(name: str) -> None:
    wanted = recipe(name)
    tag = wanted.tag("base:1")
    assert tag == recipe(name).tag("base:1")
    assert tag != wanted.tag("base:2")
    assert tag.startswith(f"kwitness/{name}:")


@pytest.mark.parametrize("name", [*NAMES, "dev-kafka@3.7.2"])
def test_every_image_has_a_dockerfile_and_a_user_without_rights(name: str) -> None:
    text = (recipe(name).folder / "Dockerfile").read_text()
    users = [line.split()[1] for line in text.splitlines() if line.startswith("USER ")]
    assert users
    assert all(user.split(":")[0].isdigit() and user.split(":")[0] != "0" for user in users)


def test_each_kafka_version_has_a_tag_that_names_it() -> None:
    assert recipe("dev-kafka@3.7.2").tag("base").startswith("kwitness/dev-kafka:3.7.2-")
    assert recipe("dev-kafka").tag("base").startswith("kwitness/dev-kafka:4.3.1-")


@pytest.mark.parametrize("name", ["observer", "operator@1", "dev-kafka@2.8.0"])
def test_an_unknown_image_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(ValueError, match=r"there are .*(operator|3\.7\.2)"):
        recipe(name)


def test_the_operator_image_holds_only_what_the_operator_may_import(tmp_path: Path) -> None:
    inputs = [part.name for part in recipe("operator").inputs if isinstance(part, Path)]
    assert inputs == ["operator.txt", "contracts", "runtime", "operator"]


def test_copied_sources_have_no_leftovers(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "__pycache__").mkdir(parents=True)
    (source / "__pycache__" / "x.pyc").write_text("")
    (source / "x.py").write_text("")
    copy_content(source, tmp_path / "target")
    assert [file.name for file in (tmp_path / "target").rglob("*")] == ["x.py"]


def test_package_lists_may_have_comments(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text("# Debian\ntini\n\nca-certificates # for TLS\n")
    assert read_packages(file) == ["ca-certificates", "tini"]


def test_the_chart_is_told_repository_and_tag() -> None:
    values = json.loads(
        helm_values(
            {"dev-kafka": "registry.example:5000/team/kwitness/dev-kafka:4.3.1-ab", "demo-java": "kwitness/demo-java:x"}
        )
    )
    assert values == {
        "global": {"imageRegistry": ""},
        "images": {"devKafka": {"repository": "registry.example:5000/team/kwitness/dev-kafka", "tag": "4.3.1-ab"}},
    }
