"""`topics`: who writes and reads, as observers count it."""

from __future__ import annotations

import json

import pytest

from kwitness.contracts.envelopes import TrafficPage

from tests.cli.clients.answers import (
    NOT_FOUND,
    TEAM,
    answers_connections,
    answers_traffic,
    listing,
    parameters_of,
    traffic,
)
from tests.cli.clients.conftest import lines

pytestmark = pytest.mark.slow

WRITER = traffic("Produce", "shop", record_bytes_per_s=2_500_000, records_per_s=1_000, topic_owner=TEAM)
READER = traffic("Fetch", "billing", record_bytes_per_s=1_250_000, records_per_s=500, fetch_lag=70, fetch_lag_ms=12_000)
SHARER = traffic("ShareFetch", "mail", record_bytes_per_s=0, fetch_lag=900, fetch_lag_ms=3_000)
COMMIT = traffic("OffsetCommit", "billing")
OTHER = traffic("Produce", "shop", "returns", record_bytes_per_s=10, records_per_s=0.5)
REQUESTS = traffic("Fetch", "billing", None, throttle_ms=4_500, throttled_responses=3)


@pytest.fixture
def counted(door) -> None:
    answers_traffic(door, REQUESTS, WRITER, READER, SHARER, COMMIT, OTHER)


@pytest.mark.usefixtures("counted")
def test_topics_have_a_line_each_those_that_are_written_most_first(types, door) -> None:
    done = types("topics")

    assert (done.returncode, done.stderr) == (0, "")
    assert lines(done)[1:] == [
        ["orders", "1", "2", "2.5M", "1.25M", "1k", "500", "12s", "Orders"],
        ["returns", "1", "0", "10", "0", "0.5", "0", "-", "-"],
    ]
    (question,) = parameters_of(door, "/v1/traffic")
    assert "throttle_ms" not in question["fields"].split(",")
    assert "order" not in question


@pytest.mark.usefixtures("counted")
def test_topics_are_sorted_and_bounded_and_what_is_left_out_is_counted(types) -> None:
    ascending = types("topics", "--sort", "bytes_in_per_s", "--limit", "1")
    unknown_last = json.loads(types("topics", "--sort", "-fetch_lag", "-o", "json").stdout)["items"]

    assert lines(ascending)[1][0] == "returns"
    assert "1 of 2 are not shown: select by other options, or show more by --limit" in ascending.stderr
    assert [(row["topic"], row.get("fetch_lag")) for row in unknown_last] == [("orders", 900), ("returns", None)]


@pytest.mark.usefixtures("counted")
def test_a_topic_shows_its_clients_with_what_throttles_them(types, door) -> None:
    done = types("topics", "orders", "-o", "wide")

    assert (done.returncode, done.stderr) == (0, "")
    software = ["apache-kafka-java", "4.3.1"]
    assert lines(done)[1:] == [
        ["shop", "writes", "Produce", *software, "User:shop", "-", "-", "2.5M", "1k", "-", "-", "-", "orders"],
        ["billing", "reads", "Fetch", *software, "User:billing", "-", "-", "1.25M", "500", "12s", "-", "4s", "orders"],
        ["mail", "reads", "ShareFetch", *software, "User:mail", "-", "-", "0", "-", "3s", "-", "-", "orders"],
        ["billing", "commits", "OffsetCommit", *software, "User:billing", *["-"] * 7, "orders"],
    ]
    first, second = parameters_of(door, "/v1/traffic")
    assert (first["topic"], first["order"], first["limit"]) == ("orders", "-record_bytes_per_s", "100")
    assert (second["order"], "topic" in second) == ("-throttle_ms", False)


@pytest.mark.usefixtures("counted")
def test_a_client_of_a_topic_as_json_has_the_fields_of_the_collector(types) -> None:
    items = json.loads(types("topics", "orders", "-o", "json").stdout)["items"]

    assert items[1] == {**READER.model_dump(mode="json", exclude_none=True), "throttle_ms": 4_500}


@pytest.mark.usefixtures("counted")
def test_filters_reach_the_collector_under_the_names_of_fields(types, door) -> None:
    line = (
        "topics --topic or* --owner Orders --software librd* --software-version 2.5.0 --principal User:a --client-id b "
        "--pod-namespace shop --workload w --topic-owner T --api Fetch"
    )
    assert types(*line.split()).returncode == 0

    (question,) = parameters_of(door, "/v1/traffic")
    assert {name: value for name, value in question.items() if name not in {"fields", "limit"}} == {
        "topic": "or*",
        "owner": "Orders",
        "client_software_name": "librd*",
        "client_software_version": "2.5.0",
        "principal": "User:a",
        "client_id": "b",
        "k8s_namespace": "shop",
        "k8s_workload": "w",
        "topic_owner": "T",
        "api": "Fetch",
    }


