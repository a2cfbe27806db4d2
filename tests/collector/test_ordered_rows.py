"""Pages of rows from several replicas are those of all rows at once, in every order."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from kwitness.collector.inventory.ordered_rows import MAX_ORDER_CHARACTERS, Row, RowOrder, order_value
from kwitness.collector.inventory.parts import Part, read_part
from kwitness.contracts.questions import Order, Question

VALUES = st.one_of(st.none(), st.sampled_from(["", "a", "b", "ü"]), st.integers(0, 2**62))
ROWS = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3), VALUES, max_size=30
).map(lambda found: [Row(key, order_value(value), 1, b"{}") for key, value in found.items()])
ORDERS = st.sampled_from([None, Order("client_id", descending=False), Order("client_id", descending=True)])


def in_order(rows: Sequence[Row], order: Order | None) -> list[Row]:
    ascending = sorted(rows, key=lambda row: row.key)
    if order is None:
        return ascending
    valued = sorted(
        (row for row in ascending if row.value is not None), key=lambda row: row.value, reverse=order.descending
    )
    return [*valued, *(row for row in ascending if row.value is None)]


@given(ROWS, ORDERS, st.integers(1, 8), st.integers(1, 3))
def test_pages_of_parts_are_all_rows_in_order(rows: list[Row], order: Order | None, limit: int, replicas: int) -> None:
    seen: list[Row] = []
    token: str | None = ""
    while token is not None:
        page_order = RowOrder(Question(order=order, limit=limit, after=token))
        parts = [page_order.first(rows[ordinal::replicas]) for ordinal in range(replicas)]
        assert all(len(part) <= limit + 1 for part in parts)
        page, token = asyncio.run(page_order.page(parts))
        assert len(page) == limit or token is None
        seen += page

    assert seen == in_order(rows, order)


def test_of_two_rows_with_one_key_the_newer_counts() -> None:
    old, new = Row("k", None, 1, b"old"), Row("k", None, 2, b"new")

    for parts in ([[old], [new]], [[new], [old]]):
        page, token = asyncio.run(RowOrder(Question()).page(parts))
        assert (page, token) == ([new], None)


def test_values_are_ordered_by_a_bounded_text() -> None:
    assert len(order_value("x" * 100_000) or "") == MAX_ORDER_CHARACTERS
    assert (order_value(9) or "") < (order_value(10) or "") < (order_value(2**62) or "")


class Head(BaseModel):
    text: str


@given(ROWS, st.text(st.characters(exclude_categories=["Cs"])))
def test_a_part_is_read_as_it_was_written(rows: list[Row], text: str) -> None:
    part = Part(Head(text=text), rows)

    assert read_part(part.write(), Head) == part
