"""JSON that is nearly what a door takes: one value of it is another."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

_ODD = st.sampled_from(
    [None, True, -1, 0, 1.5, 1e308, -(2**63), 2**64, 2**80, float("inf"), float("nan"), "", "\0", "\ud800", "x" * 5_000]
)
_VALUES = st.recursive(
    _ODD | st.text(max_size=10) | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)


@st.composite
def nearly(draw: st.DrawFn, document: Any) -> Any:
    """Draw the document with a value anywhere in it replaced, taken away or added."""
    changed = copy.deepcopy(document)
    holder, key = draw(st.sampled_from(list(_places(changed))))
    if isinstance(holder, dict) and draw(st.integers(0, 3)) == 0:
        del holder[key]
    else:
        holder[key] = draw(_VALUES)
    return changed


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in inner:
        yield value, key
        yield from _places(member)
