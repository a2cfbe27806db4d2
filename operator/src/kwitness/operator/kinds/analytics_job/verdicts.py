"""Conditions of an AnalyticsJob."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kwitness.contracts.envelopes import DriverStatus
from kwitness.contracts.reasons import reasons_of
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.analytics_status import AnalysisStatus, AnalyticsJobStatus
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.topics import USED_TOPICS, topic_name
from kwitness.operator.kinds.analytics_job.progress import Progress
from kwitness.operator.model.conditions import Verdict, ready
from kwitness.operator.shapes.facts import Body

__all__ = ["about_data", "about_topics", "readiness", "told_before", "topics_before"]

_INPUT: Final = "InputPresent"
_REASONS: Final = frozenset(entry.reason for entry in reasons_of("AnalyticsJob") if entry.condition == "Ready")

_TOLD_BY_DRIVERS: Final = frozenset(
    {"ClusterIdChanged", "Conflict", "Failed", "Forbidden", "HostNotAllowed", "SecretNotFound", "TableNotWritable"}
)


def readiness(job: AnalyticsJob, progress: Progress, answer: DriverStatus | None, body: Body) -> Verdict:
    """Whether the job does what it is for; ``body`` has the status before."""
    verdict = _ready(job, progress, answer)
    runs = progress.phase in {"Running", "Succeeded"}
    if verdict.status == "False" and not runs and not (answer and answer.reason):
        told = told_before(body)
        return verdict if told is None else Verdict("Ready", "False", told["reason"], told["message"])
    return verdict


def about_data(status: AnalyticsJobStatus) -> Iterator[Verdict]:
    """Whether every record was read, and whether anything was found wrong, as the status says."""
    for analysis in status.analyses:
        yield from _about_analysis(analysis)


def _about_analysis(status: AnalysisStatus) -> Iterator[Verdict]:
    if status.data_loss:
        message = (
            f"{status.data_loss_total or len(status.data_loss)} ranges of records were gone before they were read, see"
            " status.analyses[0].dataLoss: keep records longer (retention.ms of the topics), or give the job more"
            " executors"
        )
        yield Verdict("DataComplete", "False", "DataLoss", message)
    elif status.phase in {"Running", "Succeeded"}:
        yield Verdict("DataComplete", "True", "NoLoss", "every record since the job began was read")
    if status.findings_total is None:
        return
    kinds = sorted(kind for kind, count in status.finding_counts.items() if count)
    if kinds:
        message = f"found {', '.join(kinds)}: see status.analyses[0].findings, and the table for all of them"
        yield Verdict("NoFindings", "False", "FindingsPresent", message)
    else:
        yield Verdict("NoFindings", "True", "NoneFound", "the analysis found nothing wrong")


def about_topics(answer: DriverStatus | None, cluster: KafkaCluster, body: Body) -> Iterator[Verdict]:
    """Whether the topics that the job needs ever had a record; as before while no driver says it."""
    if answer is None or answer.empty_topics is None:
        yield from topics_before(body)
        return
    empty = [topic for topic in USED_TOPICS if topic.name in answer.empty_topics]
    if not empty:
        yield Verdict(_INPUT, "True", "Present", "all topics that the job needs have had records")
        return
    prefix = cluster.spec.topics.prefix
    told = "; ".join(
        f"nothing has written {topic_name(prefix, topic.name)}: {topic.brought_by} would" for topic in empty
    )
    yield Verdict(_INPUT, "False", "NoInput", told)


def topics_before(body: Body) -> Iterator[Verdict]:
    """What the status says of them."""
    for one in (body.get("status") or {}).get("conditions", ()):
        if one["type"] == _INPUT:
            yield Verdict(_INPUT, one["status"], one["reason"], one["message"])


def told_before(body: Body) -> Mapping[str, Any] | None:
    """Why the last driver of this same spec failed, until one runs, since nobody else can tell what it said.

    Of what the operator says as well it is told by what the status says beside it: a job that gives way has no driver,
    and one that the operator itself stops has a cluster id.
    """
    status = body.get("status") or {}
    phases = {analysis.get("phase") for analysis in status.get("analyses", ())}
    own = {"Conflict": phases == {"Pending"}, "ClusterIdChanged": "clusterId" in status}
    for one in status.get("conditions", ()):
        same = one["type"] == "Ready" and one.get("observedGeneration") == body["metadata"].get("generation")
        if same and one["reason"] in _TOLD_BY_DRIVERS and not own.get(one["reason"], False):
            return dict(one)
    return None


def _ready(job: AnalyticsJob, progress: Progress, answer: DriverStatus | None) -> Verdict:
    said = (answer and answer.message) or ""
    schedule = job.spec.analysis.run.schedule
    starting = said or "the driver is starting: wait, and if it stays so, see the events of its pod"
    verdict = Verdict("Ready", "False", "Starting", starting)
    if progress.phase == "Suspended":
        verdict = ready("Suspended", "nothing runs, as spec.suspend says; table and checkpoint stay")
    elif progress.phase == "Failed" and (schedule is None or answer is not None):
        verdict = _failed(job, answer, said)
    elif schedule is not None and progress.succeeded is False:
        now = "; another one runs now" if progress.phase == "Running" else ""
        verdict = Verdict("Ready", "False", "LastRunFailed", (progress.trouble or "the last run failed") + now)
    elif progress.phase == "Running":
        verdict = ready("Running", said or "the driver runs")
    elif progress.phase == "Succeeded":
        verdict = ready("Completed", "the run has ended well")
    elif progress.phase == "Starting" and schedule is not None and progress.succeeded:
        verdict = ready("Scheduled", "the last run ended well; another one starts")
    elif progress.phase == "Pending" and schedule is not None:
        verdict = ready("Scheduled", f"waits for its next time ({schedule.cron}, {schedule.time_zone})")
    return verdict


def _failed(job: AnalyticsJob, answer: DriverStatus | None, said: str) -> Verdict:
    reason = (answer and answer.reason) or "Failed"
    message = said or "the run failed: see the log of the driver's pod"
    once = job.spec.analysis.run.once
    if once is not None:
        message += f"; to run once more, set spec.analyses[0].run.once.id to another than {once.id}"
    return Verdict("Ready", "False", reason if reason in _REASONS else "Failed", message)
