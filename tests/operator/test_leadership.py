"""Replicas of the operator: one works, and another takes over when it stops, is killed, or loses the Lease."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import pytest

from kwitness.operator.leadership import LEASE

from tests.eventually import eventually, remains
from tests.operator.granted import granted
from tests.operator.surroundings import OperatorProcess, apply, condition, get, wait_for_exit

pytestmark = pytest.mark.broker

Start = Callable[..., OperatorProcess]


def register(name: str, namespace: str) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "HeaderRegistry",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"keys": [{"name": f"{name}.id", "description": "An id.", "type": "String"}]},
    }


def leads(operator: OperatorProcess) -> bool:
    return "kwitness_leader 1.0" in operator.probe("/metrics")[1]


def waits(operator: OperatorProcess) -> bool:
    return any(line["message"] == "Waiting for leadership" for line in operator.lines())


def is_answered(api, name: str, namespace: str) -> bool:
    return condition(api, "khr", name, namespace, "Ready")["status"] is not None


@pytest.fixture
def replicas(api, namespace, start_operator, monkeypatch) -> tuple[OperatorProcess, OperatorProcess]:
    """Two, of which the first leads."""
    api.objects.apply(*granted(namespace, operator={"replicas": 2}))
    monkeypatch.setenv("POD_NAME", "first")
    first = start_operator(electsLeader=True)
    eventually(lambda: leads(first))
    monkeypatch.setenv("POD_NAME", "second")
    second = start_operator(user="operator-b", electsLeader=True)
    eventually(lambda: waits(second))
    return first, second


def test_one_replica_works_and_the_other_is_ready_to(api, namespace, replicas) -> None:
    apply(api, register("first", namespace))
    eventually(lambda: is_answered(api, "first", namespace))

    assert get(api, "lease", LEASE, namespace)["spec"]["holderIdentity"] == "first"
    assert not leads(replicas[1])
    assert replicas[1].probe("/readyz") == (200, "ok")
    assert replicas[1].probe("/healthz") == (200, "ok")


def test_the_other_replica_leads_at_once_when_the_first_stops(api, namespace, replicas) -> None:
    first, second = replicas

    assert first.stop() == 0
    assert get(api, "lease", LEASE, namespace)["spec"]["holderIdentity"] in {"", "second"}
    eventually(lambda: leads(second))

    apply(api, register("later", namespace))
    eventually(lambda: is_answered(api, "later", namespace))


def test_the_other_replica_leads_when_the_first_is_killed(api, namespace, replicas) -> None:
    first, second = replicas

    first.stop(signal.SIGKILL)
    eventually(lambda: leads(second))

    assert get(api, "lease", LEASE, namespace)["spec"]["holderIdentity"] == "second"


def test_a_replica_that_lost_the_lease_ends(api, namespace, replicas) -> None:
    first, second = replicas

    api.objects.patch("lease", LEASE, namespace, {"spec": {"holderIdentity": "second"}})

    assert wait_for_exit(first.process) == 0
    assert any(line["message"] == "Leadership lost" for line in first.lines())
    eventually(lambda: leads(second))


def test_a_replica_works_once_it_has_the_right_to_the_lease(api, namespace, start_operator: Start) -> None:
    operator = start_operator(electsLeader=True)
    refused = eventually(lambda: [line for line in operator.lines() if line["message"] == "No leadership yet"], bool)
    assert "leases" in refused[0]["detail"]
    remains(lambda: leads(operator), lambda found: not found, seconds=3)

    api.objects.apply(*granted(namespace, operator={"replicas": 2}))

    eventually(lambda: leads(operator))
