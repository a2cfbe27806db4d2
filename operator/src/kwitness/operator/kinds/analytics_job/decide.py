"""What becomes of one AnalyticsJob."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kwitness.contracts.envelopes import DriverStatus
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.analytics_status import AnalysisStatus, AnalyticsJobStatus, FinishedRun
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator.environment.clusters import cluster_identity, permitted_cluster
from kwitness.operator.kinds.analytics_job.config import table_folder
from kwitness.operator.kinds.analytics_job.found_inputs import FoundInputs
from kwitness.operator.kinds.analytics_job.inputs import inputs_of
from kwitness.operator.kinds.analytics_job.limits import check_claim, check_limits
from kwitness.operator.kinds.analytics_job.objects import job_objects
from kwitness.operator.kinds.analytics_job.past_runs import past_runs, present_run
from kwitness.operator.kinds.analytics_job.progress import progress_of
from kwitness.operator.kinds.analytics_job.runners import KIND, Runners, end_of, ended, runners_of
from kwitness.operator.kinds.analytics_job.starting import still_there, would_start
from kwitness.operator.kinds.analytics_job.status import driver_of, new_findings, status_of
from kwitness.operator.kinds.analytics_job.tenants import writers
from kwitness.operator.kinds.analytics_job.verdicts import about_data, about_topics, readiness, topics_before
from kwitness.operator.model.conditions import Verdict, failure
from kwitness.operator.model.errors import OperatorError, TerminalError
from kwitness.operator.model.moments import milliseconds_of, rfc3339
from kwitness.operator.model.ownership import covers
from kwitness.operator.model.parse_resource import parse_resource, parse_status
from kwitness.operator.model.references import cluster_key
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.shapes.facts import Body, DriverAnswer, KafkaState, Watched
from kwitness.operator.shapes.work import Decision, Note, Outcome, Unit, View

__all__ = ["decide"]


def decide(unit: Unit, view: View) -> Decision:
    """Decide children and status; while something is wrong what stands is left as it is."""
    body = view[Watched(KIND, unit.key)].value
    if body is None:
        return Decision(again="forget")
    subject, previous = Subject.of(body), parse_status(AnalyticsJobStatus, body)
    try:
        job = parse_resource(AnalyticsJob, body)
        check_limits(job, view.settings)
        first, *others = writers(view, unit.key.namespace, job.spec.analysis.table)
        runners = runners_of(unit.key, view)
        if first != unit.key:
            outcome = _give_way(subject, body, job, first, runners)
        else:
            outcome = _Writer(subject, body, job, runners, previous, tuple(others), view).outcome()
    except OperatorError as error:
        verdicts = (failure(error), *topics_before(body), *about_data(previous))
        outcome = Outcome(subject.uid, subject.generation, previous, verdicts)
    return Decision({unit.key: outcome})


def _give_way(subject: Subject, body: Body, job: AnalyticsJob, first: Key, runners: Runners) -> Outcome:
    """End what runs the job, unless it is paused, and say who writes its table; finished runs stay to be looked at."""
    previous, analysis = parse_status(AnalyticsJobStatus, body), job.spec.analysis
    given_way = previous.entry(analysis).model_copy(update={"phase": "Pending"})
    status = previous.model_copy(update={"analyses": (given_way,)})
    verdict = Verdict(
        "Ready",
        "False",
        "Conflict",
        f"AnalyticsJob {first.name} comes before this one and writes the table {analysis.table}: make another"
        " AnalyticsJob with another table, or set a higher spec.priority",
    )
    verdicts = (verdict, *topics_before(body), *about_data(status))
    if is_paused(job.metadata.annotations):
        return Outcome(subject.uid, subject.generation, status, verdicts)
    ends = (end_of(one, subject.uid) for one in runners if one["kind"] != "Job" or ended(one) is None)
    removals = tuple(one for one in ends if one is not None)
    return Outcome(subject.uid, subject.generation, status, verdicts, children=(), removals=removals)


@dataclass(frozen=True, slots=True)
class _Writer:
    """The decision about the one job that writes its table; ``others`` name it too."""

    subject: Subject
    body: Body
    job: AnalyticsJob
    runners: Runners
    previous: AnalyticsJobStatus
    others: tuple[Key, ...]
    view: View

    @property
    def past(self) -> tuple[FinishedRun, ...]:
        """Runs of `once` that have ended."""
        return past_runs(self.before, self.runners)

    @property
    def before(self) -> AnalysisStatus:
        """Return the analysis as the status has it."""
        return self.previous.entry(self.job.spec.analysis)

    def outcome(self) -> Outcome:
        """Children and status."""
        cluster = permitted_cluster(self.job, self.view)
        at = cluster_key(self.subject.key.namespace, self.job.spec.cluster_ref)
        cluster_id, _ = cluster_identity(self.view[KafkaState(at)].value, at.name)
        check_claim(self.subject.key.namespace, self.view)
        inputs = inputs_of(self.job, cluster, cluster_id, self.view)
        read_from, changed = self._identity(cluster_id)
        job = self.job
        if changed is not None:
            # By the offsets of the old cluster a driver would pass over records of the new one.
            job = job.model_copy(update={"spec": job.spec.model_copy(update={"suspend": True})})
        children, waits = self._children(job, cluster, read_from, inputs)
        answer, silent = self._answer()
        analysis, ready = self._status(job, answer)
        if waits is not None:
            ready = Verdict("Ready", "False", "Starting", waits)
        trouble = changed or silent
        if trouble is not None:
            ready = failure(trouble)
        # What a driver found beside its checkpoint is of another cluster than what it was told.
        is_known = changed is not None or ready.reason != "ClusterIdChanged"
        driver = {**driver_of(answer, self.previous), "cluster_id": read_from if is_known else None}
        status = self.previous.model_copy(update={**driver, "analyses": (analysis,)})
        ends = (end_of(one, self.subject.uid) for one in self.runners.former(self.job))
        return Outcome(
            self.subject.uid,
            self.subject.generation,
            status,
            (ready, *inputs.verdicts, *about_topics(answer, cluster, self.body), *about_data(status)),
            children,
            removals=tuple(one for one in ends if one is not None),
            notes=tuple(self._notes(analysis)),
        )

    def _identity(self, cluster_id: str) -> tuple[str, OperatorError | None]:
        """The Kafka cluster that the checkpoint is of, and what is wrong if the present one is another."""
        accepted = self.job.spec.cluster_id
        read_from = self.previous.cluster_id or cluster_id
        if cluster_id == (accepted or read_from):
            return cluster_id, None
        if cluster_id == read_from:
            why = f"spec.clusterId is {accepted} and the KafkaCluster is {cluster_id}: correct or remove spec.clusterId"
        else:
            why = (
                f"table and checkpoint are of the Kafka cluster {read_from} and the KafkaCluster is now {cluster_id}:"
                " make another AnalyticsJob with another table; or, to begin this table again, remove its folder with"
                f" all that is in it, and set spec.clusterId of this AnalyticsJob to {cluster_id}"
            )
        return read_from, TerminalError("ClusterIdChanged", f"nothing runs, since {why}")

    def _children(
        self, job: AnalyticsJob, cluster: KafkaCluster, cluster_id: str, inputs: FoundInputs
    ) -> tuple[tuple[Body, ...], str | None]:
        """The children, and what a driver waits for."""
        wanted = job_objects(job, cluster, cluster_id, inputs, self.view.settings)
        leaving = [one for one in self.runners if "deletionTimestamp" in one["metadata"] and ended(one) is None]
        former = [one for one in self.runners.former(job) if one["kind"] != "Job" or ended(one) is None]
        standing = [*former, *leaving]
        if standing:
            name = f"{standing[0]['kind']} {standing[0]['metadata']['name']}"
            # Not even the file of a driver is changed: a pod that is started once more there would read it.
            return (), (
                f"waits until {name}, which ran this job before, is gone with its pods; if that lasts,"
                " see the events of its pods"
            )
        runner, past = self.runners.wanted(job), present_run(job, self.past)
        if past is not None:
            return wanted.shared, None
        if would_start(job, self.runners, past=past):
            waits = still_there(self.subject.key, job, self.others, self.view)
            if waits is not None:
                return wanted.shared, waits
        return (*wanted.shared, *_as_made(runner, wanted.runner)), None

    def _answer(self) -> tuple[DriverStatus | None, OperatorError | None]:
        """What the driver says, and why it cannot be asked."""
        answer = self.view.get(DriverAnswer(self.subject.key))
        if answer is None:
            return None, None
        return (answer.value, None) if answer.failure is None else (None, answer.failure)

    def _status(self, job: AnalyticsJob, answer: DriverStatus | None) -> tuple[AnalysisStatus, Verdict]:
        now, previous = self.view.now_ms, self.before
        same = self.previous.observed_generation == self.subject.generation and previous.phase != "Suspended"
        since = previous.scheduled_since_time if same and previous.scheduled_since_time else rfc3339(now)
        progress = progress_of(
            job,
            self.runners,
            answer,
            past=present_run(job, self.past),
            was=previous.phase,
            since_ms=milliseconds_of(since),
            now_ms=now,
        )
        kept: dict[str, Any] = {
            "finished_runs": self.past,
            "scheduled_since_time": since,
            "table_path": f"{table_folder(job, self.view.settings)}/table",
        }
        before = previous.model_copy(update=kept)
        status = status_of(job, progress, self.runners, answer, before, now_ms=now)
        return status, readiness(job, progress, answer, self.body)

    def _notes(self, status: AnalysisStatus) -> list[Note]:
        found = []
        for kind in new_findings(status, self.before):
            example = next((one for one in status.findings if one.kind == kind), None)
            said = f", for example {example.subject}: {example.message}" if example is not None else ""
            text = f"found {kind}, {status.finding_counts[kind]} of it{said}"
            found.append(Note(reason="NewFindings", about=kind, action="Analyse", message=text))
        return found


def _as_made(present: Body | None, runner: Body) -> tuple[Body, ...]:
    """Let a Job that is there keep the pods that it was made with, since they cannot be changed."""
    if present is None or runner["kind"] != "Job":
        return (runner,)
    kept = {**runner, "spec": {**runner["spec"], "template": present["spec"]["template"]}}
    return () if covers(present, kept) else (kept,)
