"""The platform on the real node, stood up by the demo's own entry point; logs are scanned after every test."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kwitness.demo import targets, up
from kwitness.demo.platform import APPS, JOB, JOBS, KAFKA, NAMESPACE, Platform
from kwitness.demo.progress import DemoError, Progress
from kwitness.demo.toolbox import Toolbox
from kwitness.e2e.node.kubernetes_node import KubernetesNode

from tests.e2e import logs
from tests.e2e.job_pods import wait_until_gone


class Answer(NamedTuple):
    """What a job had found: the rows of its table, and the AnalyticsJob."""

    rows: list[dict[str, Any]]
    job: dict[str, Any]


@pytest.fixture(scope="session")
def target(node: KubernetesNode, tmp_path_factory: pytest.TempPathFactory) -> up.DemoTarget:
    """The node of this run with all images in it."""
    folder = tmp_path_factory.mktemp("platform")
    return targets.on_node(node, folder, Progress(total=2, out=sys.__stderr__ or sys.stderr))


@pytest.fixture(scope="session")
def image_values(target: up.DemoTarget) -> Path:
    """A folder with a Helm values file for each chart, which names the images."""
    return target.image_values


@pytest.fixture(scope="session")
def standing(target: up.DemoTarget) -> Platform:
    """Everything of `make demo`, as it is then."""
    try:
        return up.stand_up(target, Progress(total=up.STEPS, out=sys.__stderr__ or sys.stderr))
    except DemoError as failed:
        pytest.fail(f"the platform does not stand: {failed}; logs: {target.logs()}")


@pytest.fixture(scope="session")
def answers(standing: Platform) -> dict[str, Answer]:
    """What all jobs but the first had found when the platform stood. They rest since: drivers need processors."""
    found = {}
    for job_type, name in JOBS.items():
        if name != JOB:
            at = ("analyticsjob", name, f"--namespace={NAMESPACE}")
            found[job_type] = Answer(standing.rows(job_type), standing.cluster.find(*at))
            standing.cluster.kubectl("patch", *at, "--type=merge", '--patch={"spec":{"suspend":true}}')
    for job_type in found:
        wait_until_gone(standing, JOBS[job_type])
    return found


@pytest.fixture(scope="session")
def platform(standing: Platform, answers: dict[str, Answer]) -> Platform:
    """Everything of `make demo`, with one job of Spark at work."""
    del answers
    return standing


@pytest.fixture(scope="session")
def toolbox(platform: Platform) -> Toolbox:
    """A pod for what a person would do to the brokers by hand."""
    box = Toolbox(
        cluster=platform.cluster,
        namespace=APPS,
        image=platform.images["demo-python"],
        bootstrap=f"{KAFKA}.{NAMESPACE}.svc:9092",
    )
    box.start()
    return box


@pytest.fixture(autouse=True)
def _logs_hold_no_unexpected_errors(request: pytest.FixtureRequest, platform: Platform) -> Iterator[None]:
    """After each test, errors in our components' logs must be among those the test expects."""
    since = dt.datetime.now(dt.UTC)
    yield
    expected = [str(mark.args[0]) for mark in request.node.iter_markers("expects_log")]
    unexpected = logs.unexpected(platform.cluster, since=since, expected=expected)
    assert not unexpected, "errors in the logs that the test does not expect:\n" + "\n".join(unexpected)
