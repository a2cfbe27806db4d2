import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.subscriptions.broker_subscription import (
    MATCH_KEYS,
    BrokerSubscription,
    UnreadableSubscriptionError,
    parse,
    to_configs,
)
from kwitness.subscriptions.matching import matches

_WORDS = st.text("abcdefghijklmnopqrstuvwxyz.*_-", min_size=1, max_size=20).filter(lambda word: word != "*")


@given(
    metrics=st.sets(_WORDS, max_size=5),
    interval=st.integers(100, 3_600_000),
    match=st.dictionaries(st.sampled_from(MATCH_KEYS), _WORDS),
)
def test_what_is_written_is_read_back(metrics, interval, match):
    original = BrokerSubscription(
        id="x", metrics=tuple(sorted(metrics)), interval_ms=interval, match=tuple(sorted(match.items()))
    )
    assert parse("x", to_configs(original)) == original


def test_an_absent_key_has_kafkas_default():
    assert parse("x", {}) == BrokerSubscription(id="x", metrics=(), interval_ms=300_000, match=())


def test_a_star_among_prefixes_collapses_to_everything():
    assert parse("x", {"metrics": "a.,*"}).metrics == ("*",)


@pytest.mark.parametrize("configs", [{"interval.ms": "soon"}, {"match": "client_id"}, {"match": "client_id=a=b"}])
def test_a_config_without_kafkas_form_is_named(configs):
    with pytest.raises(UnreadableSubscriptionError, match="somewhere"):
        parse("somewhere", configs)


def test_every_selector_must_match_and_an_absent_attribute_never_does():
    subscription = BrokerSubscription(id="x", match=(("client_id", "a.*"), ("client_software_name", "j")))
    assert matches(subscription, {"client_id": "ab", "client_software_name": "j"}) is True
    assert matches(subscription, {"client_id": "b", "client_software_name": "j"}) is False
    assert matches(subscription, {"client_id": "ab"}) is False


def test_a_foreign_pattern_only_java_can_read_is_left_undecided():
    subscription = BrokerSubscription(id="x", match=(("client_id", "(?!a).*"),))
    assert matches(subscription, {"client_id": "b"}) is None
