"""Each figure of the page of limits is the one in the code that it links to, and each metric exists."""

from __future__ import annotations

import ast
import operator
import re
from pathlib import Path

import pytest

from kwitness.contracts.own_metrics import OBSERVER_METRICS, OWN_METRICS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/operations/limits.md"
LINK = re.compile(r"\[([^\]]+)\]\(([^)#]+)#(_?[A-Z_]+)\)")
OPERATIONS = {ast.Mult: operator.mul, ast.Add: operator.add, ast.LShift: operator.lshift}
LINKS = LINK.findall(PAGE.read_text())
"""Figure, path and name of a constant."""
UNITS = {"KiB": 1024, "MiB": 1024**2}


def value_of(expression: str) -> int:
    """The number that a constant's expression is, in Python or Rust."""

    def value(node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int(number)):
                return number
            case ast.BinOp(left=left, op=operation, right=right):
                return int(OPERATIONS[type(operation)](value(left), value(right)))
        raise AssertionError(f"{expression} is no number")

    return value(ast.parse(expression, mode="eval").body)


def shown(figure: str) -> int:
    number, _, unit = figure.partition(" ")
    return int(number.replace(",", "")) * UNITS.get(unit, 1)


@pytest.mark.parametrize(("figure", "path", "name"), LINKS, ids=lambda value: value.rpartition("/")[2])
def test_a_figure_is_that_of_the_code(figure: str, path: str, name: str) -> None:
    source = (PAGE.parent / path).resolve().read_text()

    found = re.search(rf"^(?:pub(?:\([a-z]+\))? )?(?:const )?{name}: [^=]+= ([0-9_ *+<]+);?$", source, re.MULTILINE)

    assert found is not None, f"{path} has no constant {name}"
    assert shown(figure) == value_of(found[1])


def test_each_row_of_a_bound_names_a_figure_of_the_code_and_a_metric_that_exists() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ") and not line.startswith("| Bound")]
    known = {metric.name for metric in (*OWN_METRICS, *OBSERVER_METRICS)}

    assert len(rows) > 20
    for row in rows:
        assert LINK.search(row), row
        metric = row.rstrip(" |").rpartition(" | ")[2]
        named = re.findall(r"(?:kwitness|kafka_client)_[a-z_]+", metric)
        assert set(named) <= known, row
        assert named or metric in ("none", "as above"), row