def test_topics_of_many_pages_are_added_up(types, door) -> None:
    writers = [traffic("Produce", f"shop-{number:04}", record_bytes_per_s=1) for number in range(1_500)]

    def page(parameters: dict[str, str]):
        start = int(parameters.get("continue", 0))
        end = start + int(parameters["limit"])
        missing = (2,) if start else ()
        token = str(end) if end < len(writers) else None
        found = TrafficPage(items=tuple(writers[start:end]), matched=len(writers), missing=missing, continue_=token)
        return found.model_dump(mode="json", by_alias=True, exclude_none=True)

    door.replaced["/v1/traffic"] = (200, page)
    done = types("topics")

    assert lines(done)[1][:4] == ["orders", "1500", "0", "1.5k"]
    assert "replica 2 of the collector did not answer" in done.stderr
    assert len(parameters_of(door, "/v1/traffic")) == 2


def test_an_answer_names_its_gaps(types, door) -> None:
    left_out = {"no_room": 7, "no_length": 2}
    answers_traffic(door, WRITER, READER, matched=40, missing=(1,), left_out=left_out, missed_at_most=12.5)
    done = types("topics", "orders")
    document = json.loads(types("topics", "orders", "-o", "json").stdout)

    assert "replica 1 of the collector did not answer" in done.stderr
    assert "38 of 40 are not shown" in done.stderr
    assert "what is not shown has at most 12.5 of the sorted field" in done.stderr
    assert "7 counts of observers are in no row: the collector has no memory left for them" in done.stderr
    assert "2 counts of observers are in no row: their observer is of an earlier release" in done.stderr
    assert {name: document[name] for name in ("missing", "matched", "left_out", "missed_at_most")} == {
        "missing": [1],
        "matched": 40,
        "left_out": left_out,
        "missed_at_most": 12.5,
    }


@pytest.mark.parametrize("line", [("topics",), ("topics", "orders"), ("groups",), ("groups", "payments")])
def test_without_an_observer_the_resource_that_brings_one_is_named(types, door, line) -> None:
    answers_traffic(door)
    door.replaced["/v1/groups"] = door.replaced["/v1/traffic"]
    answers_connections(door, observers=())
    done, as_json = types(*line), types(*line, "-o", "json")

    assert (done.returncode, done.stdout) == (0, "")
    assert json.loads(as_json.stdout)["items"] == []
    for answered in (done, as_json):
        assert "no observer reports to this collector" in answered.stderr
        assert "apply an ObserverDeployment" in answered.stderr


def test_observers_that_counted_nothing_are_the_reason(types, door) -> None:
    answers_traffic(door)
    answers_connections(door, observers=(listing(),))

    assert types("topics").stderr.endswith("observers counted nothing in their last three windows\n")
    assert "nothing that fits" in types("topics", "--owner", "Orders").stderr


@pytest.mark.parametrize(("command", "path"), [("topics", "/v1/traffic"), ("groups", "/v1/groups")])
def test_a_collector_of_an_older_release_is_named_with_the_remedy(types, door, command, path) -> None:
    door.replaced[path] = NOT_FOUND
    done = types(command)

    assert (done.returncode, done.stdout) == (1, "")
    assert f"does not know {path}: it is of an older release than this command; upgrade it" in done.stderr


def test_a_parameter_that_the_collector_refuses_is_of_a_newer_release(types, door) -> None:
    door.replaced["/v1/clients"] = (400, {"error": {"reason": "BadParameter", "message": "owner is none of principal"}})
    done = types("clients", "--owner", "Orders")

    assert done.returncode == 1
    assert "owner is none of principal: it is of an older release than this command; upgrade it" in done.stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("topics --sort color", "'color' is not one of topic, writers"),
        ("topics --sort -requests_per_s", "--sort -requests_per_s does not sort topics"),
        ("topics orders --sort writers", "--sort writers does not sort clients of a topic"),
        ("topics orders --topic orders", "orders and --topic select the same"),
        ("topics --limit 0", "Input should be greater than or equal to 1"),
        ("groups --workload w", "No such option: --workload"),
    ],
)
def test_a_wrong_option_is_answered_with_what_there_is(types, door, line, message) -> None:
    done = types(*line.split())

    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert door.asked == []
