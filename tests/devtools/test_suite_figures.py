"""Work of groups beside committed figures, notes of trees that passed, and the page of costs."""

from __future__ import annotations

import itertools
import json
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from kwitness.devtools.suite.cost_page import page
from kwitness.devtools.suite.cpu_log import read_cpu_log
from kwitness.devtools.suite.figures import FIGURES, GroupCost, committed, comparison, excessive
from kwitness.devtools.suite.passed import note_passed, tree_hash
from kwitness.devtools.suite.run_folder import RunFolder
from kwitness.devtools.suite.steps import GROUPS
from kwitness.e2e.reference_work import ReferenceClock
from kwitness.images.build_time import BUILDS_VARIABLE, noted_build
from kwitness.images.image_parts import REPOSITORY

COSTS = [
    GroupCost("node", seconds=754.4, cpu_s=500.0, build_s=300.0),
    GroupCost("broker", seconds=600.2, cpu_s=270.0),
    GroupCost("java", seconds=61.0, cpu_s=9.0),
]


def test_work_is_shown_beside_the_committed_one() -> None:
    assert comparison(COSTS, {"node": 2000.0, "broker": 2500.0}, reference_s=0.1) == [
        "step       took   CPU-s of builds    work committed",
        "node      12:34     500       300    2000      2000   +0%",
        "broker    10:00     270         0    2700      2500   +8%",
        "java       1:01       9         0",
        "work: CPU-seconds, builds left out, in units of a fixed piece of work, 0.100 s here",
    ]


def test_a_group_that_passes_its_figure_by_a_quarter_is_named_with_the_remedy() -> None:
    figures = {"node": 1600.0, "broker": 2159.0}

    assert [line.partition(":")[0] for line in excessive(COSTS, figures, reference_s=0.1)] == ["broker"]
    [line] = excessive(COSTS, figures, reference_s=0.1)
    assert "work of 2700 passes the committed 2159 by more than 25%" in line
    assert "group_work.toml" in line


def test_a_machine_of_half_the_speed_shows_the_same_work() -> None:
    slow = [GroupCost(cost.name, cost.seconds * 2, cost.cpu_s * 2, cost.build_s * 2) for cost in COSTS]

    assert [cost.work(0.2) for cost in slow] == pytest.approx([cost.work(0.1) for cost in COSTS])


@pytest.mark.parametrize("work", ["0", "-1", "true", '"600"', "[]"])
def test_a_figure_that_is_no_work_is_named(work: str) -> None:
    with pytest.raises(ValueError, match=r"group_work\.toml: work of unit is .*; write what"):
        committed(f'unit = {{work = {work}, reason = "x"}}')


def test_a_figure_without_a_reason_is_refused() -> None:
    with pytest.raises(ValueError, match="unit has no reason"):
        committed('unit = {work = 5, reason = ""}')


def test_every_group_has_a_committed_figure_and_no_other_has() -> None:
    assert set(committed()) == {group.name for group in GROUPS}


def raised_without_reason(versions: list[str]) -> list[str]:
    """Groups whose figure rose from one version of the file to the next, oldest first, beside the same reason."""
    parsed = [tomllib.loads(version) for version in versions]
    return [
        name
        for old, new in itertools.pairwise(parsed)
        for name in old.keys() & new.keys()
        if new[name]["work"] > old[name]["work"] and new[name]["reason"] == old[name]["reason"]
    ]


