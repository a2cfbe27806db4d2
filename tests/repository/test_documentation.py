"""Every page: its links lead somewhere, and the commands that it names exist with the options that it gives them."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kwitness.e2e import capacity
from kwitness.sandbox.waiting import run_to_end

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
)
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = set(re.findall(r"^([a-z][a-z0-9_-]*):", MAKEFILE, re.MULTILINE)) | {
    f"test-{name}" for names in re.findall(r"^\w*COMPONENTS := (.*)", MAKEFILE, re.MULTILINE) for name in names.split()
}


def folder_of(page: Path) -> Path:
    """Return where links of a page begin: a fragment becomes part of CHANGELOG.md."""
    return ROOT if page.parent == ROOT / "changelog" and page.name != "README.md" else page.parent


@functools.cache
def help_of(module: str) -> str:
    return run_to_end([sys.executable, "-m", module, "--help"], check=True).stdout


def code(page: Path) -> list[str]:
    """What a reader could type: code in lines of its own and within sentences."""
    text = page.read_text()
    fences = re.findall(r"^ *```(\w*)\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    blocks = [block for language, block in fences if language in ("", "sh", "bash")]
    prose = re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)
    indented = re.findall(r"^ {4}(\S.*)$", prose, re.MULTILINE)
    return [line for block in blocks for line in block.splitlines()] + indented + re.findall(r"`([^`\n]+)`", prose)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())

    assert [target for target in targets if "://" not in target and not (folder_of(page) / target).exists()] == []


def anchors(page: Path) -> set[str]:
    """What links may lead to within a page: its headings as they are made into anchors, repeated ones with a number."""
    prose = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", prose, re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", shown.lower()).strip().replace(" ", "-")
        times = sum(1 for one in found if re.fullmatch(rf"{re.escape(anchor)}(-\d+)?", one))
        found.add(f"{anchor}-{times}" if times else anchor)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_into_pages_lead_to_a_heading(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]*)#([^)]+)\)", page.read_text())
    inner = [((folder_of(page) / target).resolve() if target else page, anchor) for target, anchor in links]

    lost = [anchor for file, anchor in inner if file.suffix == ".md" and file.exists() and anchor not in anchors(file)]
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_tests_that_are_named_exist(page: Path) -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page.read_text())

    assert [file for file, _ in named if not (ROOT / file).is_file()] == []
    assert [name for file, name in named if name and f"def {name}(" not in (ROOT / file).read_text()] == []


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.is_relative_to(ROOT / "docs/dev") or page.name == "CONTRIBUTING.md"],
    ids=str,
)
def test_files_that_pages_for_developers_name_exist(page: Path) -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()}
    named = {
        name for name in re.findall(r"`([\w.-]+(?:/[\w.-]+)+)/?`", page.read_text()) if name.split("/")[0] in folders
    }

    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


WALKS = sorted((ROOT / "docs/dev").glob("a-*-file-by-file.md"))


@pytest.mark.parametrize("page", WALKS, ids=lambda page: page.name)
def test_a_walk_through_the_code_has_its_steps_in_order_each_with_a_file(page: Path) -> None:
    steps = re.findall(r"^\| (\d+) \| `([^`]+)` \|", page.read_text(), re.MULTILINE)

    assert len(steps) > 10
    assert [int(number) for number, _ in steps] == list(range(1, len(steps) + 1))
    assert all((ROOT / file).is_file() for _, file in steps)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_targets_of_make_exist(page: Path) -> None:
    named = {target for line in code(page) for target in re.findall(r"(?:^|\s)make ([a-z][a-z0-9_-]*)", line)}

    assert named - TARGETS == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
@pytest.mark.slow
def test_modules_that_are_run_know_the_options_they_are_given(page: Path) -> None:
    for line in code(page):
        if found := re.search(r"python3? -m (kwitness[\w.]*)(.*)", line):
            module, rest = found.groups()
            options = re.findall(r"(--[a-z-]+)", rest.partition("#")[0])

            assert [option for option in options if option not in help_of(module)] == [], line


def test_every_page_of_docs_is_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
            place = (page.parent / target).resolve()
            waiting += sorted(place.glob("*.md")) if place.is_dir() else [place] if place.suffix == ".md" else []

    assert [page for page in PAGES if page.is_relative_to(ROOT / "docs") and page not in reached] == []


def test_every_folder_has_its_line_in_contributing() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    folders = {
        page.relative_to(ROOT).parts[0]
        for page in ROOT.glob("*/*")
        if not page.relative_to(ROOT).parts[0].startswith(".")
    }
    tracked = {
        line.split("/")[0]
        for line in subprocess.run(
            ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.splitlines()
        if "/" in line
    }

    assert [name for name in sorted(folders & tracked) if f"`{name}/" not in text] == []


def test_every_variable_of_a_test_run_is_in_contributing() -> None:
    read = {
        name
        for path in (ROOT / "tests").rglob("*.py")
        for name in re.findall(r'environ(?:\.get\(|\[|\.)?"(KWITNESS_[A-Z_]+)"', path.read_text())
    }

    assert read
    assert [name for name in sorted(read) if f"`{name}" not in (ROOT / "CONTRIBUTING.md").read_text()] == []


def test_room_in_contributing_is_that_of_the_suite() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    assert f"{capacity.SUITE_GIB:g} GiB of memory and {capacity.COLD_GIB:g} GiB of disk" in text
    assert f"the demo {capacity.DEMO_GIB:g} GiB of memory" in text
