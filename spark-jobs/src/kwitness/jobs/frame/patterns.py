"""Patterns of resources: a value, or how values begin with a `*` after that."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

_ANY = "*"


def matches(value: Column, pattern: Column) -> Column:
    """Whether a value matches; true where there is no pattern, false where there is one and no value."""
    begins = F.startswith(value, F.substr(pattern, F.lit(1), F.length(pattern) - 1))
    found = F.when(F.endswith(pattern, F.lit(_ANY)), begins).otherwise(value == pattern)
    return pattern.isNull() | F.coalesce(found, F.lit(False))
