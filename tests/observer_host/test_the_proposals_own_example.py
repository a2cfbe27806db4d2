"""What KIP-388 shows as an example, written against our interface: bytes by topic, produced and fetched."""

from __future__ import annotations

from collections import Counter

from typing_extensions import override

from kwitness.observer import ApiKey, Observer, Request, Response
from kwitness.observer.testing import replay


class BytesByTopic(Observer):
    """Adds up sizes from the structures alone; what a response answers it knows by the correlation id."""

    def __init__(self) -> None:
        self.produced: Counter[str] = Counter()
        self.fetched: Counter[str] = Counter()
        self._asked: dict[str, str] = {}

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
        self._asked[correlation_id] = api_key.name
        if api_key.name == "Produce":
            for topic in request["TopicData"]:
                self.produced[topic["Name"]] += sum(one["Records"]["bytes"] for one in topic["PartitionData"])

    @override
    def record_response(self, response: Response, api_version: int, correlation_id: str) -> None:
        if self._asked.pop(correlation_id) == "Fetch":
            for topic in response["Responses"]:
                self.fetched[topic["Topic"]] += sum(one["Records"]["bytes"] for one in topic["Partitions"])


def test_bytes_produced_and_fetched_are_added_up_by_topic() -> None:
    observer = replay(BytesByTopic)

    assert observer.produced == {"orders": 131 + 88 + 131 + 210 + 210}
    assert observer.fetched == {"orders": 262 + 298}


def test_each_response_found_its_request() -> None:
    assert replay(BytesByTopic)._asked == {}
