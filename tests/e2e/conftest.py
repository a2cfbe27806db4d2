"""The platform on the real node, in the demo's own parts; logs are scanned after every test."""

from __future__ import annotations

import datetime as dt
import functools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kwitness.demo import targets, up
from kwitness.demo.parts import Demo, DemoTarget
from kwitness.demo.platform import APPS, JOBS, KAFKA, NAMESPACE, Platform
from kwitness.demo.progress import Progress
from kwitness.demo.signs import signs_of
from kwitness.demo.toolbox import Toolbox
from kwitness.e2e.node.kubernetes_node import KubernetesNode

from tests.e2e import logs, subscriptions
from tests.e2e.eventually import SIGNS, eventually
from tests.e2e.job_pods import wait_until_gone

JOB_PODS = "kwitness-job-"
"""How names of drivers begin, which compute for minutes before they say anything."""


class Answer(NamedTuple):
    """What a job had found: the rows of its table, and the AnalyticsJob."""

    rows: list[dict[str, Any]]
    job: dict[str, Any]


@pytest.fixture(scope="session")
def target(node: KubernetesNode, tmp_path_factory: pytest.TempPathFactory) -> DemoTarget:
    """The node of this run with all images in it."""
    folder = tmp_path_factory.mktemp("platform")
    return targets.on_node(node, folder, Progress(total=2, out=sys.__stderr__ or sys.stderr))


@pytest.fixture(scope="session")
def image_values(target: DemoTarget) -> Path:
    """A folder with a Helm values file for each chart, which names the images."""
    return target.image_values


@pytest.fixture(scope="session")
def demo(target: DemoTarget) -> Demo:
    """The parts of `make demo`, each of which starts when the first test needs it."""
    return Demo(target, Progress(total=len(up.PARTS), out=sys.__stderr__ or sys.stderr))


@pytest.fixture(scope="session")
def platform(demo: Demo, node: KubernetesNode) -> Platform:
    """What can be asked of the parts that run."""
    SIGNS.extend((functools.partial(logs.size, node), *signs_of(demo.cluster, namespace=NAMESPACE, workload=JOB_PODS)))
    return demo.platform


@pytest.fixture(scope="module", autouse=True)
def _parts(request: pytest.FixtureRequest, demo: Demo) -> None:
    """Start what a file's mark `needs` names; a part that failed fails the tests of these files alone."""
    for mark in request.node.iter_markers("needs"):
        demo.require(*mark.args)


@pytest.fixture(scope="module")
def soon_forgotten(_parts: None, platform: Platform) -> Iterator[None]:
    """Have no subscription held by a client of another test that would crash."""
    with subscriptions.cluster_with(platform, riskWindow="1s"):
        yield


@contextmanager
def at_work(demo: Demo, job_type: str) -> Iterator[None]:
    """Have a job of the demo work for the length of a block; then it rests, since drivers need processors."""
    job = JOBS[job_type]
    try:
        demo.require(up.OF_JOBS[job_type])
        yield
    finally:
        # Also where it failed: each driver at work takes processor time from the next.
        if demo.cluster.find("analyticsjob", job, NAMESPACE):
            demo.cluster.objects.patch("analyticsjob", job, NAMESPACE, {"spec": {"suspend": True}})
        demo.forget(up.OF_JOBS[job_type])
        wait_until_gone(demo.platform, job)


WITH_FINDINGS = ("UpgradeImpact",)
"""Types of the demo's jobs that count findings in their status."""


class Answers(dict[str, Answer]):
    """What jobs of the demo found, by their type. Each works when it is first asked for, alone."""

    def __init__(self, demo: Demo) -> None:
        super().__init__()
        self._demo = demo

    def __missing__(self, job_type: str) -> Answer:
        with at_work(self._demo, job_type):
            # The operator asks the driver for what it found a moment after the rows are there.
            found = eventually(
                lambda: self._demo.cluster.find("analyticsjob", JOBS[job_type], NAMESPACE),
                lambda job: job_type not in WITH_FINDINGS or "findingCounts" in job["status"]["analyses"][0],
            )
            self[job_type] = Answer(self._demo.platform.rows(job_type), found)
        return self[job_type]


@pytest.fixture(scope="session")
def answers(demo: Demo) -> Answers:
    """What jobs of the demo found, each when it is first asked for."""
    return Answers(demo)


@pytest.fixture(scope="session")
def toolbox(demo: Demo, platform: Platform) -> Iterator[Toolbox]:
    """A pod for what a person would do to the brokers by hand."""
    demo.require(up.broker)
    box = Toolbox(
        cluster=platform.cluster,
        namespace=APPS,
        image=platform.images["demo-python"],
        bootstrap=f"{KAFKA}.{NAMESPACE}.svc:9092",
    )
    box.start()
    yield box
    box.stop()


@pytest.fixture(autouse=True)
def _logs_hold_no_unexpected_errors(request: pytest.FixtureRequest, node: KubernetesNode) -> Iterator[None]:
    """After each test, errors in our components' logs must be among those the test expects."""
    since = dt.datetime.now(dt.UTC)
    yield
    expected = [str(mark.args[0]) for mark in request.node.iter_markers("expects_log")]
    unexpected = logs.unexpected(node, since=since, expected=expected)
    assert not unexpected, "errors in the logs that the test does not expect:\n" + "\n".join(unexpected)
