"""References of images, what is built into them, and how a chart is told."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kwitness.demo.images import ALL, OTHERS, dev_kafka
from kwitness.images.base_images import read_packages
from kwitness.images.builder import helm_values
from kwitness.images.image_parts import REPOSITORY, copy_content, site_packages
from kwitness.images.image_recipes import PYTHON_BASE, SHIPPED
from kwitness.sandbox.waiting import run_to_end

EVERY = {**ALL, **SHIPPED, **OTHERS}


@pytest.mark.parametrize("name", {**ALL, **SHIPPED})
def test_every_image_has_a_tag_of_its_content(name: str, tmp_path: Path) -> None:
    wanted = EVERY[name]
    another_base = tmp_path / "another.txt"
    another_base.write_text("tini\n")

    assert wanted.reference == replace(wanted).reference
    assert wanted.reference != replace(wanted, base=another_base).reference
    assert wanted.reference != replace(wanted, inputs=(*wanted.inputs, PYTHON_BASE)).reference
    assert wanted.reference.startswith(f"kwitness/{name}:")


@pytest.mark.parametrize("name", EVERY)
def test_every_image_has_a_dockerfile_and_a_user_without_rights(name: str) -> None:
    text = (EVERY[name].folder / "Dockerfile").read_text()
    users = [line.split()[1] for line in text.splitlines() if line.startswith("USER ")]
    assert users
    assert all(user.split(":")[0].isdigit() and user.split(":")[0] != "0" for user in users)


def test_each_kafka_version_has_a_tag_that_names_it() -> None:
    assert dev_kafka("3.7.2").reference.startswith("kwitness/dev-kafka:3.7.2-")
    assert dev_kafka().reference.startswith("kwitness/dev-kafka:4.3.1-")


def test_a_kafka_version_that_there_is_none_of_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"one of .*3\.7\.2"):
        dev_kafka("2.8.0")


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("kwitness.images", "sidecar"),
        ("kwitness.images", "operator@1"),
        ("kwitness.images", "dev-kafka"),
        ("kwitness.demo.images", "dev-kafka@2.8.0"),
    ],
)
def test_an_unknown_image_is_refused_with_those_there_are(module: str, name: str) -> None:
    command = [sys.executable, "-m", module, "--only", name]
    done = run_to_end(command)
    assert done.returncode == 2
    assert f"'{name}' (choose from 'operator'" in done.stderr


def test_each_image_that_is_shipped_has_its_folder_and_no_other() -> None:
    folders = {path.parent.name for path in (REPOSITORY / "images").glob("*/Dockerfile")}
    assert folders == {*SHIPPED, "spark-libraries"}
    assert [recipe.folder.name for recipe in SHIPPED.values()] == list(SHIPPED)


def test_the_operator_image_holds_only_what_the_operator_may_import() -> None:
    inputs = [part.name for part in SHIPPED["operator"].inputs if isinstance(part, Path)]
    assert inputs == ["operator.txt", "contracts", "runtime", "subscriptions", "operator"]


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


def test_values_have_repository_tag_and_digest() -> None:
    digest = f"sha256:{'a' * 64}"
    built = {
        "dev-kafka": f"registry.example:5000/team/kwitness/dev-kafka:4.3.1-ab@{digest}",
        "operator": "kwitness/operator:0",
    }

    assert json.loads(helm_values(built)) == {
        "global": {"imageRegistry": ""},
        "images": {
            "devKafka": {
                "repository": "registry.example:5000/team/kwitness/dev-kafka",
                "tag": "4.3.1-ab",
                "digest": digest,
            },
            "operator": {"repository": "kwitness/operator", "tag": "0", "digest": ""},
        },
    }


def test_packages_name_no_program_whose_first_line_is_a_path_of_this_machine() -> None:
    records = list(site_packages(REPOSITORY / "locks" / "injector.txt").glob("*.dist-info/RECORD"))

    assert records
    assert not [record for record in records if "\nbin/" in f"\n{record.read_text()}"]
