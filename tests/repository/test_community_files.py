"""Files for those who take part name the project's home and team, and commands that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.devtools.release.identity import IDENTITY_FILE, read_identity

ROOT = Path(__file__).resolve().parents[2]
IDENTITY = read_identity()
REMEDY = f"write there what {IDENTITY_FILE.relative_to(ROOT)} has"
FORMS = sorted(form for form in ROOT.glob(".github/ISSUE_TEMPLATE/*.yml") if form.name != "config.yml")
PAGES = [ROOT / name for name in ("CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "GOVERNANCE.md", "SECURITY.md")]
FILES = [*PAGES, *FORMS, *(ROOT / ".github" / name for name in ("CODEOWNERS", "ISSUE_TEMPLATE/config.yml"))]
PRIVATE_FORM = f"{IDENTITY.repository}/security/advisories/new"
COVENANT = "https://www.contributor-covenant.org/version/2/1/code_of_conduct/"


def fields(form: Path) -> list[dict[str, Any]]:
    """Return the fields of a form that a person fills in."""
    return [field for field in yaml.safe_load(form.read_text())["body"] if field["type"] != "markdown"]


def test_the_team_owns_every_file() -> None:
    lines = (ROOT / ".github/CODEOWNERS").read_text().splitlines()
    rules = [line.split() for line in lines if line and not line.startswith("#")]

    assert rules[0] == ["*", IDENTITY.team], REMEDY
    assert {owner for _, *owners in rules for owner in owners} == {IDENTITY.team}, REMEDY


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_addresses_and_handles_are_those_of_the_identity(file: Path) -> None:
    text = file.read_text()
    addresses = set(re.findall(r"https?://[^\s)>\"]+", text))
    handles = set(re.findall(r"(?<![\w/.])@[\w-]+/[\w-]+", text))

    assert addresses <= {IDENTITY.repository, PRIVATE_FORM, COVENANT}, REMEDY
    assert handles <= {IDENTITY.team}, REMEDY
    assert re.findall(r"[\w.]+@[\w-]+\.\w+", text) == [], "the project has no address for mail"


@pytest.mark.parametrize("name", ["SECURITY.md", "CODE_OF_CONDUCT.md", ".github/ISSUE_TEMPLATE/config.yml"])
def test_reports_go_to_the_private_form(name: str) -> None:
    assert PRIVATE_FORM in (ROOT / name).read_text(), REMEDY


def test_the_first_change_clones_the_repository() -> None:
    first = (ROOT / "CONTRIBUTING.md").read_text().partition("\n## A first change\n")[2].partition("\n## ")[0]

    assert re.findall(r"^git clone (\S+)", first, re.MULTILINE) == [IDENTITY.repository], REMEDY
    assert "make setup hooks" in first
    assert "make check-pages" in first


def test_governance_names_the_team() -> None:
    assert IDENTITY.team in (ROOT / "GOVERNANCE.md").read_text(), REMEDY


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_a_form_asks_for_something_and_for_each_thing_once(form: Path) -> None:
    names = [field["id"] for field in fields(form)]

    assert sorted(set(names)) == sorted(names)
    assert any(field.get("validations", {}).get("required") for field in fields(form))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_commands_in_a_form_exist(form: Path) -> None:
    text = form.read_text()
    makefile = (ROOT / "Makefile").read_text()
    reference = (ROOT / "docs/reference/command.md").read_text()

    for target in re.findall(r"`make ([a-z-]+)`", text):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"the Makefile has no target {target}"
    for command in re.findall(r"`(kwitness [a-z-]+)`", text):
        assert f"### `{command}`" in reference or f"`{command.partition(' ')[2]}`" in reference, command
    for page in re.findall(r"\b([A-Z_]+\.md)\b", text):
        assert (ROOT / page).is_file()