def test_who_raises_a_figure_writes_a_new_reason() -> None:
    name = FIGURES.relative_to(REPOSITORY).as_posix()
    found = subprocess.run(
        ["git", "log", "--format=%H", "--", name], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    if found.returncode != 0 or not found.stdout:
        pytest.skip(f"no history of {name} here: is this a clone?")
    commits = found.stdout.split()[::-1]
    committed_before = [
        subprocess.run(
            ["git", "show", f"{commit}:{name}"], cwd=REPOSITORY, capture_output=True, text=True, check=True
        ).stdout
        for commit in commits
    ]

    assert raised_without_reason([*committed_before, FIGURES.read_text()]) == []
    one, two = 'unit = {work = 5, reason = "a"}', 'unit = {work = 6, reason = "a"}'
    assert raised_without_reason([one, two]) == ["unit"]
    assert raised_without_reason([two, one, 'unit = {work = 6, reason = "b"}']) == []


def test_builds_are_left_out_of_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BUILDS_VARIABLE, str(tmp_path / "log"))
    burn = ["python3", "-c", "import time\nwhile time.process_time() < 0.2: pass"]

    with noted_build("outer"), noted_build("inner"):
        subprocess.run(burn, check=True)

    cost = read_cpu_log(
        [
            *(tmp_path / "log").read_text().splitlines(),
            '{"file": "a", "test": "t", "tests": 1, "cpu_s": 1, "wall_s": 2}',
        ]
    )
    assert 0.2 <= cost.build_s < 1
    assert cost.cpu_s == 1


def test_the_piece_of_work_is_timed_beside_other_work() -> None:
    with ReferenceClock(every_s=0.01) as reference:
        assert 0.005 < reference.seconds < 5


def test_only_what_a_whole_run_wrote_replaces_the_last_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole, beside = RunFolder(tmp_path / "a"), RunFolder(tmp_path / "b")
    whole.write_summary(COSTS, 0.1)
    whole.keep()

    beside.write_summary([], 0.2)

    assert RunFolder.last().summary() == whole.summary()


@pytest.fixture
def git(tmp_path: Path) -> Callable[..., str]:
    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        done = subprocess.run(["git", *identity, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "--quiet")
    return git


def test_what_passed_is_noted_by_the_tree_with_what_is_not_committed(git, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "--quiet", "--message", "Add a")
    assert tree_hash(tmp_path) == git("rev-parse", "HEAD^{tree}")

    (tmp_path / "b").write_text("2")
    changed = tree_hash(tmp_path)
    assert git("status", "--porcelain") == "?? b"
    git("add", "b")
    git("commit", "--quiet", "--message", "Add b")
    assert changed == git("rev-parse", "HEAD^{tree}")

    noted = note_passed(changed, {"minutes": 28.5, "cpu_seconds": 3000}, tmp_path / "cache")
    assert noted == tmp_path / "cache/passed" / changed
    assert json.loads(noted.read_text())["minutes"] == 28.5


def test_a_folder_without_history_has_no_hash(tmp_path: Path) -> None:
    assert tree_hash(tmp_path) is None


def test_the_page_names_the_dearest_files_and_fixtures() -> None:
    run = read_cpu_log(
        [
            '{"file": "tests/a/test_a.py", "fixture": "api", "tests": 0, "cpu_s": 4.0, "wall_s": 3}',
            '{"file": "tests/a/test_a.py", "test": "test_one", "tests": 1, "cpu_s": 1.0, "wall_s": 2}',
            '{"file": "tests/a/test_a.py", "test": "test_two", "tests": 1, "cpu_s": 2.0, "wall_s": 2}',
            '{"file": "tests/b/test_b.py", "test": "test_one", "tests": 1, "cpu_s": 5.0, "wall_s": 9}',
            '{"build": "rust", "cpu_s": 3.0}',
        ]
    )
    summary = {"reference_s": 0.5, "steps": [{"name": "unit", "seconds": 90, "cpu_s": 12.0, "build_s": 3.0}]}

    shown = page(summary, {"unit": run}, "Measured at commit `abc`.")

    assert "| unit | 3 | 1.5 | 12 | 3 | 18 |" in shown
    assert shown.index("| `tests/b/test_b.py` | unit | 5.0 | 9 |") < shown.index(
        "| `tests/a/test_a.py` | unit | 3.0 | 4 |"
    )
    assert "| `api` | unit | 4.0 |" in shown
