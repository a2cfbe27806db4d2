"""Times in statuses, as the API server checks them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

__all__ = ["time_field"]


def time_field(description: str, *, required: bool = False) -> Any:
    """Return a field for a time, as RFC 3339 in UTC; one that is not required is absent where there is none."""
    default = ... if required else None
    return Field(default, description=description, max_length=40, json_schema_extra={"format": "date-time"})
