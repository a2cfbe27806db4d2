"""Findings: what analyses found, and what of that is new since this browser marked findings as seen."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any, Final

from kwitness.console.pages.lines import Line, label
from kwitness.console.pages.page import Page, Requested
from kwitness.console.rows.findings import FINDINGS_ORDER, FINDINGS_ORDERS, FindingsView, finding_rows, job_counts

__all__ = ["FINDINGS"]


def _values(requested: Requested) -> dict[str, Any]:
    view = FindingsView.read(requested.query, orders=FINDINGS_ORDERS)
    jobs = job_counts(requested.database, requested.seen_ms)
    return {
        "view": view,
        "default": FINDINGS_ORDER,
        "window": finding_rows(requested.database, view, requested.seen_ms),
        "jobs": jobs,
        "types": sorted({job["type"] for job in jobs}),
        "found": sum(job["found"] or 0 for job in jobs),
        "new": sum(job["new"] for job in jobs),
        "seen_ms": requested.seen_ms,
        "has_kubernetes": "resources" in requested.read_ms,
        "lines": _lines(view),
    }


def _lines(view: FindingsView) -> Sequence[Line]:
    place = f"--namespace {shlex.quote(view.namespace)}" if view.namespace else "--all-namespaces"
    labels = [label(name, value) for name, value in (("namespace", view.namespace), ("type", view.type)) if value]
    selector = f"{{{', '.join(labels)}}}" if labels else ""
    return (
        Line("kwitness", f"kwitness jobs list {place}", "jobs with the number of their findings"),
        Line("kubectl", f"kubectl get analyticsjobs {place} --output yaml", "findings in the statuses"),
        Line("PromQL", f"kwitness_job_findings{selector}", "numbers by job and kind"),
    )


FINDINGS: Final = Page("/findings", "findings", "findings.html", ("resources",), _values, title="Findings")
