"""Figures in `docs/benchmarks.md` that are older than the code that they measure are marked there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from kwitness.bench.measured_sources import MEASURED, measured_by, sources_hash, sources_hash_at
from kwitness.bench.results_page import PAGE, RESULTS, ROOT, page

MARK = "**Older than the code**: sources in `services/collector`, `services/runtime` have changed since."


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a component, and the figures of a benchmark of it as it is now."""
    (tmp_path / "services/collector/tests").mkdir(parents=True)
    (tmp_path / "services/collector/process.py").write_text("ANSWER = 200\n")
    commands = (
        ["init", "--quiet"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "Add"],
    )
    for command in commands:
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    sources = sources_hash(tmp_path, measured_by("collector"))
    (tmp_path / "collector.md").write_text("## Collector\n\n1,000 a second\n")
    (tmp_path / "collector.origin").write_text(f"Measured at commit `a` with sources `{sources}`.\n")
    return tmp_path


def test_the_page_is_what_its_writer_writes_today() -> None:
    assert PAGE.read_text() == page(ROOT, RESULTS), "write it: python -m kwitness.bench.results_page"


def test_figures_of_the_sources_of_today_have_no_mark(repository: Path) -> None:
    (repository / "services/collector/README.md").write_text("no source\n")
    (repository / "services/collector/tests/test_process.py").write_text("no source of the product\n")

    assert MARK not in page(repository, repository)


@pytest.mark.parametrize("file", ["process.py", "new.rs"])
def test_figures_are_marked_when_a_source_has_changed_since(repository: Path, file: str) -> None:
    (repository / "services/collector" / file).write_text("ANSWER = 201\n")

    assert MARK in page(repository, repository)


def test_figures_without_sources_are_refused(repository: Path) -> None:
    (repository / "collector.origin").write_text("Measured at commit `a`.\n")

    with pytest.raises(ValueError, match="names no sources: run the benchmark again"):
        page(repository, repository)


def test_todays_files_and_those_of_their_commit_have_one_hash(repository: Path) -> None:
    folders = measured_by("collector")

    assert sources_hash(repository, folders) == sources_hash_at(repository, "HEAD", folders)


def test_each_benchmark_names_folders_that_exist() -> None:
    programs = [path.stem for path in (ROOT / "bench/benchmarks").glob("*.py")]

    assert programs
    assert {folder for name in programs for folder in measured_by(name) if not (ROOT / folder).is_dir()} == set()
    assert measured_by("spark_telemetry_rollup") == MEASURED["spark_telemetry_rollup"]


@pytest.mark.parametrize(
    ("file", "pattern"),
    [
        ("Makefile", r"observer_%,\$\(or \$\(PARTS\),([a-z ]+)\)"),
        ("CONTRIBUTING.md", r"`PARTS=memory` is one of `([a-z ]+)`"),
    ],
)
def test_each_benchmark_of_the_observer_is_a_part_of_make_bench_observer(file: str, pattern: str) -> None:
    (parts,) = re.findall(pattern, (ROOT / file).read_text())

    programs = (ROOT / "bench/benchmarks").glob("observer_*.py")
    assert sorted(parts.split()) == sorted(path.stem.removeprefix("observer_") for path in programs)
