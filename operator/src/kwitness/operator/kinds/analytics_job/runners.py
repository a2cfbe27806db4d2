"""What runs the driver of an AnalyticsJob: a StatefulSet, a CronJob with its Jobs, or the Job of one run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.operator.desired.pods import selector
from kwitness.operator.environment.clusters import present
from kwitness.operator.kinds.analytics_job.objects import RUN_ANNOTATION, runner_name
from kwitness.operator.model.ownership import APPLIED_HASH, belongs_to
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.actions import Delete
from kwitness.operator.shapes.facts import Body, Labelled, NamedObject
from kwitness.operator.shapes.work import View
from kwitness.runtime.child_names import job_name

__all__ = [
    "KIND",
    "RunnerFacts",
    "Runners",
    "driver_labels",
    "end_of",
    "ended",
    "is_at_work",
    "known_runners",
    "runners_of",
]

KIND: Final = "AnalyticsJob"


@dataclass(frozen=True, slots=True)
class RunnerFacts:
    """Where runners of a job are found."""

    stateful_set: NamedObject
    cron_job: NamedObject
    jobs: Labelled

    @classmethod
    def of(cls, key: Key) -> RunnerFacts:
        """Those of the AnalyticsJob at ``key``."""
        child = Key(key.namespace, job_name(key.name))
        jobs = Labelled("Job", key.namespace, driver_labels(key.name))
        return cls(NamedObject("StatefulSet", child), NamedObject("CronJob", child), jobs)

    @property
    def all(self) -> tuple[NamedObject | Labelled, ...]:
        """All three."""
        return (self.stateful_set, self.cron_job, self.jobs)


@dataclass(frozen=True, slots=True)
class Runners:
    """What stands of them; objects of those names that belong to somebody else are left out."""

    stateful_set: Body | None
    cron_job: Body | None
    jobs: tuple[Body, ...]

    def wanted(self, job: AnalyticsJob) -> Body | None:
        """The one that is to run the job as it is now, if it stands."""
        kind, name = runner_name(job)
        return next((one for one in self if (one["kind"], one["metadata"]["name"]) == (kind, name)), None)

    def former(self, job: AnalyticsJob) -> tuple[Body, ...]:
        """Those that ran the job before its `run` or the id of a run was another."""
        wanted = runner_name(job)
        found = [one for one in self if (one["kind"], one["metadata"]["name"]) != wanted]
        return tuple(one for one in found if not (_is_scheduled(one) and (wanted[0] == "CronJob" or _goes_along(one))))

    def scheduled(self) -> tuple[Body, ...]:
        """Runs of the CronJob, the newest first."""
        found = (one for one in self.jobs if _is_scheduled(one))
        return tuple(sorted(found, key=lambda one: str(one["metadata"].get("creationTimestamp")), reverse=True))

    def ended_runs(self) -> dict[str, bool]:
        """Whether a run of `once` ended well, by id, of those that have ended."""
        found = {}
        for one in self.jobs:
            run = one["metadata"].get("annotations", {}).get(RUN_ANNOTATION)
            well = ended(one)
            if run is not None and well is not None and not _is_scheduled(one):
                found[run] = well
        return found

    def may_run(self) -> bool:
        """Whether any of them runs a driver, is ending one, or would start one."""
        return any(one["kind"] != "Job" or ended(one) is None for one in self)

    def __iter__(self) -> Iterator[Body]:
        """All that stand."""
        yield from (one for one in (self.stateful_set, self.cron_job) if one is not None)
        yield from self.jobs


def driver_labels(job: str) -> tuple[tuple[str, str], ...]:
    """Labels of a job's drivers, and of the Jobs that make them."""
    return tuple(sorted(selector("job", job).items()))


def runners_of(key: Key, view: View) -> Runners:
    """What stands for the AnalyticsJob at ``key``.

    Raises
    ------
    OperatorError
        It could not be found out.
    """
    facts = RunnerFacts.of(key)
    stateful_set, cron_job = (_own(present(view, one), key) for one in (facts.stateful_set, facts.cron_job))
    return Runners(stateful_set, cron_job, present(view, facts.jobs) or ())


def known_runners(key: Key, view: View) -> Runners | None:
    """The same as far as it is known by now; None while it is not."""
    facts = RunnerFacts.of(key)
    answers = (view.get(facts.stateful_set), view.get(facts.cron_job), view.get(facts.jobs))
    return runners_of(key, view) if all(one is not None and one.failure is None for one in answers) else None


def ended(run: Body) -> bool | None:
    """Whether a Job ended well; None if it has not ended."""
    found = {one["type"] for one in (run.get("status") or {}).get("conditions", ()) if one.get("status") == "True"}
    return "Complete" in found if found & {"Complete", "Failed"} else None


def is_at_work(runner: Body | None) -> bool:
    """Whether a runner has a driver or would start one."""
    if runner is None or "deletionTimestamp" in runner["metadata"]:
        return False
    spec = runner["spec"]
    return bool(spec.get("replicas", 1)) if runner["kind"] == "StatefulSet" else not spec.get("suspend", False)


def end_of(runner: Body, owner_uid: str) -> Delete | None:
    """How to end a runner that the resource with ``owner_uid`` has; None for others', and if it is ending."""
    metadata = runner["metadata"]
    owners = {one["uid"] for one in metadata.get("ownerReferences", ())}
    if (
        "deletionTimestamp" in metadata
        or owner_uid not in owners
        or APPLIED_HASH not in metadata.get("annotations", {})
    ):
        return None
    return Delete(runner["kind"], Key(metadata["namespace"], metadata["name"]), metadata["uid"])


def _own(runner: Body | None, key: Key) -> Body | None:
    if runner is None:
        return None
    return runner if belongs_to(runner, {"kind": KIND, "name": key.name}) else None


def _is_scheduled(runner: Body) -> bool:
    owners = runner["metadata"].get("ownerReferences", ())
    return runner["kind"] == "Job" and any(one.get("kind") == "CronJob" for one in owners)


def _goes_along(run: Body) -> bool:
    """Whether nothing of a CronJob's run is in the way any more: Kubernetes removes it after its CronJob."""
    return ended(run) is not None
