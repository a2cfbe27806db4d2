"""A list of namespaces names them, or has * for all: one function decides it for all programs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kwitness.contracts.namespaces import contains_namespace

ROOT = Path(__file__).parents[2]
SOURCES = [
    path
    for folder in ("contracts", "operator", "services")
    for path in (ROOT / folder).glob("**/src/kwitness/**/*.py")
    if path.name != "namespaces.py"
]
STAR = r'("\*"|ANY_NAMESPACE)'
OWN_DECISION = re.compile(rf"\{{[^}}]*{STAR}\}}.*isdisjoint|isdisjoint.*{STAR}")


@pytest.mark.parametrize(
    ("namespaces", "contained"),
    [((), False), (("shop",), True), (("store",), False), (("*",), True), (("store", "*"), True), (("sh*",), False)],
)
def test_a_list_contains_the_namespaces_it_names_and_a_star_all(namespaces: tuple[str, ...], contained: bool) -> None:
    assert contains_namespace(namespaces, "shop") is contained


def test_no_program_decides_it_by_itself() -> None:
    assert SOURCES
    assert [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in SOURCES
        for line in path.read_text().splitlines()
        if OWN_DECISION.search(line)
    ] == []
