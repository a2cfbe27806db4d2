"""What must be known for one AnalyticsJob; what is asked of others again and again while something runs is here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.analytics_status import AnalyticsJobStatus
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator.environment.needs import PROGRESS_SECONDS, SETTLED_SECONDS, reference_needs
from kwitness.operator.kinds.analytics_job.inputs import input_needs
from kwitness.operator.kinds.analytics_job.limits import check_limits, claim_of
from kwitness.operator.kinds.analytics_job.objects import runner_name
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
from kwitness.operator.kinds.analytics_job.tenants import writers
from kwitness.operator.kinds.analytics_job.verdicts import told_before
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.parse_resource import parse_resource, parse_status
from kwitness.operator.model.references import cluster_key
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Body, DriverAnswer, Every, LivePods, Watched
from kwitness.operator.shapes.work import Need, Unit, View

__all__ = ["needs"]

_BETWEEN: Final = 3
"""Times the seconds between questions to a driver, a schedule may go unseen between its runs: no driver comes and goes
unasked."""
_FOR_EVER: Final = float("inf")
_KINDS: Final = ("StatefulSet", "CronJob", "Job")


def needs(unit: Unit, view: View) -> frozenset[Need]:
    """Itself, its cluster, who else writes its table, what runs it, and, while that is under way, its driver."""
    own = Watched(KIND, unit.key)
    found = {Need(own)}
    answer = view.get(own)
    if answer is None or answer.value is None:
        return frozenset(found)
    try:
        job = parse_resource(AnalyticsJob, answer.value)
        check_limits(job, view.settings)
    except OperatorError:
        return frozenset(found)
    found |= {
        Need(Every(KIND)),
        *reference_needs(unit.key, cluster_key(unit.key.namespace, job.spec.cluster_ref), view),
    }
    found |= input_needs(unit.key, job, view)
    claim = claim_of(unit.key.namespace, view.settings)
    if claim is not None:
        found.add(Need(claim, SETTLED_SECONDS))
    return frozenset(found | _of_runners(unit.key, job, answer.value, view))


def _of_runners(key: Key, job: AnalyticsJob, body: Body, view: View) -> set[Need]:
    facts, runners = RunnerFacts.of(key), known_runners(key, view)
    if runners is None:
        return {Need(one) for one in facts.all}
    first, *others = writers(view, key.namespace, job.spec.analysis.table) or [key]
    if first != key:
        # All that is left of it is to go.
        leaves = runners.may_run() and not is_paused(job.metadata.annotations)
        return _aged(facts, dict.fromkeys(_KINDS, PROGRESS_SECONDS if leaves else _FOR_EVER))
    past = present_run(job, past_runs(parse_status(AnalyticsJobStatus, body).entry(job.spec.analysis), runners))
    ages = _ages(key, job, body, runners, view)
    if starts := would_start(job, runners, past=past):
        # Somebody else may have made it: what would be taken for a former driver could be its own.
        kind, _ = runner_name(job)
        ages[kind] = min(ages[kind], view.settings.analytics.poll_seconds)
    found = _aged(facts, ages)
    if is_under_way(job, runners):
        found.add(Need(DriverAnswer(key), _patience(body, view)))
    if starts:
        found.add(Need(LivePods(key.namespace, driver_labels(key.name)), PROGRESS_SECONDS))
        found.add(Need(writers_pods(job), PROGRESS_SECONDS))
        for other in others:
            found |= {Need(one, PROGRESS_SECONDS) for one in RunnerFacts.of(other).all}
    return found


def _ages(key: Key, job: AnalyticsJob, body: Body, runners: Runners, view: View) -> dict[str, float]:
    """How old what is known of the runners may be, by kind: nothing changes by itself where nothing runs."""
    ages = dict.fromkeys(_KINDS, _FOR_EVER)
    runner, run, poll = runners.wanted(job), job.spec.analysis.run, view.settings.analytics.poll_seconds
    if job.spec.suspend and not is_under_way(job, runners):
        pass
    elif run.schedule is not None:
        ages["CronJob"] = ages["Job"] = poll if is_under_way(job, runners) else poll * _BETWEEN
    elif run.streaming is not None and runner is not None:
        answer = view.get(DriverAnswer(key))
        speaks = answer is not None and answer.value is not None
        ages["StatefulSet"] = SETTLED_SECONDS if speaks else _patience(body, view)
    elif run.once is not None and runner is not None and ended(runner) is None:
        ages["Job"] = poll
    for one in runners.former(job):
        if one["kind"] != "Job" or ended(one) is None or "deletionTimestamp" in one["metadata"]:
            ages[one["kind"]] = PROGRESS_SECONDS
    return ages


def _aged(facts: RunnerFacts, ages: Mapping[str, float]) -> set[Need]:
    return {Need(one, ages[one.kind]) for one in facts.all}


def _patience(body: Body, view: View) -> float:
    """Seconds between questions: a driver that fails at each start has nothing new to say."""
    return view.settings.analytics.poll_seconds if told_before(body) is None else SETTLED_SECONDS
