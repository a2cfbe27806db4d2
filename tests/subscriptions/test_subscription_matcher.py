"""Many subscriptions against one client at once say what each says alone; what overlaps is taken together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.subscriptions.broker_subscription import MATCH_KEYS, BrokerSubscription
from kwitness.subscriptions.matcher import Matcher
from kwitness.subscriptions.matching import Effective, effective, matches

PATTERNS = st.sampled_from(
    ["a", "a.*", ".*", "b|ab?", "[ab]+", "(a|b)", "", "(?<=a)b", "a(?=b)", r"\d+", "a\\x2C", "ü", ".", "a{2}"]
)
VALUES = st.sampled_from(["a", "b", "ab", "aa", "", "7", "a,", "ü", "\n", "a\nb"])
KEYS = st.sampled_from(MATCH_KEYS[:3])


def subscription(name: str, **match: str) -> BrokerSubscription:
    return BrokerSubscription(id=name, match=tuple(sorted(match.items())))


@given(
    st.lists(st.dictionaries(KEYS, PATTERNS, max_size=3), max_size=8),
    st.lists(st.dictionaries(KEYS, VALUES, max_size=3), max_size=4),
)
def test_all_at_once_say_what_each_says_alone(match: list[dict[str, str]], clients: list[dict[str, str]]) -> None:
    subscriptions = tuple(subscription(str(place), **one) for place, one in enumerate(match))
    matcher = Matcher(subscriptions)

    for client in clients:
        found = matcher.matches(client)

        verdicts = [matches(one, client) for one in subscriptions]
        assert [bool(found.certain >> place & 1) for place in range(len(match))] == [one is True for one in verdicts]
        assert [bool(found.possible >> place & 1) for place in range(len(match))] == [one is None for one in verdicts]


def test_more_values_than_are_remembered_are_still_answered() -> None:
    matcher = Matcher((subscription("even", client_id=".*[02468]"), subscription("all")))

    found = [matcher.matches({"client_id": str(number)}).certain for number in range(20_000)]

    assert found == [0b10 | (number % 2 == 0) for number in range(20_000)]


@pytest.mark.parametrize(
    ("subscriptions", "asked"),
    [
        ((), None),
        (((("a.", "b."), 60_000),), Effective(60_000, ("a.", "b."))),
        (((("b.",), 60_000), (("a.", "b."), 10_000)), Effective(10_000, ("a.", "b."))),
        (((("b.",), 60_000), (("*",), 90_000)), Effective(60_000, ("*",))),
        # A broker begins with five minutes: who asks for less often is asked nonetheless.
        (((("a.",), 3_600_000),), Effective(300_000, ("a.",))),
        ((((), 10_000),), Effective(10_000, ())),
    ],
)
def test_what_a_client_is_asked_for(
    subscriptions: tuple[tuple[tuple[str, ...], int], ...], asked: Effective | None
) -> None:
    matching = [
        BrokerSubscription(id=str(place), metrics=metrics, interval_ms=interval)
        for place, (metrics, interval) in enumerate(subscriptions)
    ]

    assert effective(matching) == asked
