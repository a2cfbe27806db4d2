"""The status of an AnalyticsJob, from its driver's answer and from what runs the driver."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kwitness.contracts.envelopes import DriverStatus, LostRecords
from kwitness.contracts.reasons import reasons_of
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.operator.model.conditions import Verdict, ready

__all__ = ["job_fields", "job_verdicts", "phase_of"]

_REASONS = frozenset(entry.reason for entry in reasons_of("AnalyticsJob"))
_TOLD_BY_DRIVERS = frozenset({"Failed", "Forbidden", "HostNotAllowed", "SecretNotFound", "TableNotWritable"})
_MOST_LOSSES = 256


def phase_of(job: AnalyticsJob, runner: Mapping[str, Any] | None, answer: DriverStatus | None) -> str:
    """Where the job is in its life; ``runner`` is its StatefulSet, Job or CronJob as it is in the cluster."""
    if job.spec.suspend:
        return "Suspended"
    state = (runner or {}).get("status") or {}
    finished = {one["type"] for one in state.get("conditions", ()) if one.get("status") == "True"}
    if "Failed" in finished:
        return "Failed"
    if "Complete" in finished:
        return "Succeeded"
    if answer is not None:
        return answer.phase
    started = state.get("replicas") or state.get("active")
    return "Starting" if started else "Pending"


def job_fields(
    phase: str,
    answer: DriverStatus | None,
    previous: Mapping[str, Any],
    *,
    table_path: str,
    rfc3339: Callable[[int], str],
) -> dict[str, Any]:
    """Fields of the status. What the driver last said stays when it cannot be asked any more."""
    kept = ("applicationId", "driverPod", "lastRun", "lag", "tableVersion", "ledger", "dataLoss")
    fields: dict[str, Any] = {name: previous[name] for name in kept if name in previous}
    fields.update(phase=phase, tablePath=table_path)
    if answer is None:
        return fields
    if answer.application_id:
        fields["applicationId"] = answer.application_id
    if answer.driver_pod:
        fields["driverPod"] = answer.driver_pod
    if answer.table_version is not None:
        fields["tableVersion"] = answer.table_version
    run = answer.last_run
    if run.start_ms is not None:
        numbers = {"rows": run.rows, "batches": run.batches, "quarantined": run.quarantined}
        fields["lastRun"] = {"start": rfc3339(run.start_ms), **numbers}
        if run.end_ms is not None:
            fields["lastRun"]["end"] = rfc3339(run.end_ms)
    if answer.lag.records is not None:
        fields["lag"] = {"records": answer.lag.records}
        if answer.lag.oldest_timestamp_ms is not None:
            fields["lag"]["oldestTimestamp"] = rfc3339(answer.lag.oldest_timestamp_ms)
    if answer.ledger is not None:
        fields["ledger"] = [answer.ledger.model_dump()]
    fields["dataLoss"] = _losses(previous.get("dataLoss", ()), answer.data_loss)
    return fields


def _losses(previous: Any, reported: Sequence[LostRecords]) -> list[dict[str, Any]]:
    # A restarted driver does not know what its predecessor reported.
    found = {(one["topic"], one["partition"], one["firstOffset"]): one for one in previous}
    for one in reported:
        found[one.topic, one.partition, one.first_offset] = {
            "topic": one.topic,
            "partition": one.partition,
            "firstOffset": one.first_offset,
            "lastOffset": one.last_offset,
        }
    return [found[key] for key in sorted(found)][-_MOST_LOSSES:]


def job_verdicts(
    job: AnalyticsJob,
    phase: str,
    answer: DriverStatus | None,
    losses: list[dict[str, Any]],
    previous: Sequence[Mapping[str, Any]] = (),
) -> list[Verdict]:
    """Conditions; ``previous`` are those that the status has."""
    verdict = _ready(job, phase, answer)
    if verdict.reason in {"Starting", "Failed", "Scheduled"} and not (answer and answer.reason):
        verdict = _told_before(job, previous) or verdict
    verdicts = [verdict]
    if losses:
        message = (
            f"{len(losses)} ranges of records were gone before they were read, see status.dataLoss: keep records longer"
            " (KafkaCluster spec.topics.retention), or give the job more executors"
        )
        verdicts.append(Verdict("DataComplete", "False", "DataLoss", message))
    elif phase in {"Running", "Succeeded"}:
        verdicts.append(Verdict("DataComplete", "True", "NoLoss", "every record since the job began was read"))
    return verdicts


def _told_before(job: AnalyticsJob, previous: Sequence[Mapping[str, Any]]) -> Verdict | None:
    """Why the last driver of this same spec failed, until one runs: nobody else can tell what it said."""
    for one in previous:
        same = one["type"] == "Ready" and one.get("observedGeneration") == job.metadata.generation
        if same and one["reason"] in _TOLD_BY_DRIVERS:
            return Verdict("Ready", "False", one["reason"], one["message"])
    return None


def _ready(job: AnalyticsJob, phase: str, answer: DriverStatus | None) -> Verdict:
    said = (answer and answer.message) or ""
    match phase:
        case "Suspended":
            return ready("Suspended", "nothing runs, as spec.suspend says; table and checkpoint stay")
        case "Running":
            return ready("Running", "the driver runs")
        case "Succeeded":
            return ready("Completed", "the run has ended well")
        case "Failed":
            reason = (answer and answer.reason) or "Failed"
            return Verdict(
                "Ready",
                "False",
                reason if reason in _REASONS else "Failed",
                said or "the run failed: see the log of the driver's pod",
            )
        case "Pending" if job.spec.run.schedule is not None:
            return ready("Scheduled", f"waits for its next time ({job.spec.run.schedule.cron}, {job.spec.run.schedule.time_zone})")
        case _:
            message = said or "the driver is starting: wait, and if it stays so, see the events of its pod"
            return Verdict("Ready", "False", "Starting", message)
