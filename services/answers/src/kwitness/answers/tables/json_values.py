"""Makes values of JSON from values of tables."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

__all__ = ["json_value"]


def json_value(value: Any) -> Any:
    """Return what JSON, YAML and CSV have of a value: bytes as hexadecimal digits, other types as text.

    Exact decimal numbers become numbers, so that a program can add them up.
    """
    match value:
        case Decimal() if value.is_finite() and value == value.to_integral_value():
            return int(value)
        case float() | Decimal():
            return float(value) if math.isfinite(value) else str(value)
        case bytes() | bytearray():
            return value.hex()
        case dict():
            return {str(name): json_value(inner) for name, inner in value.items()}
        case list() | tuple():
            return [json_value(inner) for inner in value]
        case _:
            return value if value is None or isinstance(value, (bool, int, str)) else str(value)
