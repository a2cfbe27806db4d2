"""Checks that rows of events name the place that their sender's token proves, and no other, however it is written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.collector.origin import Origin
from kwitness.collector.row_places import MAX_EXAMINED, place_problem, placed

SHOP = Origin("cluster", "shop", "app", "app-1")
WITHOUT_WORKLOAD = Origin("cluster", "shop", "", "app-1")
GATEWAY = Origin("cluster")


@pytest.mark.parametrize(
    "line",
    [
        b'{"k8s_namespace":"bank"}',
        b'{"client_id":"a", "k8s_workload" : "ledger"}',
        b'{"k8s_pod":"ledger-1","k8s_pod":"app-1"}',
        b'{"k8s_pod":"app-1","k8s_pod":"ledger-1"}',
        rb'{"k8s\u005fnamespace":"bank"}',
        rb'{"\u006b8s_namespace":"bank"}',
        b'{"k8s_namespace":["shop"]}',
        b'{"k8s_namespace":7}',
        b'{"k8s_namespace":""}',
        b"{'k8s_namespace':'bank'}",
        b'{k8s_namespace:"bank"}',
        b'{"k8s_namespace":"bank"} {"a":1}',
        b'{"k8s_namespace":"shop"}//}',
        b'{"a":' + b"[" * 60_000 + b'"k8s_"' + b"]" * 3 + b"}",
    ],
)
def test_a_row_that_names_another_place_is_refused(line: bytes) -> None:
    assert place_problem(line, SHOP) is not None


def test_what_is_refused_is_named_with_what_is_proven_and_the_remedy() -> None:
    assert place_problem(b'{"k8s_namespace":"bank"}', SHOP) == (
        "k8s_namespace is 'bank', and the token of the sender proves shop: leave it out, it is written from the token"
    )
    assert "proves none: leave it out" in str(place_problem(b'{"k8s_workload":"app"}', WITHOUT_WORKLOAD))
    assert "proves none: leave it out" in str(place_problem(b'{"k8s_namespace":"shop"}', GATEWAY))


def test_rows_are_kept_that_name_no_place_or_the_proven_one() -> None:
    own = b'{"k8s_namespace":"shop","k8s_workload":null,"topic":"k8s_events","in":{"k8s_namespace":"bank"}}'
    assert place_problem(own, SHOP) is None
    assert place_problem(rb'{"topic":"a\u0001b"}', GATEWAY) is None
    assert place_problem(b'{"topic":"orders"}' + b" " * MAX_EXAMINED, SHOP) is None


def test_a_row_is_examined_up_to_its_bound() -> None:
    def of_size(size: int) -> bytes:
        line = b'{"topic":"k8s_'
        return line + b"x" * (size - len(line) - 2) + b'"}'

    assert place_problem(of_size(MAX_EXAMINED), SHOP) is None
    assert f"has {MAX_EXAMINED + 1} bytes: split it" in str(place_problem(of_size(MAX_EXAMINED + 1), SHOP))


VALUES = st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3))


@given(st.dictionaries(st.text(max_size=8), VALUES, min_size=1, max_size=5))
def test_a_row_is_what_it_was_with_the_proven_place(row: dict[str, object]) -> None:
    line = json.dumps(row).encode()

    assert json.loads(placed(line, SHOP)) == row | {"k8s_namespace": "shop", "k8s_workload": "app", "k8s_pod": "app-1"}
    assert json.loads(placed(line, WITHOUT_WORKLOAD)) == row | {"k8s_namespace": "shop", "k8s_pod": "app-1"}
    assert placed(line, GATEWAY) == line
