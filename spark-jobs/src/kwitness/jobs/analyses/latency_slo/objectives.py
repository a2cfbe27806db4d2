"""Objectives as the job counts by them: which records are their evidence, and in which bucket the threshold is."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from kwitness.contracts.records.sketch import SKETCH_BOUNDS
from kwitness.contracts.resources.analytics_parameters import LatencySloParameters
from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.resources.objectives import LatencyObjective
from kwitness.contracts.spelling import word_of
from kwitness.jobs.frame.moments import in_milliseconds
from kwitness.jobs.frame.sketches import nearest_bucket

TRAFFIC, REQUESTS = "traffic", "requests"
WHOLE = 10**8
"""All answers, where budgets are counted in whole numbers: targets have at most six digits after the point."""


class Objective(NamedTuple):
    """One objective.

    Attributes
    ----------
    evidence
        The topic of the platform that it is computed from.
    threshold_us, counted_us
        How long a good answer takes at most, in microseconds: as asked for, and as counted. From distributions that is
        the bound next to it, one percent away at most; from single answers it is the same.
    bucket
        The bucket of which the latter is the upper bound.
    budget
        How many of `WHOLE` answers may be bad.
    grouped_by
        The group's keys as one text, with commas.
    """

    name: str
    evidence: str
    threshold_us: int
    counted_us: int
    bucket: int
    target: str
    budget: int
    errors_are_bad: bool
    grouped_by: str
    group_by: tuple[str, ...]
    match: dict[str, str]


def objectives_of(parameters: LatencySloParameters) -> tuple[Objective, ...]:
    """All objectives of a job."""
    return tuple(map(_objective, parameters.objectives))


def needs_requests(parameters: LatencySloParameters) -> bool:
    """Whether an objective is computed from single answers."""
    return any(_evidence(one) == REQUESTS for one in parameters.objectives)


def _objective(one: LatencyObjective) -> Objective:
    evidence = _evidence(one)
    asked = in_milliseconds(parse_duration(one.threshold)) * 1000
    bucket = nearest_bucket(asked)
    group_by = tuple(map(word_of, one.group_by))
    match = one.match.model_dump(exclude_none=True)
    names = {"namespace": "k8s_namespace", "workload": "k8s_workload"}
    return Objective(
        name=one.name,
        evidence=evidence,
        threshold_us=asked,
        counted_us=SKETCH_BOUNDS[bucket] if evidence == TRAFFIC else asked,
        bucket=bucket,
        target=one.target,
        budget=int((100 - Decimal(one.target)) * (WHOLE // 100)),
        errors_are_bad=one.errors_are_bad,
        grouped_by=",".join(group_by),
        group_by=group_by,
        match={names.get(key, key): pattern for key, pattern in match.items()},
    )


def _evidence(one: LatencyObjective) -> str:
    return REQUESTS if one.match.topic is not None or "Topic" in one.group_by else TRAFFIC
