"""What KIP-388 shows as an example, written against our interface: bytes by topic, produced and fetched."""

from __future__ import annotations

from collections import Counter
from typing import Any

from typing_extensions import override

from kwitness.observer import ApiKey, Observer, Request, Response
from kwitness.observer.testing import RECORDED, read_events, replay

from tests.observer_host.event_lines import event

ID = "b5Fo0FvTS8Wv2cVd0mJc9A"


class BytesByTopic(Observer):
    """Adds up sizes from the structures alone; what a response answers it knows by the correlation id."""

    def __init__(self) -> None:
        self.produced: Counter[str] = Counter()
        self.fetched: Counter[str] = Counter()
        self.asked: dict[str, str] = {}

    @override
    def record_request(
        self,
        request: Request,
        client_address: str | None,
        principal: str | None,
        api_key: ApiKey,
        api_version: int,
        correlation_id: str,
    ) -> None:
        self.asked[correlation_id] = api_key.name
        if api_key.name == "Produce" and request.has_fields:
            for topic in request["TopicData"]:
                self.produced[named(topic, "Name")] += sum(map(size, topic["PartitionData"]))

    @override
    def record_response(self, response: Response, api_version: int, correlation_id: str) -> None:
        # A connection may be met in its middle.
        if self.asked.pop(correlation_id, None) == "Fetch" and response.has_fields:
            for topic in response["Responses"]:
                self.fetched[named(topic, "Topic")] += sum(map(size, topic["Partitions"]))


def named(topic: Any, field: str) -> str:
    """The topic's name: from version 13 on it stands beside the id, as soon as it is known."""
    return str(topic.get(field) or topic["TopicId"])


def size(partition: Any) -> int:
    """Bytes of its records; a partition may have none."""
    return int(partition["Records"]["bytes"]) if partition["Records"] else 0


def told(kind: str, api: str) -> dict[str, int]:
    """Bytes by topic, as the observer on the wire has summed them up itself."""
    sums: Counter[str] = Counter()
    for one in read_events(RECORDED):
        if (one.kind, one.api) == (kind, api):
            for part in one.partitions:
                sums[part.topic] += part.bytes
    return dict(sums)


def exchange(api_key: int, api: str, asked: dict[str, Any], answered: dict[str, Any]) -> list[Any]:
    """A request in version 13 and its answer."""
    common: dict[str, Any] = {"api_key": api_key, "api": api, "api_version": 13}
    return [event(0, fields=asked, **common), event(1, kind="response", fields=answered, **common)]


def test_bytes_produced_and_fetched_are_added_up_by_topic() -> None:
    observer = replay(BytesByTopic)

    assert observer.produced == told("request", "Produce")
    assert observer.fetched == told("response", "Fetch")
    assert observer.produced.keys() == observer.fetched.keys() == {"orders"}
    assert min(observer.produced.total(), observer.fetched.total()) > 0


def test_a_topic_that_is_fetched_by_its_id_counts_by_its_name_where_that_is_known() -> None:
    partitions = [{"PartitionIndex": 0, "Records": {"bytes": 70, "records": 2}}, {"PartitionIndex": 1, "Records": None}]
    named_beside = {"Responses": [{"TopicId": ID, "Topic": "orders", "Partitions": partitions}]}
    by_id_alone = {"Responses": [{"TopicId": ID, "Partitions": partitions}]}

    assert replay(BytesByTopic, exchange(1, "Fetch", {"Topics": []}, named_beside)).fetched == {"orders": 70}
    assert replay(BytesByTopic, exchange(1, "Fetch", {"Topics": []}, by_id_alone)).fetched == {ID: 70}


def test_a_topic_that_is_produced_to_by_its_id_counts_by_its_name_where_that_is_known() -> None:
    partitions = [{"Index": 0, "Records": {"bytes": 90, "records": 3}}]
    named_beside = {"TopicData": [{"TopicId": ID, "Name": "orders", "PartitionData": partitions}]}
    by_id_alone = {"TopicData": [{"TopicId": ID, "PartitionData": partitions}]}

    assert replay(BytesByTopic, exchange(0, "Produce", named_beside, {"Responses": []})).produced == {"orders": 90}
    assert replay(BytesByTopic, exchange(0, "Produce", by_id_alone, {"Responses": []})).produced == {ID: 90}


def test_each_response_found_its_request() -> None:
    kinds = Counter(one.kind for one in read_events(RECORDED))

    assert len(replay(BytesByTopic).asked) == kinds["request"] - kinds["response"]
