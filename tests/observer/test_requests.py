"""Requests and answers of a real client, one by one: in order, in pairs, and with what brokers have in their logs."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient

from kwitness.contracts.observer_settings import settings_hash
from kwitness.contracts.records import RequestEvent

from tests.eventually import eventually
from tests.observer.counted import end_offsets
from tests.observer.librdkafka import (
    RECORDS,
    brokers_of_partitions,
    consume_by_librdkafka,
    leaders,
    produce_by_librdkafka,
)
from tests.observer.stand import Stand

pytestmark = pytest.mark.broker

TOPIC = "requested"


@pytest.fixture(scope="module")
def told(stand: Stand) -> Iterator[Stand]:
    """The stand while requests are reported, with the fields of Produce and Fetch."""
    before = stand.observer.settings["report"]
    stand.create(TOPIC)
    stand.observer.set("report", {**before, "requests": {"apis": ["Produce", "Fetch"], "events_per_second": 10_000}})
    wanted = settings_hash(json.dumps(stand.observer.settings))
    eventually(lambda: wanted in stand.observer.metrics_page(), every=0.1)
    produce_by_librdkafka(stand.bootstrap, TOPIC)
    consume_by_librdkafka(stand.bootstrap, TOPIC, RECORDS)
    eventually(lambda: sums(stand, "response", "Fetch")["records"], lambda records: records >= RECORDS)
    yield stand
    stand.observer.set("report", before)


def rows(stand: Stand) -> list[dict[str, Any]]:
    return [row for row in list(stand.server.rows) if row["schema"] == "kwitness.requests/1"]


def sums(stand: Stand, kind: str, api: str) -> dict[str, int]:
    """Records and bytes of the topic in all rows of one kind and API."""
    found = [row for row in rows(stand) if (row["kind"], row["api"]) == (kind, api)]
    parts = [part for row in found for part in row.get("partitions", ()) if part["topic"] == TOPIC]
    return {name: sum(part[name] for part in parts) for name in ("records", "bytes")}


def test_records_of_a_topic_in_all_rows_are_as_many_as_brokers_have(told: Stand) -> None:
    assert end_offsets(told, TOPIC) == RECORDS
    assert sums(told, "request", "Produce")["records"] == RECORDS
    assert sums(told, "response", "Fetch") == sums(told, "request", "Produce")


def test_the_rows_of_a_connection_are_in_order_and_each_answer_follows_its_request(told: Stand) -> None:
    by_connection = defaultdict(list)
    for row in rows(told):
        by_connection[row["connection_id"]].append(RequestEvent.model_validate(row))

    assert by_connection
    for events in by_connection.values():
        first = events[0].connection_seq
        assert [event.connection_seq for event in events] == [*range(first, first + len(events))]
        waiting = []
        for event in events:
            if event.kind == "request":
                waiting.append((event.api, event.api_version, event.correlation_id))
            else:
                assert waiting.pop(0) == (event.api, event.api_version, event.correlation_id)
                assert event.response_time_us is not None


def test_bytes_by_topic_can_be_summed_from_fields_as_the_proposal_does_it(told: Stand) -> None:
    produced: dict[str, int] = defaultdict(int)
    fetched: dict[str, int] = defaultdict(int)
    for row in rows(told):
        if (row["kind"], row["api"]) == ("request", "Produce"):
            for topic in row["fields"]["TopicData"]:
                for partition in topic["PartitionData"]:
                    produced[topic["Name"]] += partition["Records"]["bytes"]
        if (row["kind"], row["api"]) == ("response", "Fetch"):
            for topic in row["fields"]["Responses"]:
                for partition in topic["Partitions"]:
                    fetched[topic["Topic"]] += partition["Records"]["bytes"] if partition["Records"] else 0

    assert produced[TOPIC] == fetched[TOPIC] == sums(told, "request", "Produce")["bytes"]


def test_nothing_of_a_record_or_of_another_api_is_in_a_row(told: Stand) -> None:
    assert not [row for row in rows(told) if "value 1" in str(row)]
    assert {row["api"] for row in rows(told) if "fields" in row} == {"Produce", "Fetch"}
    assert {"Metadata", "FindCoordinator"} <= {row["api"] for row in rows(told)}


def test_rows_have_the_broker_of_the_port_that_a_connection_came_to(told: Stand) -> None:
    admin = AdminClient({"bootstrap.servers": told.cluster.bootstrap})
    expected = leaders(admin.list_topics(TOPIC, timeout=30), TOPIC)

    assert brokers_of_partitions(told.rows(kind="partition", topic=TOPIC)) == expected
    opened = [row for row in told.rows(kind="opened") if row.get("client_software_name")]
    assert {row.get("broker_id") for row in opened} >= {None, *(node for _, node in expected)}
