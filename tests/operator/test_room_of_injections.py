"""Injections of all namespaces in one file: what does not fit takes no room, and no namespace has that of others."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from kwitness.contracts.injections import INJECTION_HASHES_KEY, INJECTIONS_KEY
from kwitness.operator.environment.injections_file import injections_config_map
from kwitness.operator.model.store import Key


class Injection(BaseModel):
    """As large as its text."""

    namespace: str
    name: str
    priority: int = 0
    text: str = ""

    @property
    def owner(self) -> str:
        return f"{self.namespace}/{self.name}"


def of(namespace: str, count: int, size: int, priority: int = 0) -> list[Injection]:
    return [
        Injection(namespace=namespace, name=f"p{number:04}", priority=priority, text="x" * size)
        for number in range(count)
    ]


def compiled(*injections: Injection, first: tuple[str, ...] = ()) -> dict[str, Any]:
    def owners(found: tuple[Injection, ...]) -> str:
        return " ".join(injection.owner for injection in found)

    at = Key("kwitness", "kwitness-interceptors")
    return injections_config_map(at, injections, owners, lambda injection: injection.name, first=first)


def left_out(*injections: Injection) -> dict[str, int]:
    """How many of each namespace find no room."""
    config_map = compiled(*injections)
    hashes = json.loads(config_map["data"][INJECTION_HASHES_KEY])
    found: dict[str, int] = {}
    for owner, digest in hashes.items():
        found[owner.split("/")[0]] = found.get(owner.split("/")[0], 0) + (digest is None)
    return found


@pytest.mark.parametrize("priority", [-1000, 0, 1000])
@pytest.mark.parametrize(("count", "size"), [(1, 1_060_000), (1, 890_000), (16, 60_000), (2_000, 10)])
def test_one_namespace_leaves_the_others_their_part(count: int, size: int, priority: int) -> None:
    others = [injection for number in range(50) for injection in of(f"team-{number:02}", 1, 1_000)]

    found = left_out(*of("aaa", count, size, priority), *others)

    assert {namespace for namespace, number in found.items() if number} <= {"aaa"}


def test_what_others_leave_is_used() -> None:
    assert left_out(*of("aaa", 1, 500_000), *of("team", 1, 300_000), *of("zzz", 1, 90)) == {
        "aaa": 0,
        "team": 0,
        "zzz": 0,
    }


def test_what_comes_first_stays_where_all_of_one_namespace_do_not_fit() -> None:
    mine = of("aaa", 20, 60_000)
    mine[-1].priority = 1

    config_map = compiled(*mine)
    hashes = json.loads(config_map["data"][INJECTION_HASHES_KEY])

    assert hashes["aaa/p0019"] == "p0019"
    assert [owner for owner, digest in hashes.items() if digest is None] == [
        f"aaa/p{number:04}" for number in range(13, 19)
    ]


@pytest.mark.parametrize("priority", [-1000, 0, 1000])
@pytest.mark.parametrize(("large", "small"), [("aaa", "zzz"), ("zzz", "aaa")])
def test_what_is_left_goes_to_those_that_exceed_their_part_the_least(large: str, small: str, priority: int) -> None:
    found = left_out(*of(large, 5, 200_000, priority), *of(small, 2, 240_000))

    assert found == {large: 3, small: 0}


def test_priority_orders_within_a_namespace_and_the_installation_orders_namespaces() -> None:
    injections = [*of("aaa", 1, 9, 1000), *of("audit", 2, 9), *of("platform", 1, 9, -1000), *of("zzz", 1, 9)]
    injections[2].priority = 1

    config_map = compiled(*injections, first=("platform", "audit"))

    assert config_map["data"][INJECTIONS_KEY] == "platform/p0000 audit/p0001 audit/p0000 aaa/p0000 zzz/p0000"
