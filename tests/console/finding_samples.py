"""Jobs with findings, in a real API server."""

from __future__ import annotations

from typing import Any

from kwitness.e2e.api_server import ApiServer

from tests.console.fleet_samples import HOSTILE

EARLY, LATE = "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z"


def finding(subject: str, moment: str | None, kind: str = "Unused") -> dict[str, Any]:
    found = {"kind": kind, "subject": subject, "message": f"Nothing reads {subject}: delete it."}
    return found if moment is None else {**found, "firstSeenTime": moment}


def apply_jobs(api: ApiServer, namespace: str) -> None:
    """Apply a job that found something, one that found nothing, and one that has computed nothing yet."""

    def apply(name: str, job_type: str, **status: Any) -> None:
        analysis = {"type": job_type, "run": {"streaming": {"trigger": "30s"}}, "table": name}
        body = {
            "apiVersion": "kwitness.dev/v1beta1",
            "kind": "AnalyticsJob",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"clusterRef": {"name": "orders"}, "analyses": [analysis]},
        }
        api.objects.apply(body)
        if status:
            entry = {"table": name, "type": job_type, "phase": "Running", **status}
            api.objects.patch("kaj", name, namespace, {"status": {"analyses": [entry]}}, subresource="status")

    found = [finding("orders", LATE), finding("checkout", EARLY, "Idle"), finding(HOSTILE, EARLY), finding("old", None)]
    apply("unused", "UnusedTopics", findings=found, findingsTotal=31, lastRun={"completionTime": LATE})
    apply("drift", "HeaderDrift", findingsTotal=0)
    apply("waiting", "Completeness")
