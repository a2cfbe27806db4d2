"""One word for one thing: what the glossary says was replaced is gone, and its words of our own are the API's."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from kwitness.contracts.resources.client_metrics_subscription import ClientCounts

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = ROOT / "docs/dev/glossary.md"
SEARCHED = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
    cwd=ROOT,
    capture_output=True,
    text=True,
    check=True,
).stdout.splitlines()


def rows(heading: str) -> list[tuple[str, str]]:
    """Rows of the table under a heading of the glossary."""
    part = GLOSSARY.read_text().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", part, re.MULTILINE)[1:]


def sources() -> list[Path]:
    """Sources, charts and pages; not tests, locks, and what tells of the past."""
    left_out = ("tests/", "locks/", "CHANGELOG.md", "devtools/excepted_titles.txt", "docs/dev/glossary.md")
    kinds = {".py", ".rs", ".java", ".md", ".yaml", ".yml", ".tpl", ".txt", ".sh", ".go", ".json", ".toml", ""}
    paths = (ROOT / name for name in SEARCHED if not name.startswith(left_out) and Path(name).name != "LICENSE")
    return [path for path in paths if path.suffix in kinds and path.is_file()]


@pytest.mark.parametrize(("word", "instead"), rows("Words that were replaced"))
def test_a_word_that_was_replaced_is_gone(word: str, instead: str) -> None:
    pattern = re.compile(rf"\b{re.escape(word.strip('`'))}\b", re.IGNORECASE)

    found = {
        f"{path.relative_to(ROOT)}:{number}"
        for path in sources()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if pattern.search(line)
    }

    assert found == set(), f"say {instead}"


@pytest.mark.parametrize("heading", ["Words of our own", "Words of the field", "Words that were replaced"])
def test_each_word_has_one_row(heading: str) -> None:
    words = [word for row in rows(heading) for word in row[0].split(", ")]

    assert words
    assert sorted(words) == sorted(set(words))


def test_the_numbers_of_a_subscription_are_explained() -> None:
    words = {word for row in rows("Words of our own") for word in row[0].split(", ")}

    assert set(ClientCounts.model_fields) - {"source"} <= words
