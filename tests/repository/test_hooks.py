"""The hooks before a commit refuse what `make lint` would refuse, with the tools of the project's own environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from kwitness.sandbox.waiting import run_to_end

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / ".pre-commit-config.yaml"
SLOW = "mypy,imports,generated"


class Clone:
    """A repository of its own with our hooks, settings and tools."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "PRE_COMMIT_HOME": str(home),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "SKIP": SLOW,
            **{f"GIT_{who}_{what}": "a@b.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }
        for file in (CONFIG, ROOT / "pyproject.toml"):
            shutil.copy(file, folder)
        (folder / ".venv").symlink_to(Path(sys.prefix))
        self.run("git", "init", "--quiet")
        self.run(".venv/bin/pre-commit", "install")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return run_to_end(command, cwd=self.folder, env=self._environment)

    def commit(self, name: str, content: str, title: str = "Add a file") -> subprocess.CompletedProcess[str]:
        (self.folder / name).write_text(content)
        self.run("git", "add", name)
        return self.run("git", "commit", "--message", title)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    folder = tmp_path / "clone"
    folder.mkdir()
    return Clone(folder, tmp_path / "home")


@pytest.mark.parametrize(
    ("hook", "name", "content"),
    [
        ("ruff check", "bad.py", '"""A module."""\n\nimport os\n'),
        ("ruff format", "bad.py", '"""A module."""\n\nNUMBERS = [1,2]\n'),
        ("blanks at the ends of lines", "bad.md", "A line with a blank \n"),
        ("conflict markers", "bad.yaml", "<<<<<<< ours\na: 1\n=======\na: 2\n>>>>>>> theirs\n"),
    ],
)
def test_a_commit_that_a_hook_refuses_is_not_made(clone: Clone, hook: str, name: str, content: str) -> None:
    done = clone.commit(name, content)

    assert done.returncode != 0
    assert [line for line in done.stderr.splitlines() if hook in line and line.endswith("Failed")] != [], done.stderr
    assert clone.run("git", "rev-parse", "--verify", "--quiet", "HEAD").returncode != 0


def test_a_commit_without_faults_is_made(clone: Clone) -> None:
    done = clone.commit("good.py", '"""A module."""\n\nNUMBERS = [1, 2]\n')

    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Passed") == 4, done.stderr


def test_a_commit_without_an_imperative_title_is_not_made(clone: Clone) -> None:
    done = clone.commit("good.py", '"""A module."""\n\nNUMBERS = [1, 2]\n', "Numbers in order")

    assert done.returncode != 0
    assert "begins with 'Numbers', which is no verb that is known here" in done.stderr


def test_every_hook_is_local_and_its_tool_is_ours() -> None:
    config = yaml.safe_load(CONFIG.read_text())

    assert [repository["repo"] for repository in config["repos"]] == ["local"]
    for hook in config["repos"][0]["hooks"]:
        tool = hook["entry"].split()[0]
        assert hook["language"] == "system"
        assert tool in ("git", "make") or (ROOT / tool).is_file(), tool
