"""What must be known for one AnalyticsJob; what is asked of others again and again while something runs is here."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.operator.environment.needs import PROGRESS_SECONDS, SETTLED_SECONDS, reference_needs
from kwitness.operator.kinds.analytics_job.limits import claim_of
from kwitness.operator.kinds.analytics_job.past_runs import past_runs, present_run
from kwitness.operator.kinds.analytics_job.progress import is_under_way
from kwitness.operator.kinds.analytics_job.runners import (
    KIND,
    RunnerFacts,
    Runners,
    driver_labels,
    ended,
    known_runners,
)
from kwitness.operator.kinds.analytics_job.starting import would_start, writers_pods
from kwitness.operator.kinds.analytics_job.status import previous_status
from kwitness.operator.kinds.analytics_job.tenants import writers
from kwitness.operator.kinds.analytics_job.verdicts import TOLD_BY_DRIVERS
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.references import cluster_key
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Body, DriverAnswer, Every, LivePods, Watched
from kwitness.operator.shapes.work import Need, Unit, View

__all__ = ["needs"]

_POLL_SECONDS: Final = 10.0
"""Between questions to a driver that runs; one that has ended answers for 45 s more."""
_BETWEEN_SECONDS: Final = 30.0
"""Between looks at a schedule that waits for its time, so that no run's driver comes and goes unasked."""
_FOR_EVER: Final = float("inf")


def needs(unit: Unit, view: View) -> frozenset[Need]:
    """Itself, its cluster, who else writes its table, what runs it, and, while that is under way, its driver."""
    own = Watched(KIND, unit.key)
    found = {Need(own)}
    answer = view.get(own)
    if answer is None or answer.value is None:
        return frozenset(found)
    try:
        job = parse_resource(AnalyticsJob, answer.value)
    except OperatorError:
        return frozenset(found)
    if unit.key.namespace not in view.settings.analytics.namespaces:
        return frozenset(found)
    found |= {
        Need(Every(KIND)),
        *reference_needs(unit.key, cluster_key(unit.key.namespace, job.spec.cluster_ref), view),
    }
    claim = claim_of(unit.key.namespace, view.settings)
    if claim is not None:
        found.add(Need(claim, SETTLED_SECONDS))
    return frozenset(found | _of_runners(unit.key, job, answer.value, view))


def _of_runners(key: Key, job: AnalyticsJob, body: Body, view: View) -> set[Need]:
    facts, runners = RunnerFacts.of(key), known_runners(key, view)
    if runners is None:
        return {Need(one) for one in facts.all}
    found = _ages(key, job, body, runners, view)
    if is_under_way(job, runners):
        found.add(Need(DriverAnswer(key), _patience(body)))
    past = present_run(job, past_runs(previous_status(body), runners))
    order = writers(view, key.namespace, job.spec.table)
    if order[:1] == [key] and would_start(job, runners, past=past):
        found.add(Need(LivePods(key.namespace, driver_labels(key.name)), PROGRESS_SECONDS))
        found.add(Need(writers_pods(job), PROGRESS_SECONDS))
        for other in order[1:]:
            found |= {Need(one, PROGRESS_SECONDS) for one in RunnerFacts.of(other).all}
    return found


def _ages(key: Key, job: AnalyticsJob, body: Body, runners: Runners, view: View) -> set[Need]:
    """How old what is known of the runners may be: nothing changes by itself where nothing runs."""
    facts, former = RunnerFacts.of(key), runners.former(job)
    leaving = {one["kind"]: PROGRESS_SECONDS for one in former if one["kind"] != "Job" or ended(one) is None}
    if any("deletionTimestamp" in one["metadata"] for one in former):
        leaving["Job"] = PROGRESS_SECONDS
    under_way = is_under_way(job, runners)
    ages = {"StatefulSet": _FOR_EVER, "CronJob": _FOR_EVER, "Job": _FOR_EVER}
    if job.spec.run.schedule is not None:
        wait = _FOR_EVER if job.spec.suspend else _BETWEEN_SECONDS
        ages["CronJob"] = ages["Job"] = _POLL_SECONDS if under_way else wait
    elif job.spec.run.streaming is not None and not job.spec.suspend:
        answer = view.get(DriverAnswer(key))
        silent = answer is None or answer.value is None
        ages["StatefulSet"] = _POLL_SECONDS if silent and _patience(body) == _POLL_SECONDS else SETTLED_SECONDS
    elif job.spec.run.once is not None:
        runner = runners.wanted(job)
        waits = runner is not None and ended(runner) is None and not job.spec.suspend
        ages["Job"] = _POLL_SECONDS if waits else _FOR_EVER
    ages.update({kind: min(age, ages[kind]) for kind, age in leaving.items()})
    return {
        Need(facts.stateful_set, ages["StatefulSet"]),
        Need(facts.cron_job, ages["CronJob"]),
        Need(facts.jobs, ages["Job"]),
    }


def _patience(body: Body) -> float:
    """Seconds between questions: a driver that fails at each start has nothing new to say."""
    status = body.get("status") or {}
    reason = next((one["reason"] for one in status.get("conditions", ()) if one["type"] == "Ready"), None)
    return SETTLED_SECONDS if reason in TOLD_BY_DRIVERS else _POLL_SECONDS
