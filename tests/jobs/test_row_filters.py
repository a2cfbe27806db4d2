"""Conditions on rows: the rows that they choose, and those that are refused."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pyarrow as pa
import pyarrow.dataset
import pytest

from kwitness.jobs.frame.row_filter import InvalidFilterError, filter_of

ROWS = pa.table(
    {
        "topic": ["orders", "a = b", "", None],
        "number": pa.array([1, 2, 3, 4], pa.int32()),
        "share": [0.5, 1.5, None, 2.5],
        "day": [date(2026, 11, day) for day in (27, 28, 29, 30)],
        "ended": [True, False, True, None],
        "price": pa.array([Decimal("1.00"), Decimal("2.50"), None, None], pa.decimal128(10, 2)),
        "errors": pa.array([[("6", 1)]] * 4, pa.map_(pa.string(), pa.int64())),
    }
)


@pytest.mark.parametrize(
    ("conditions", "numbers"),
    [
        ([], [1, 2, 3, 4]),
        (["topic = orders"], [1]),
        (["topic=a = b"], [2]),
        (["topic ="], [3]),
        (["topic != orders"], [2, 3]),
        (["number<2"], [1]),
        (["number <= 2"], [1, 2]),
        (["number > 2", "number != 4"], [3]),
        (["share >= 1.5"], [2, 4]),
        (["day >= 2026-11-29"], [3, 4]),
        (["ended = true"], [1, 3]),
        (["price = 2.5"], [2]),
        (["topic = it's\n\"; DROP"], []),
    ],
    ids=str,
)
def test_conditions_choose_rows_by_the_type_of_their_column(conditions: list[str], numbers: list[int]) -> None:
    dataset = pa.dataset.dataset(ROWS)

    found = dataset.to_table(filter=filter_of(dataset.schema, conditions))

    assert found["number"].to_pylist() == numbers


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("", "is no condition such as 'day >= 2026-11-29'"),
        ("topic", "is no condition"),
        ("topic like x", "is no condition"),
        ("x" * 9999, "is no condition"),
        ("nmae = x", "the table has no column nmae: it has topic, number"),
        ("number = many", "'many' is no value of column number, whose type is int32"),
        ("number = 99999999999", "is no value of column number"),
        ("day > yesterday", "is no value of column day, whose type is date32"),
        ("errors = 6", "is no value of column errors, whose type is map"),
    ],
)
def test_a_condition_that_does_not_fit_is_refused_with_what_does(condition: str, message: str) -> None:
    with pytest.raises(InvalidFilterError) as refused:
        filter_of(ROWS.schema, [condition])

    assert message in str(refused.value)
    assert len(str(refused.value)) < 250
