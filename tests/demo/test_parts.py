"""Parts of the demo start once, after those that they need; one that fails takes only those with it that need it."""

from __future__ import annotations

import io
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from kwitness.demo import manifests, releases, up
from kwitness.demo.cluster import DemoCluster
from kwitness.demo.parts import Demo, DemoTarget, part
from kwitness.demo.progress import DemoError, Progress

STARTED: list[str] = []


@part()
def broker(_: Demo) -> None:
    """A broker."""
    STARTED.append("broker")


@part(broker)
def gateway(_: Demo) -> None:
    """A gateway."""
    STARTED.append("gateway")
    raise DemoError(component="gateway", reason="no window", log="its log")


@part(gateway)
def traffic(_: Demo) -> None:
    """A job."""
    STARTED.append("traffic")


@pytest.fixture
def demo(tmp_path: Path) -> Demo:
    """With logs that are told as a number, one higher each time that they are collected."""
    STARTED.clear()
    collected = iter(range(9))
    cluster = DemoCluster.__new__(DemoCluster)
    target = DemoTarget(cluster=cluster, images={}, image_values=tmp_path, logs=lambda: f"logs {next(collected)}")
    return Demo(target, Progress(total=3, out=io.StringIO()))


def test_a_part_starts_once_after_those_that_it_needs(demo: Demo) -> None:
    for _ in range(2):
        demo.require(broker)
        with pytest.raises(DemoError, match="gateway: no window"):
            demo.require(gateway)

    assert STARTED == ["broker", "gateway"]


def test_what_needs_a_failed_part_fails_at_once_with_the_first_failure(demo: Demo) -> None:
    for required in (gateway, traffic, traffic):
        with pytest.raises(DemoError, match="gateway: no window") as failed:
            demo.require(required)

        assert failed.value.__notes__ == ["all logs: logs 0"]

    demo.require(broker)
    assert STARTED == ["broker", "gateway"]


def test_a_part_that_was_stopped_starts_again_and_one_that_failed_does_not(demo: Demo) -> None:
    demo.require(broker)
    demo.forget(broker)
    demo.require(broker)
    assert STARTED == ["broker", "broker"]

    for _ in range(2):
        with pytest.raises(DemoError):
            demo.require(gateway)
        demo.forget(gateway)
    assert STARTED == ["broker", "broker", "gateway"]


def test_the_parts_of_make_demo_apply_each_manifest_once(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    applied: list[str] = []
    monkeypatch.setattr(up, "_apply", lambda _, *names: applied.extend(names))
    monkeypatch.setattr(up, "_clients", lambda _, *names: applied.extend(names))
    monkeypatch.setattr(up, "_first_rows", lambda _demo, _type, name, _lacking: applied.append(name))
    for name in (
        "acls",
        "namespaces",
        "releases",
        "secrets",
        "_ready",
        "_restart_outdated",
        "_running",
        "_seen_in_pods",
        "_wait",
    ):
        monkeypatch.setattr(up, name, MagicMock())

    demo.require(*up.PARTS)

    files = [*manifests.files(releases.RESOURCES), *manifests.files(releases.CLIENTS)]
    assert sorted(applied) == sorted(file.stem for file in files)
