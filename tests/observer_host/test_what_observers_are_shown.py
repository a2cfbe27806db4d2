"""Requests and responses as observers see them: by Kafka's own names, complete, and read only."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from typing_extensions import override

from kwitness.observer import ApiKey, Observer, PartitionData, Request, Response, Struct, UnknownFieldError
from kwitness.observer.calls import Call

from tests.observer_host.event_lines import event

FIELDS: dict[str, Any] = {
    "TransactionalId": None,
    "Acks": -1,
    "TopicData": [
        {
            "Name": "orders",
            "PartitionData": [
                {"Index": 0, "Records": {"bytes": 120, "records": 4}},
                {"Index": 1, "Records": {"bytes": 30, "records": 1}},
            ],
        }
    ],
}


class Notes(Observer):
    """Keeps what it is called with."""

    def __init__(self) -> None:
        self.requests: list[tuple[Any, ...]] = []
        self.responses: list[tuple[Any, ...]] = []

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
        self.requests.append((request, client_address, principal, api_key, api_version, correlation_id))

    @override
    def record_response(self, response: Response, api_version: int, correlation_id: str) -> None:
        self.responses.append((response, api_version, correlation_id))


def request_of(**changes: Any) -> Request:
    notes = Notes()
    Call(event(0, fields=FIELDS, **changes)).make(notes)
    request = notes.requests[0][0]
    assert isinstance(request, Request)
    return request


def test_a_request_comes_with_what_the_proposal_gives() -> None:
    notes = Notes()

    Call(event(0, fields=FIELDS)).make(notes)

    _, *rest, correlation_id = notes.requests[0]
    assert rest == ["10.0.0.7", "User:alice", ApiKey(0, "Produce"), 12]
    assert isinstance(correlation_id, str)


def test_a_response_has_the_correlation_id_of_its_request_and_no_other_connection_has_it() -> None:
    notes = Notes()

    for connection in ("c1", "c2"):
        Call(event(0, connection=connection)).make(notes)
        Call(event(1, connection=connection, kind="response")).make(notes)

    asked = [call[-1] for call in notes.requests]
    assert asked == [call[-1] for call in notes.responses]
    assert len(set(asked)) == 2


def test_what_was_dropped_of_a_client_is_none() -> None:
    notes = Notes()

    Call(event(0, principal=None, client_address=None)).make(notes)

    assert notes.requests[0][1:3] == (None, None)


def test_structures_are_read_by_kafkas_names() -> None:
    request = request_of()

    assert {
        topic["Name"]: sum(one["Records"]["bytes"] for one in topic["PartitionData"]) for topic in request["TopicData"]
    } == {"orders": 150}
    assert request["TransactionalId"] is None
    assert list(request) == ["TransactionalId", "Acks", "TopicData"]
    assert request.get("Timeout") is None


def test_a_name_that_a_structure_does_not_have_is_refused_with_those_it_has() -> None:
    partition = request_of()["TopicData"][0]["PartitionData"][0]

    with pytest.raises(UnknownFieldError) as refused:
        partition["Partition"]

    assert (
        str(refused.value) == "Produce request TopicData PartitionData has no field 'Partition'; it has Index, Records"
    )


def test_an_event_without_fields_says_so() -> None:
    notes = Notes()
    Call(event(0, fields=None, truncated=True)).make(notes)
    request = notes.requests[0][0]

    assert (request.has_fields, request.truncated, len(request)) == (False, True, 0)
    with pytest.raises(UnknownFieldError, match=r"are not in its event, so there is no 'TopicData': ask has_fields"):
        request["TopicData"]


def test_what_was_found_on_the_wire_is_there_beside_the_fields() -> None:
    notes = Notes()
    partitions = [{"topic": "orders", "partition": 3, "bytes": 90, "records": None, "error": 6}]

    Call(event(1, kind="response", partitions=partitions, errors={"6": 1}, response_time_us=1500, size_bytes=77)).make(
        notes
    )

    response = notes.responses[0][0]
    assert response.partitions == (PartitionData("orders", 3, None, 90, 6),)
    assert (dict(response.errors), response.response_time_us, response.size_bytes) == ({"6": 1}, 1500, 77)
    assert (response.topics, response.identity.client_id) == (("orders",), "checkout")


def test_nothing_of_it_can_be_changed() -> None:
    request = request_of()
    response = Notes()
    Call(event(1, kind="response", errors={"6": 1})).make(response)
    nested = request["TopicData"][0]

    with pytest.raises(dataclasses.FrozenInstanceError):
        request.size_bytes = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        nested._fields = {}
    for one in (nested, nested._fields, response.responses[0][0].errors):
        with pytest.raises(TypeError):
            one["Name"] = "other"
    assert isinstance(request["TopicData"], tuple)
    assert isinstance(nested, Struct)


def test_its_text_has_names_and_no_values() -> None:
    assert repr(request_of()["TopicData"][0]) == "<Produce request TopicData: Name, PartitionData>"
