"""Reads pods as the kubelet describes them, and decides which workloads end at their start with interceptors."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.operator.model.pod_starts import ended_workloads, pod_start

from tests.merge_patch import merged

OWNER, DIGEST = "shop/orders", "b53d4a18a4f976f8"
TERMINATED = {
    "exitCode": 1,
    "reason": "Error",
    "startedAt": "2026-01-01T12:01:00Z",
    "finishedAt": "2026-01-01T12:01:01Z",
}
POD: dict[str, Any] = {
    "metadata": {
        "namespace": "shop",
        "name": "billing-5f7-a",
        "labels": {"pod-template-hash": "5f7"},
        "annotations": {"kwitness.dev/interceptors": OWNER, "kwitness.dev/interceptors-hash": DIGEST},
        "ownerReferences": [{"kind": "ReplicaSet", "name": "billing-5f7", "controller": True}],
    },
    "status": {
        "startTime": "2026-01-01T12:00:00Z",
        "conditions": [{"type": "Ready", "status": "False"}],
        "containerStatuses": [
            {
                "name": "app",
                "restartCount": 3,
                "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                "lastState": {"terminated": TERMINATED},
            }
        ],
    },
}


def with_container(**changes: Any) -> dict[str, Any]:
    return {"status": {"containerStatuses": {0: changes}}}


def last_ended(**changes: Any) -> dict[str, Any]:
    return with_container(lastState={"terminated": changes})


def found(*changes: dict[str, Any]) -> list[str]:
    starts = [pod_start(merged(POD, change)) for change in changes]
    return [*ended_workloads(OWNER, DIGEST, [start for start in starts if start is not None])]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        with_container(state={"waiting": None, "terminated": TERMINATED}, lastState=None),
        last_ended(finishedAt="2026-01-01T12:01:10Z"),
        last_ended(startedAt="2026-01-01T12:14:50Z", finishedAt="2026-01-01T12:15:00Z"),
        {"status": {"containerStatuses": [], "initContainerStatuses": POD["status"]["containerStatuses"]}},
    ],
    ids=["in back-off", "ended just now", "after ten seconds", "after a quarter of an hour", "an init container"],
)
def test_a_workload_whose_pod_ends_at_its_start_is_found(changes: dict[str, Any]) -> None:
    assert found(changes) == ["shop/Deployment/billing"]


@pytest.mark.parametrize(
    "changes",
    [
        with_container(restartCount=2),
        with_container(state={"waiting": None, "running": {"startedAt": "2026-01-01T12:02:00Z"}}),
        with_container(name="kwitness-observer"),
        last_ended(exitCode=0),
        last_ended(reason="OOMKilled"),
        last_ended(finishedAt="2026-01-01T12:01:11Z"),
        last_ended(startedAt="2026-01-01T12:15:00Z", finishedAt="2026-01-01T12:15:01Z"),
        last_ended(startedAt=None),
        {"status": None},
        {"metadata": {"annotations": {"kwitness.dev/interceptors-hash": "of an earlier spec"}}},
        {"metadata": {"annotations": {"kwitness.dev/interceptors": "shop/another"}}},
        {"metadata": {"annotations": None}},
        {"metadata": {"ownerReferences": None}},
        {"metadata": {"deletionTimestamp": "2026-01-01T12:02:00Z"}},
    ],
    ids=[
        "restarted twice",
        "running now",
        "the observer",
        "ended well",
        "out of memory",
        "ran for longer",
        "ran before",
        "without a time",
        "without status",
        "of an earlier spec",
        "of another profile",
        "without interceptors",
        "by itself",
        "being deleted",
    ],
)
def test_a_pod_that_does_anything_else_is_no_reason(changes: dict[str, Any]) -> None:
    assert found(changes) == []


def test_a_workload_with_a_ready_pod_is_none_and_others_are_decided_on_their_own() -> None:
    ready = {"metadata": {"name": "billing-5f7-b"}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    sound = merged(ready, {"status": {"containerStatuses": []}})
    payments = {"metadata": {"ownerReferences": [{"kind": "StatefulSet", "name": "payments", "controller": True}]}}

    assert found({}, sound, payments) == ["shop/StatefulSet/payments"]


def test_what_the_kubelet_kept_of_the_output_is_a_line_of_bounded_length() -> None:
    message = "x" * 4_000 + "\nCould not find agent library\tinstrument\n"

    start = pod_start(merged(POD, last_ended(message=message)))

    assert start is not None
    assert start.ending is not None
    assert start.ending.message.endswith("x Could not find agent library instrument")
    assert len(start.ending.message) == 200
