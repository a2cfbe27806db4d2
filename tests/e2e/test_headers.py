"""Headers of records: those that no register has are told and counted, and a key keeps the number that it was given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from kwitness.contracts.resources.header_registry import NUMBERED_RANGES
from kwitness.demo import up, waiting
from kwitness.demo.platform import (
    APPS,
    HEADERS,
    INTERCEPTED_JAVA_WORKLOAD,
    INTERCEPTED_WORKLOAD,
    INTERCEPTORS,
    UNREGISTERED_HEADER,
    Platform,
)

from tests.e2e import subscriptions
from tests.e2e.eventually import eventually

pytestmark = pytest.mark.needs(up.headers)

KIND = "headerregistry"
REGISTERED = "charge.tag"
"""The one key of the demo's register; its producer writes it, too."""
OTHER = "debug.trace"
"""A key that nobody writes."""
TOPIC = "demo.orders"


def status(platform: Platform) -> dict[str, Any]:
    return dict(subscriptions.found(platform, HEADERS, KIND).get("status", {}))


def findings(platform: Platform, key: str) -> list[dict[str, Any]]:
    return [one for one in status(platform).get("findings", []) if one["key"] == key]


def test_a_header_that_no_register_has_is_told_with_the_number_of_pods_that_get_it(platform: Platform) -> None:
    # The two consumers with interceptors are handed what the Python producer wrote.
    [found] = eventually(
        lambda: findings(platform, UNREGISTERED_HEADER), lambda now: now and now[0]["clientsTotal"] >= 2
    )

    assert (found["problem"], found["topic"]) == ("Unregistered", TOPIC)
    # The clients' pods are of another namespace than the register.
    assert "example" not in found
    register = subscriptions.found(platform, HEADERS, KIND)
    condition = waiting.condition(register, "AsRegistered") or {}
    assert (condition.get("status"), condition.get("reason")) == ("False", "FindingsPresent")
    assert (
        f"{UNREGISTERED_HEADER} Unregistered ({found['clientsTotal']} pods of other namespaces" in condition["message"]
    )
    assert register["status"]["unregisteredSeen"] >= 1
    assert findings(platform, REGISTERED) == []


@pytest.mark.parametrize(
    ("seen_by", "workload"), [("python", INTERCEPTED_WORKLOAD), ("java", INTERCEPTED_JAVA_WORKLOAD)]
)
def test_headers_that_a_client_gets_are_counted_by_key_and_those_of_no_register_as_a_problem(
    platform: Platform, seen_by: str, workload: str
) -> None:
    # Given
    place = f'k8s_namespace="{APPS}",k8s_workload="{workload}",seen_by="{seen_by}",side="consumer",topic="{TOPIC}"'
    headers = f'kafka_client_headers_total{{{place},key="{REGISTERED}"}}'
    problems = f'kafka_client_header_problems_total{{{place},problem="unregistered",key="{UNREGISTERED_HEADER}"}}'

    def counted() -> tuple[float, float]:
        return platform.latest(headers), platform.latest(problems)

    # A collector that was restarted by another test counts from 0, so only what comes on top says something.
    before = counted()

    # When
    eventually(counted, lambda now: now[0] > before[0] and now[1] > before[1])

    # Then
    assert platform.query(f'kafka_client_header_problems_total{{{place},key="{REGISTERED}"}}') == []


@contextmanager
def registered(platform: Platform, key: str) -> Iterator[dict[str, int]]:
    """A key more in the demo's register, for the length of a block; gives the numbers of all, by key."""
    keys = subscriptions.found(platform, HEADERS, KIND)["spec"]["keys"]
    # Settings of pods depend on the register; those that run are not outdated when it is over.
    hashed = subscriptions.found(platform, INTERCEPTORS, "interceptorprofile")["status"]["configHash"]
    _register(platform, [*keys, {"name": key, "type": "String", "description": "Of one who looks for a fault."}])
    try:
        yield _numbers_of(platform, len(keys) + 1)
    finally:
        _register(platform, keys)
        _numbers_of(platform, len(keys))
        eventually(
            lambda: subscriptions.found(platform, INTERCEPTORS, "interceptorprofile")["status"],
            lambda now: now["configHash"] == hashed and not now["pods"]["outdated"],
        )


def test_a_key_gets_a_number_of_the_registers_range_that_stays_its_own_when_it_is_taken_out(
    platform: Platform,
) -> None:
    with registered(platform, UNREGISTERED_HEADER) as first:
        pass
    with registered(platform, OTHER) as between:
        pass
    with registered(platform, UNREGISTERED_HEADER) as again:
        pass

    lowest, highest = NUMBERED_RANGES["LocalApplication"]
    assert first.keys() == {REGISTERED, UNREGISTERED_HEADER}
    assert all(lowest <= number <= highest for number in first.values())
    assert again == first
    # The lowest that is free would be the same.
    assert between[OTHER] not in first.values()


def _register(platform: Platform, keys: list[dict[str, Any]]) -> None:
    subscriptions.change(platform, KIND, HEADERS, keys=keys)


def _numbers_of(platform: Platform, count: int) -> dict[str, int]:
    """Wait until so many keys are registered."""
    subscriptions.reason_becomes(platform, HEADERS, "Registered", KIND)
    told = eventually(lambda: status(platform), lambda now: now["registered"] == count)
    return {one["name"]: one["id"] for one in told["ids"]}
