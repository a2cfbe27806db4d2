"""Titles of commits are imperative, by the hook before a commit and by the history since that was agreed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kwitness.devtools.commit_titles import SINCE, landed, problem_of

ROOT = Path(__file__).resolve().parents[2]
EXCEPTED = [
    line.split(" ", 1)
    for line in (ROOT / "devtools/excepted_titles.txt").read_text().splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(
    "title", ["Move subscription facts to subscription_facts.py", "Embed the schema", 'Revert "Add a file"']
)
def test_an_imperative_title_is_right(title: str) -> None:
    assert problem_of(title) is None


@pytest.mark.parametrize(
    ("title", "remedy"),
    [
        ("Imports in order", "begins with 'Imports', which is no verb that is known here"),
        ("The operator retries", "begins with 'The', which is no verb"),
        ("What a push costs", "begins with 'What', which is no verb"),
        ("Added a file", "begin with the verb's base form"),
        ("Adding a file", "begin with the verb's base form"),
        ("Frobnicate the collector", "add a verb that is missing to imperative_verbs.txt"),
        ("add a file", "begin it with a capital letter"),
        ("Add a file.", "end it without a full stop"),
        (f"Add {'a file ' * 10}", "has 74 characters: 72 at most"),
        ("", "begins with ''"),
    ],
)
def test_another_title_is_refused_with_the_remedy(title: str, remedy: str) -> None:
    assert remedy in str(problem_of(title))


def test_landed_titles_are_imperative() -> None:
    titles = landed(ROOT)
    if titles is None:
        pytest.skip(f"the history here does not reach back to {SINCE[:8]}: fetch it whole to check titles")

    refused = {
        f"{commit[:12]} {title}": problem
        for commit, title in titles.items()
        if [commit, title] not in EXCEPTED and (problem := problem_of(title))
    }

    assert refused == {}, "amend the title; one that has landed is excepted by a line in devtools/excepted_titles.txt"


def test_history_is_read_without_merges_and_from_where_it_begins(tmp_path: Path) -> None:
    def git(*command: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=b"]
        return subprocess.run(["git", *who, *command], cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    git("init", "--quiet", "--initial-branch=main")
    for title in ("Begin", "Imports in order"):
        git("commit", "--quiet", "--allow-empty", "--message", title)
    git("checkout", "--quiet", "-b", "side", "HEAD~1")
    git("commit", "--quiet", "--allow-empty", "--message", "Add a file")
    git("checkout", "--quiet", "main")
    git("merge", "--quiet", "--no-ff", "side", "--message", "The merge of a branch")

    assert set((landed(tmp_path, "main~2") or {}).values()) == {"Imports in order", "Add a file"}
    assert landed(tmp_path, SINCE) is None
