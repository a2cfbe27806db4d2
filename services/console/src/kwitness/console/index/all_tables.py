"""Lists all tables that sources fill; from these, the schemas of readers are made."""

from __future__ import annotations

from typing import Final

from kwitness.console.index.analyses import ANALYSES, JOB_TABLES
from kwitness.console.index.hour_totals import HOUR_TOTALS
from kwitness.console.index.resource_tables import RESOURCE_TABLES
from kwitness.console.index.tables import TABLES
from kwitness.console.index.trends import TRENDS

__all__ = ["ALL_TABLES"]

ALL_TABLES: Final = (
    *TABLES,
    TRENDS,
    HOUR_TOTALS,
    *RESOURCE_TABLES,
    JOB_TABLES,
    *(analysis.table for analysis in ANALYSES),
)
