"""Doctor: what is wrong with kwitness itself, and what to do."""

from __future__ import annotations

from typing import Any, Final

from kwitness.console.pages.lines import Line
from kwitness.console.pages.page import Page, Requested
from kwitness.console.rows.checked import checked_rows, checked_totals

__all__ = ["DOCTOR"]


def _values(requested: Requested) -> dict[str, Any]:
    return {
        "findings": checked_rows(requested.database),
        "totals": checked_totals(requested.database),
        "has_kubernetes": "installation" in requested.read_ms,
        "lines": _LINES,
    }


_LINES: Final = (
    Line("kwitness", "kwitness doctor", "the same checks, with your permissions"),
    Line("kubectl", "kubectl get kafkaclusters,telemetrycollectors,observerdeployments --all-namespaces", "READY"),
    Line("PromQL", "kwitness_ledger_events_total", "events that each hop counted"),
)
DOCTOR: Final = Page("/doctor", "doctor", "doctor.html", ("installation",), _values, title="Doctor")
