"""The line by which kubectl shows the AnalyticsJob of a table."""

from __future__ import annotations

from kwitness.console.pages.lines import Line
from kwitness.console.rows.job_tables import ShownTable
from kwitness.contracts.resources.analyses import AnalyticsJobType

__all__ = ["job_line"]


def job_line(table: ShownTable, job_type: AnalyticsJobType) -> Line:
    """Return the line that shows what a job found; without a job, jobs of the type."""
    if table.row and table.row["resource"]:
        name, namespace = table.row["resource"], table.row["resource_namespace"]
        found = "{.status.analyses[0].findingCounts}"
        return Line(
            "kubectl",
            f"kubectl get analyticsjob {name} --namespace {namespace} --output jsonpath='{found}'",
            "what the job found, by kind",
        )
    return Line("kubectl", "kubectl get analyticsjobs --all-namespaces", f"jobs, those of type {job_type} among them")
