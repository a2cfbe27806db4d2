"""Registers of a profile as one set of rules: what finds no room is left out whole, and the others stay."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.operator.environment.header_ids import header_ids_fact
from kwitness.operator.kinds.interceptor_profile.header_rules import header_needs, registries_of
from kwitness.operator.model.store import Key
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.facts import Answer, Fact, Watched

SETTINGS = OperatorSettings.model_validate(
    {"namespace": "kwitness", "watchNamespaces": ["shop"], "images": {"collector": "c:1", "spark": "s:1"}}
)


class Registers:
    """A view of registers with so many keys each, all of which are registered."""

    now_ms = 1_000_000
    settings = SETTINGS

    def __init__(self, *, letters: int = 110, **keys: int) -> None:
        names = {name: [f"{name}-{'x' * letters}-{number}" for number in range(size)] for name, size in keys.items()}
        self._facts: dict[Fact[Any], Any] = {
            Watched("HeaderRegistry", Key("shop", name)): {
                "metadata": {"name": name, "namespace": "shop"},
                "spec": {"keys": [{"name": one, "description": "A key.", "type": "String"} for one in held]},
            }
            for name, held in names.items()
        }
        numbers = count(0x130000)
        owners = {f"shop/{name}": dict(zip(held, numbers, strict=False)) for name, held in names.items()}
        text = json.dumps(
            {"schema": "kwitness.header_ids/2", "homes": {"shop": {"owners": owners, "given": {}, "past": []}}}
        )
        self._facts[header_ids_fact(SETTINGS)] = {"data": {"header-ids.json": text}}
        self.asked: set[Fact[Any]] = set()

    def get(self, fact: Fact[Any]) -> Answer[Any] | None:
        return self[fact]

    def __getitem__(self, fact: Fact[Any]) -> Answer[Any]:
        self.asked.add(fact)
        return Answer(self._facts.get(fact), self.now_ms)


def profile(*names: str) -> InterceptorProfile:
    return InterceptorProfile.model_validate(
        {
            "metadata": {"name": "orders", "namespace": "shop"},
            "spec": {
                "clusterRef": {"name": "main"},
                "selector": {"matchLabels": {"app": "orders"}},
                "interceptors": [{"name": "headers", "type": "Headers"}],
                "headerRegistries": [{"name": one} for one in names],
            },
        }
    )


def test_registers_that_find_no_room_are_left_out_and_named():
    view = Registers(a=256, b=256, c=256, d=256, e=3)
    combined = registries_of(profile("a", "b", "c", "d", "e"), view)
    assert combined.too_large == (Key("shop", "d"),)
    assert {key.name[0] for key in combined.rules.keys} == {"a", "b", "c", "e"}
    assert len(combined.rules.model_dump_json()) < 132_000


def test_the_same_registers_in_another_order_leave_out_others():
    combined = registries_of(profile("d", "b", "c", "a"), Registers(a=256, b=256, c=256, d=256))
    assert combined.too_large == (Key("shop", "a"),)


def test_two_thousand_keys_with_numbers_find_room():
    names = [f"r{number}" for number in range(8)]
    combined = registries_of(profile(*names), Registers(letters=14, **dict.fromkeys(names, 250)))
    assert combined.too_large == ()
    assert len({key.id for key in combined.rules.keys}) == 2_000


def test_what_is_read_was_asked_for():
    resource = profile("a", "missing")
    view = Registers(a=1)
    combined = registries_of(resource, view)
    assert list(combined.missing) == [Key("shop", "missing")]
    assert view.asked <= {need.fact for need in header_needs(resource, view)}


def test_a_profile_without_registers_needs_none():
    assert header_needs(profile(), Registers()) == set()
