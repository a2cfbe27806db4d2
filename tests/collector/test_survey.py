"""Checks that one pass over clients and subscriptions finds for each subscription what a pass for it alone finds."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from kwitness.collector.core import Applied
from kwitness.collector.events import Event
from kwitness.collector.inventory.brokers import Brokers
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.matched import SubscriptionMatcher, match_keys
from kwitness.collector.inventory.subscription_report import merge, part
from kwitness.collector.inventory.survey import survey
from kwitness.subscriptions.broker_subscription import BrokerSubscription
from kwitness.subscriptions.matching import matches, requests_metric

SELECTORS = st.dictionaries(
    st.sampled_from(["client_id", "client_software_name", "client_source_address"]),
    st.sampled_from(["a", "a.*", ".*", "(?<=x)", "10.*"]),
)
SUBSCRIPTIONS = st.lists(
    st.tuples(SELECTORS, st.sampled_from([("m.a",), ("m.",), ("*",), ("x.", "m.b"), ()])), max_size=6
)
CLIENTS = st.lists(
    st.tuples(
        st.dictionaries(
            st.sampled_from(["client_id", "client_software_name", "client_address"]),
            st.sampled_from(["a", "ab", "10."]),
        ),
        st.sets(st.sampled_from(["m.a", "m.b", "n"])),
        st.booleans(),
    ),
    max_size=40,
)


@given(SUBSCRIPTIONS, CLIENTS)
def test_one_pass_over_all_finds_what_a_look_at_each_finds(
    chosen: list[tuple[dict[str, str], tuple[str, ...]]],
    heard: list[tuple[dict[str, str], set[str], bool]],
) -> None:
    subscriptions = tuple(
        BrokerSubscription(id=str(place), metrics=metrics, match=tuple(sorted(match.items())))
        for place, (match, metrics) in enumerate(chosen)
    )
    clients = Clients()
    alive = []
    for number, (identity, names, ended) in enumerate(heard):
        who = {"cluster_id": "c", "client_instance_id": str(number), **identity}
        event = Event("c/1", 1, number, number, who, b"", None, ended)
        clients.record(event, Applied(0, tuple(names), {}, None), number)
        alive += [] if ended else [(number, match_keys(who), names)]

    found = asyncio.run(survey(clients, SubscriptionMatcher(subscriptions), "c"))
    whole = part(found, clients, Brokers(), "c")

    for one in subscriptions:
        fitting = [(number, names) for number, keys, names in alive if matches(one, keys)]
        wanted = [names for _, names in fitting if any(requests_metric(one.metrics, name) for name in names)]
        state = merge(one, [whole])
        assert state.clients.matching == len(fitting)
        assert state.clients.pushing == len(wanted)
        assert [client.client_instance_id for client in state.top_clients] == [
            str(number) for number, _ in reversed(fitting)
        ][:20]
        assert set(state.unsent_prefixes) == {
            prefix
            for prefix in one.metrics
            if not any(requests_metric((prefix,), name) for _, names in fitting for name in names)
        }
    assert whole.pushing_at_all == len(alive)


def test_what_matched_is_looked_at_again_when_client_or_subscriptions_change() -> None:
    clients = Clients()
    who = {"cluster_id": "c", "client_instance_id": "i", "client_id": "a"}
    event = Event("c/1", 1, 1, 1, who, b"")
    clients.record(event, Applied(0, (), {}, None), 1)
    [record] = clients.records()
    matcher = SubscriptionMatcher((BrokerSubscription(id="a", match=(("client_id", "a"),)),))
    first = matcher.mask(record)

    clients.learn(event.client, {"client_id": "b"})
    after_change = matcher.mask(record)
    other = SubscriptionMatcher((BrokerSubscription(id="b", match=(("client_id", "b"),)),))

    assert (first, after_change, other.mask(record), matcher.mask(record)) == (1, 0, 1, 0)
