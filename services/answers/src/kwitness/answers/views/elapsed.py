"""Lengths of time as a person reads them."""

from __future__ import annotations

from typing import Final

__all__ = ["ago", "span"]

_SECOND: Final = 1_000
_UNITS: Final = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", _SECOND))


def span(milliseconds: int) -> str:
    """The two greatest units of a length of time, such as 1h5m, 12s or 250ms."""
    if milliseconds < _SECOND:
        return f"{max(milliseconds, 0)}ms"
    parts: list[str] = []
    rest = milliseconds
    for unit, length in _UNITS:
        count, left = divmod(rest, length)
        if count:
            parts.append(f"{count}{unit}")
            rest = left
        elif parts:
            break
        if len(parts) == 2:  # noqa: PLR2004 - two, as the docstring says
            break
    return "".join(parts)


def ago(then_ms: int | None, now_ms: int) -> str:
    """How long ago a moment was, in whole seconds; a clock that differs a little makes nothing negative."""
    if then_ms is None:
        return "never"
    passed = max(now_ms - then_ms, 0) // 1_000 * 1_000
    return f"{span(passed)} ago" if passed else "now"
