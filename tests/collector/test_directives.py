"""What the operator has observers told: with the next answer, until they run the settings that say so themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kwitness.collector.inventory.directives import DirectiveTable
from kwitness.collector.sharding import owner_of
from kwitness.contracts.envelopes import ResourceDirectives

from tests.collector.collector_process import (
    GATEWAY,
    GATEWAY_SOURCE,
    INTERCEPTOR,
    PLUGIN,
    READER,
    REPLICA,
    SIDECAR,
    CollectorProcess,
)
from tests.collector.event_samples import of_sidecar, request
from tests.collector.interceptor_samples import interceptors_request
from tests.collector.replica_pair import port_pair

Start = Callable[..., CollectorProcess]
PATH = "/v1/observers/shop/front/directives"
SUSPENDED = {"settings": "new", "suspend": True}


def told(collector: CollectorProcess, settings: str = "old", *, suspended: bool = False) -> Any:
    """What an observer that runs these settings is answered."""
    return collector.observe(request(state={"settings": settings, "suspended": suspended})).body["directives"]


def test_an_observer_is_told_until_its_own_settings_say_so(start: Start) -> None:
    collector = start()
    assert told(collector) == {}

    assert collector.direct(PATH, SUSPENDED).status == 200

    assert told(collector) == SUSPENDED
    assert told(collector, suspended=True) == SUSPENDED
    assert told(collector, "new", suspended=True) == {}


def test_who_is_told_the_opposite_before_its_settings_came_is_told_of_the_settings_it_has(start: Start) -> None:
    collector = start()
    collector.direct(PATH, SUSPENDED)
    told(collector)

    collector.direct(PATH, {"settings": "old", "suspend": False})

    assert told(collector, "old", suspended=True) == {"settings": "old", "suspend": False}
    assert told(collector, "old") == {}


def test_observers_of_another_resource_are_told_nothing(start: Start) -> None:
    collector = start()

    collector.direct("/v1/observers/shop/back/directives", SUSPENDED)
    collector.direct("/v1/observers/stranger/front/directives", SUSPENDED)

    assert told(collector) == {}


@pytest.mark.parametrize(
    ("others", "answered"), [([], {}), (["back"], {}), (["back", "stranger"], SUSPENDED), (["*"], SUSPENDED)]
)
def test_an_observer_of_another_namespace_gets_directives_only_where_the_resource_may_act(
    start: Start, others: list[str], answered: Any
) -> None:
    collector = start(ingest={"other_namespaces": {"from_namespaces": ["shop"], "to_namespaces": ["*"]}})
    collector.direct(PATH, {**SUSPENDED, "other_namespaces": others})
    body = request(**{**of_sidecar(), "observer": {"namespace": "shop", "name": "front", "mode": "sidecar"}})

    assert collector.observe(body, token=SIDECAR).body["directives"] == answered
    assert told(collector) == SUSPENDED


@pytest.mark.parametrize(("others", "answered"), [([], {}), (["shop"], SUSPENDED), (["*"], SUSPENDED)])
def test_interceptors_of_another_namespace_get_directives_only_where_the_profile_may_act(
    start: Start, others: list[str], answered: Any
) -> None:
    collector = start(ingest={"other_namespaces": {"from_namespaces": ["platform"], "to_namespaces": ["*"]}})
    collector.direct("/v1/interceptors/platform/front/directives", {**SUSPENDED, "other_namespaces": others})
    body = interceptors_request(profile={"namespace": "platform", "name": "front"})

    assert collector.observe(body, token=INTERCEPTOR).body["directives"] == answered


@pytest.mark.parametrize("token", [None, "unknown", READER, PLUGIN, GATEWAY, REPLICA])
def test_none_but_the_operator_may_tell_them(start: Start, token: str | None) -> None:
    collector = start()

    assert collector.direct(PATH, SUSPENDED, token=token).status in {401, 403}

    assert told(collector) == {}


def test_a_body_that_is_no_directive_is_refused_with_its_field(start: Start) -> None:
    collector = start()

    refused = collector.direct(PATH, {"settings": "new", "suspend": "soon"})

    assert (refused.status, refused.body["error"]["reason"]) == (400, "MalformedBody")
    assert "suspend" in refused.body["error"]["message"]
    assert told(collector) == {}


def test_whichever_replica_is_told_the_owner_knows(start: Start) -> None:
    tens = port_pair()
    peers = f"http://127.0.0.1:{tens}{{ordinal}}"
    pair = [start(ordinal=number, port=tens * 10 + number, config={"replicas": 2}, peers=peers) for number in range(2)]
    owner = pair[owner_of(GATEWAY_SOURCE, 2)]
    other = pair[1 - pair.index(owner)]

    assert other.direct(PATH, SUSPENDED).status == 200
    assert told(owner) == SUSPENDED

    owner.kill()
    assert other.direct(PATH, SUSPENDED).status == 503


def test_the_table_keeps_the_newest() -> None:
    table = DirectiveTable(most=2)
    for name in ("a", "b", "a", "c"):
        table.put("shop", name, ResourceDirectives(settings="new", suspend=True))

    def known(name: str) -> bool:
        return table.for_pod("shop", "shop", name, settings="old", suspended=False).suspend is not None

    assert [known(name) for name in "abc"] == [True, False, True]
