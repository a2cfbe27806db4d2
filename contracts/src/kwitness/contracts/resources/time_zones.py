"""Time zones in specs: names of the IANA time zone database."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from .contract_model import Rule, rules

__all__ = ["time_zone_field"]


def time_zone_field(description: str) -> Any:
    """A time zone by its name, Etc/UTC where none is given; the operator's clock (Local) is none."""
    return Field(
        "Etc/UTC",
        description=description,
        min_length=1,
        max_length=64,
        pattern=r"^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$",
        json_schema_extra=rules(Rule("self != 'Local'", "must be a name such as Etc/UTC or Europe/Berlin")),
    )
