"""AnalyticsJob as the engine sees it."""

from __future__ import annotations

from typing import Final

from kwitness.operator.kinds.analytics_job.decide import decide
from kwitness.operator.kinds.analytics_job.needs import needs
from kwitness.operator.kinds.analytics_job.runners import KIND
from kwitness.operator.shapes.work import KindSpec, Unit

__all__ = ["ANALYTICS_JOB"]

ANALYTICS_JOB: Final = KindSpec(kind=KIND, unit=lambda key: Unit(KIND, key), needs=needs, decide=decide)
