"""Decision pages have one form, the index lists them all, and whoever refers to one names a page that exists."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/decisions"
PAGES = sorted(FOLDER.glob("[0-9]*.md"))
NUMBERS = {page.name[:4] for page in PAGES}
HEADINGS = ["Situation", "Decision", "Consequences", "Rejected"]


def dangling(text: str, *, is_page: bool) -> list[str]:
    """References to no page. A page may speak of the folder and link to it; elsewhere a reference has a number."""
    named = re.findall(r"docs/decisions/?(\d[\w.-]*\w)?", text)
    known = NUMBERS | {page.name for page in PAGES}
    return [name or "no number" for name in named if name not in known and (name or not is_page)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_its_number_and_the_four_headings(page: Path) -> None:
    first, *lines = page.read_text().splitlines()

    assert re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", page.name)
    assert re.fullmatch(rf"# {page.name[:4]} \S.*[^.]", first)
    assert [line.removeprefix("## ") for line in lines if line.startswith("#")] == HEADINGS


def test_each_number_is_given_once() -> None:
    assert len(NUMBERS) == len(PAGES)


def test_the_index_lists_every_page_in_order_under_its_title() -> None:
    listed = re.findall(r"^- (\[.*)$", (FOLDER / "README.md").read_text(), re.MULTILINE)

    assert listed == [f"[{page.read_text().splitlines()[0].removeprefix('# ')}]({page.name})" for page in PAGES]


def test_every_reference_names_a_page() -> None:
    files = subprocess.run(
        ["git", "grep", "--untracked", "--files-with-matches", "-I", "decisions"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    searched = [ROOT / name for name in files if (ROOT / name) != Path(__file__)]

    found = {path: wrong for path in searched if (wrong := dangling(path.read_text(), is_page=path.suffix == ".md"))}

    assert len(searched) > 5
    assert found == {}


@pytest.mark.parametrize("text", ["(docs/decisions: Secrets)", "they stay (docs/decisions).", "docs/decisions/0999"])
def test_a_reference_that_leads_nowhere_is_found(text: str) -> None:
    assert dangling(f"{text} and more", is_page=False) != []


@pytest.mark.parametrize("text", ["(docs/decisions/0004).", f"docs/decisions/{PAGES[0].name}"])
def test_a_reference_to_a_page_is_right(text: str) -> None:
    assert dangling(f"{text} and more", is_page=False) == []
