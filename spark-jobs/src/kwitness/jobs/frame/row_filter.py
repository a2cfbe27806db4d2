"""Conditions on rows as text, such as `day >= 2026-11-29`: one column, one operator, one value."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["InvalidFilterError", "filter_of"]

_CONDITION: Final = re.compile(r"\s*(\w+)\s*(<=|>=|!=|=|<|>)\s*(.*?)\s*", re.DOTALL)
_OPERATORS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_SHOWN: Final = 100


class InvalidFilterError(ValueError):
    """A condition is not understood, or does not fit the table."""


def filter_of(schema: pa.Schema, conditions: Sequence[str]) -> Any:
    """Return the expression of Arrow that all conditions hold in a row, None without any.

    A value has the type of its column; rows without a value fulfil no condition on it.

    Raises
    ------
    InvalidFilterError
        Names the condition, and what it may be.
    """
    found = [_expression(schema, condition) for condition in conditions]
    return functools.reduce(operator.and_, found) if found else None


def _expression(schema: pa.Schema, condition: str) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - not all who read tables filter them
    import pyarrow.compute as pc  # noqa: PLC0415

    parts = _CONDITION.fullmatch(condition)
    if parts is None:
        raise InvalidFilterError(
            f"{condition[:_SHOWN]!r} is no condition such as 'day >= 2026-11-29' or 'topic = orders'"
        )
    name, sign, text = parts.groups()
    if name not in schema.names:
        raise InvalidFilterError(f"the table has no column {name[:_SHOWN]}: it has {', '.join(schema.names)}")
    kind = schema.field(name).type
    try:
        value = pa.scalar(text).cast(kind)
        return _OPERATORS[sign](pc.field(name), value)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InvalidFilterError(f"{text[:_SHOWN]!r} is no value of column {name}, whose type is {kind}") from error
