"""Published files name the project as `devtools/release/identity.toml` does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from kwitness.devtools.release.identity import IDENTITY_FILE, read_identity

ROOT = Path(__file__).resolve().parents[2]
IDENTITY = read_identity()
POMS = sorted((ROOT / "services").glob("*/pom.xml"))
PARENT = ROOT / "services/java-parent/pom.xml"
REMEDY = f"write there what {IDENTITY_FILE.relative_to(ROOT)} has"


def table(file: str) -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads((ROOT / file).read_text())


def test_the_parent_of_maven_artefacts_has_address_sources_and_team() -> None:
    text = PARENT.read_text()

    addresses = re.findall(r"^ +<url>(.*)</url>", text.partition("<build>")[0], re.MULTILINE)
    assert set(addresses) == {IDENTITY.repository, "https://www.apache.org/licenses/LICENSE-2.0.txt"}, REMEDY
    assert re.findall(r"<connection>(.*)</connection>", text) == [f"scm:git:{IDENTITY.repository}"], REMEDY
    assert re.findall(r"<developer>\s*<name>(.*)</name>\s*</developer>", text) == [IDENTITY.team], REMEDY


def test_children_have_the_parents_addresses_without_their_own_names_behind() -> None:
    text = PARENT.read_text()

    for tag, inherited in (("project", "project.url"), ("scm", "scm.url"), ("scm", "scm.connection")):
        assert re.search(rf'<{tag}\b[^>]* child\.{inherited}\.inherit\.append\.path="false"', text.replace("\n", " "))


@pytest.mark.parametrize("pom", POMS, ids=lambda pom: pom.parent.name)
def test_a_maven_artefact_has_the_group_and_inherits_the_rest(pom: Path) -> None:
    head = re.split("<(?:properties|dependencies|dependencyManagement|build)>", pom.read_text())[0]

    assert re.findall(r"<groupId>(.*)</groupId>", head) == [IDENTITY.group], REMEDY
    assert pom == PARENT or not re.search("<(?:url|scm|developers|organization)>", head), "the parent has these"


def test_crates_and_wheels_name_the_repository() -> None:
    assert table("Cargo.toml")["workspace"]["package"]["repository"] == IDENTITY.repository, REMEDY
    assert table("pyproject.toml")["project"]["urls"] == {"Repository": IDENTITY.repository}, REMEDY


def test_each_crate_inherits_the_repository() -> None:
    members = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["members"]

    assert [
        name for name in members if table(f"{name}/Cargo.toml")["package"].get("repository") != {"workspace": True}
    ] == []
