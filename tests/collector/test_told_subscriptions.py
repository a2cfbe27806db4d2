"""What the operator tells of subscriptions comes before the mounted file, which takes a minute and a half."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kwitness.collector.known_subscriptions import KnownSubscriptions, ToldSubscriptions
from kwitness.contracts.broker_configs import BrokerSubscriptionConfig

from tests.collector.collector_process import (
    GATEWAY,
    GATEWAY_SOURCE,
    PLUGIN,
    READER,
    REPLICA,
    CollectorProcess,
)
from tests.collector.event_samples import request
from tests.collector.replica_pair import port_pair
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
PATH = "/v1/observers/shop/front/subscriptions"


def named(*names: str) -> list[dict[str, Any]]:
    return [{"id": name, "metrics": ["org.apache.kafka."], "interval_ms": 1_000, "match": {}} for name in names]


def body(*names: str) -> dict[str, Any]:
    return {"hash": "of whoever tells", "subscriptions": named(*names)}


def known(collector: CollectorProcess) -> list[str]:
    """What an observer that asks is told, which has the hash that the answer to its heartbeat has."""
    answer = collector.get(PATH, token=GATEWAY).body
    heartbeat = collector.observe(request(state={"telemetry": {"instances": 0}})).body
    assert heartbeat["subscriptions"] == answer["hash"]
    return [one["id"] for one in answer["subscriptions"]]


def until_known(collector: CollectorProcess, name: str) -> None:
    """Wait until observers are told of one subscription; meanwhile the file may be read between their two answers."""
    eventually(lambda: known(collector), lambda now: now == [name], passing=(AssertionError,))


def test_what_was_told_counts_at_once_and_until_the_file_brings_other_news(start: Start) -> None:
    collector = start()
    collector.subscribe(named("first"))
    until_known(collector, "first")

    assert collector.direct(PATH, body("second")).status == 200
    assert known(collector) == ["second"]
    assert [one["id"] for one in collector.get("/v1/subscriptions").body["items"]] == ["second"]

    collector.subscribe(named("third"))
    until_known(collector, "third")


def test_a_collector_that_starts_again_begins_with_the_file(start: Start) -> None:
    collector = start()
    collector.subscribe(named("first"))
    collector.direct(PATH, body("second"))

    collector.kill()
    collector.start()

    assert known(collector) == ["first"]


@pytest.mark.parametrize("token", [None, "unknown", READER, PLUGIN, GATEWAY, REPLICA])
def test_none_but_the_operator_may_tell(start: Start, token: str | None) -> None:
    collector = start()

    assert collector.direct(PATH, body("second"), token=token).status in {401, 403}

    assert known(collector) == []


def test_subscriptions_that_are_none_are_refused_with_the_field(start: Start) -> None:
    collector = start()

    refused = collector.direct(PATH, {"hash": "a", "subscriptions": [{"id": "a", "interval_ms": "soon"}]})

    assert (refused.status, refused.body["error"]["reason"]) == (400, "MalformedBody")
    assert "subscriptions.0" in refused.body["error"]["message"]
    assert known(collector) == []


def test_whichever_replica_is_told_all_know(start: Start) -> None:
    tens = port_pair()
    peers = f"http://127.0.0.1:{tens}{{ordinal}}"
    pair = [start(ordinal=number, port=tens * 10 + number, config={"replicas": 2}, peers=peers) for number in range(2)]

    assert pair[0].direct(PATH, body("second")).status == 200

    told = [[one["id"] for one in each.get(PATH, token=GATEWAY).body["subscriptions"]] for each in pair]
    assert told == [["second"], ["second"]], GATEWAY_SOURCE


class TestAFileThatIsUnderWay:
    """One clock of the test's, and files as the kubelet may bring them."""

    def setup_method(self) -> None:
        self.now = 0.0
        self.told = ToldSubscriptions(lambda: self.now)

    @staticmethod
    def _of(name: str) -> KnownSubscriptions:
        return KnownSubscriptions.of(tuple(BrokerSubscriptionConfig.model_validate(one) for one in named(name)))

    def _newest(self, file: str) -> str:
        (one,) = self.told.newest(self._of(file)).read
        return one.id

    def _tell(self, name: str, file: str) -> None:
        self.told.tell(self._of(name), self._of(file))

    def test_what_was_replaced_by_telling_is_no_news_when_its_file_comes(self) -> None:
        self._tell("b", file="a")
        self._tell("c", file="a")

        assert [self._newest(file) for file in ("a", "b", "c", "b")] == ["c", "c", "c", "c"]

    def test_back_and_forth_ends_where_it_was_told(self) -> None:
        self._tell("b", file="a")
        self._tell("a", file="a")

        assert [self._newest(file) for file in ("a", "b", "a")] == ["a", "a", "a"]

    def test_a_file_that_stays_is_news_once_it_cannot_be_under_way_any_more(self) -> None:
        self._tell("b", file="a")
        self._tell("c", file="b")
        assert self._newest("a") == "c"

        self.now = 181.0

        assert self._newest("a") == "a"
        assert self._newest("c") == "c"

    def test_a_file_that_never_changed_stays_replaced(self) -> None:
        self._tell("b", file="a")

        self.now = 10_000.0

        assert self._newest("a") == "b"
