"""Renovate finds every lock, and the versions that the Makefile pins."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kwitness.devtools.commit_titles import problem_of
from kwitness.devtools.sources import tracked

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = json.loads((ROOT / ".github/renovate.json").read_text())
GROUPS = sorted({rule["groupName"] for rule in SETTINGS["packageRules"] if "groupName" in rule})
FILES = [str(file) for file in tracked(ROOT)]
BY_DEFAULT = {
    "cargo": r"(^|/)Cargo\.toml$",
    "github-actions": r"(^|/)(workflows/[^/]+\.ya?ml|action\.ya?ml)$",
    "gomod": r"(^|/)go\.mod$",
    "maven": r"(^|/)pom\.xml$",
    "npm": r"(^|/)package\.json$",
    "pep621": r"(^|/)pyproject\.toml$",
    "rust-toolchain": r"(^|/)rust-toolchain\.toml$",
}
"""Files of managers that are left as they are."""


def pattern(text: str) -> str:
    """Return a pattern, which stands between strokes, as Python writes it."""
    assert text.startswith("/")
    assert text.endswith("/")
    return text[1:-1]


def test_each_manager_has_files() -> None:
    own = {
        name: [pattern(text) for text in SETTINGS[name]["managerFilePatterns"]]
        for name in SETTINGS["enabledManagers"]
        if "managerFilePatterns" in SETTINGS.get(name, {})
    }
    patterns = {name: [text] for name, text in BY_DEFAULT.items()} | own

    assert patterns.keys() | {"custom.regex"} == set(SETTINGS["enabledManagers"])
    for name, texts in patterns.items():
        for text in texts:
            assert any(re.search(text, file) for file in FILES), f"{name}: {text} is no file's name"


def stays(lock: str) -> bool:
    """Return whether a lock keeps its version: its name has it, or a benchmark of a peer was made with it."""
    return re.search(r"\d", Path(lock).name) is not None or lock.startswith("bench/peers/")


def test_each_lock_of_python_is_updated() -> None:
    patterns = [pattern(text) for text in SETTINGS["pip_requirements"]["managerFilePatterns"]]
    hashed = [file for file in FILES if file.endswith(".txt") and "--hash=sha256:" in (ROOT / file).read_text()]

    assert len(hashed) > 10
    updated = [file for file in hashed if any(re.search(text, file) for text in patterns)]
    assert [file for file in hashed if file not in updated and not stays(file)] == []


@pytest.mark.parametrize("manager", SETTINGS["customManagers"], ids=lambda manager: manager["depNameTemplate"])
def test_a_version_of_the_makefile_is_found(manager: dict[str, list[str]]) -> None:
    files = [file for file in FILES if any(re.search(pattern(text), file) for text in manager["managerFilePatterns"])]
    (match,) = manager["matchStrings"]
    found = [re.findall(match.replace("(?<", "(?P<"), (ROOT / file).read_text()) for file in files]

    assert len(found) == 1
    assert re.fullmatch(r"\d+\.\d+\.\d+", *found[0])


def test_actions_are_pinned_and_tests_are_not_left_out() -> None:
    assert "helpers:pinGitHubActionDigests" in SETTINGS["extends"]
    assert ":ignoreModulesAndTests" in SETTINGS["ignorePresets"]


@pytest.mark.parametrize("group", GROUPS)
def test_titles_of_its_commits_are_allowed(group: str) -> None:
    assert SETTINGS["semanticCommits"] == "disabled"
    assert problem_of(f"Update {group}") is None
