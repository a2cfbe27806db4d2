"""What is said of subscriptions that make clients push more often than one of them says: only what is certain."""

from __future__ import annotations

import pytest

from kwitness.operator.desired.shared_intervals import interval_warnings
from kwitness.subscriptions.broker_subscription import BrokerSubscription

ORDERS = ("client_id", "orders-.*")
JAVA = ("client_software_name", "apache-kafka-java")
ALL_BY_FASTER = "its clients push every 20s, not every 1m, since all of them are asked by faster too"
SOME_BY_FAST = "those of its clients that are matched by fast push as often as every 10s"
WHOLE = ": the shortest interval counts for all that a client is asked for"


def one(name: str, seconds: float, *match: tuple[str, str], metrics: tuple[str, ...] = ("a.",)) -> BrokerSubscription:
    return BrokerSubscription(id=name, metrics=metrics, interval_ms=round(seconds * 1000), match=tuple(sorted(match)))


def said(subscription: BrokerSubscription, *others: BrokerSubscription) -> dict[str, str]:
    found = interval_warnings(subscription, [*others, subscription], {"kwitness.i.team-a.fast": "team-a/fast"})
    return {warning["type"]: warning["message"] for warning in found}


@pytest.mark.parametrize(
    ("others", "message"),
    [
        # The same clients, by the same words or by none.
        (
            [one("fast", 10, ORDERS)],
            "its clients push every 10s, not every 1m, since all of them are asked by fast too",
        ),
        ([one("fast", 10)], "its clients push every 10s, not every 1m, since all of them are asked by fast too"),
        (
            [one("kwitness.i.team-a.fast", 0.5, metrics=())],
            "its clients push every 500ms, not every 1m, since all of them are asked by team-a/fast too",
        ),
        (
            [one("b", 20), one("a", 10, ORDERS)],
            "its clients push every 10s, not every 1m, since all of them are asked by a, b too",
        ),
        # A part of its clients.
        (
            [one("fast", 10, ORDERS, JAVA)],
            SOME_BY_FAST,
        ),
        (
            [one("fast", 10, ORDERS, JAVA), one("faster", 20)],
            f"{ALL_BY_FASTER}; {SOME_BY_FAST}",
        ),
        # A part that makes no difference.
        (
            [one("of-some", 20, ORDERS, JAVA), one("of-all", 10)],
            "its clients push every 10s, not every 1m, since all of them are asked by of-all too",
        ),
        (
            [one(name, 10) for name in "edcba"],
            "its clients push every 10s, not every 1m, since all of them are asked by a, b, c and 2 more too",
        ),
    ],
)
def test_who_asks_the_same_clients_more_often_is_named_with_the_interval_that_counts(others, message):
    assert said(one("slow", 60, ORDERS), *others) == {"IntervalShared": message + WHOLE}


@pytest.mark.parametrize(
    "other",
    [
        one("same", 60, ORDERS),
        one("slower", 120),
        # These may have clients in common with it, and may not.
        one("elsewhere", 10, JAVA),
        one("other-words", 10, ("client_id", "orders-[0-9]+")),
        one("any-word", 10, ("client_id", ".*")),
    ],
)
def test_nothing_is_said_that_is_not_certain(other):
    assert said(one("slow", 60, ORDERS), other) == {}


def test_an_interval_that_brokers_never_use_is_said_and_what_they_use_instead_is_what_counts():
    assert said(one("rare", 3600), one("at-the-default", 300)) == {
        "IntervalTooLong": "clients push every 5m, not every 1h: brokers do not use a longer interval than that"
    }
    assert said(one("at-the-default", 300), one("rare", 3600)) == {}
    assert said(one("rare", 3600), one("fast", 10))["IntervalShared"].startswith("its clients push every 10s")
