"""The product does not grow by accident: more lines of a portion need a raised figure in the change."""

from __future__ import annotations

import subprocess
from pathlib import Path

from kwitness.devtools import size
from kwitness.devtools.figures import read_figures, write_figures


def test_no_portion_has_more_lines_than_its_figure() -> None:
    assert size.problems(size.lines_by_portion(), read_figures(size.FIGURES)["lines"]) == []


def test_a_portion_that_grew_or_has_no_figure_is_found_with_the_remedy() -> None:
    found = size.problems({"operator": 11, "services/new": 1, "contracts": 9}, {"operator": 10, "contracts": 10})

    assert [problem.split(":")[0] for problem in found] == [
        "operator has 11 lines, 10 at most",
        "services/new has 1 lines, 0 at most",
    ]
    assert 'python -m kwitness.devtools.size --raise operator "reason"' in found[0]


def test_lines_are_counted_of_what_is_shipped_and_written_by_hand(tmp_path: Path) -> None:
    files = {
        "operator/src/kopf.py": "a = 1\n",
        "services/protocol/src/frame.rs": "a\nb\n",
        "services/protocol/tests/frames.rs": "a\n",
        "services/plugin/src/main/java/Plugin.java": "a\n",
        "services/plugin/src/test/java/PluginTest.java": "a\n",
        "contracts/src/schema.py": '"""Generated from contracts/ by `make generate`; do not edit."""\n',
        "contracts/src/model.py": "a = 1\n",
        "tests/test_kopf.py": "a = 1\n",
        "devtools/src/size.py": "a = 1\n",
        "operator/README.md": "a\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)

    assert size.lines_by_portion(tmp_path) == {
        "contracts": 1,
        "operator": 1,
        "services/plugin": 1,
        "services/protocol": 2,
    }


def test_figures_are_read_as_they_were_written(tmp_path: Path) -> None:
    tables = {
        "lines": {"services/protocol": 2, "spark-jobs": 1},
        "raised": {"services/protocol": 'a "second" protocol'},
    }

    write_figures(tmp_path / "size.toml", "A comment.", tables)

    assert read_figures(tmp_path / "size.toml") == tables
