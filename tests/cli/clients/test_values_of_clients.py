"""`metrics`: the values of a client, or why there are none."""

from __future__ import annotations

import json

import pytest

from tests.cli.clients.conftest import INSTANCE, SECOND, answers_with, item
from tests.collector.collector_samples import CREATION_TOTAL, LATENCY_AVG

pytestmark = pytest.mark.slow


def test_values_have_units_and_several_instances_a_block_each(types) -> None:
    done = types("metrics", "orders-7", "--prefix", "producer.node")

    assert done.returncode == 0, done.stderr
    blocks = done.stdout.split("\n\n")
    assert [block.split()[1] for block in blocks] == [INSTANCE, SECOND]
    assert blocks[0].splitlines()[2].split()[:3] == [f'{LATENCY_AVG}{{node_id="1"}}', "0.0125", "s"]
    assert CREATION_TOTAL not in done.stdout


def test_values_as_json_are_those_of_the_collector(types) -> None:
    (one,) = json.loads(types("metrics", INSTANCE, "-o", "json").stdout)["items"]

    assert one["client"]["effective"]["subscriptions"] == ["slow-orders"]
    assert [point["value"] for point in one["metrics"]] == [1, 0.0125]


def test_the_beginning_of_an_instance_id_is_enough_where_it_is_one(types, door) -> None:
    assert types("metrics", "b69").returncode == 0
    answers_with(door, item(), item(client_id="prices", client_instance_id="b69fffff"))
    ambiguous = types("metrics", "b69")

    assert ambiguous.returncode == 1
    assert "b69 is the beginning of 2 clients: orders-7, prices" in ambiguous.stderr


def test_a_client_that_nothing_asks_is_told_with_the_line_to_type(types) -> None:
    line = "kwitness subscriptions add look-at-prices --client-id prices"

    assert f"Nothing asks it for metrics: {line}" in types("metrics", "prices").stdout


def test_a_prefix_that_nothing_begins_with_is_told(types) -> None:
    assert (
        "none of its 2 values is of a metric that begins with nothing."
        in types("metrics", "prices", "--prefix", "nothing.").stderr
    )


def test_a_client_that_cannot_be_read_is_told_with_the_reason(types) -> None:
    done = types("metrics", "broken")

    assert "What it pushes cannot be read: 2 bytes that are no OTLP MetricsData" in done.stdout


def test_a_silent_client_is_told_with_its_reason(types, door) -> None:
    old = {
        "client_id": "old-app",
        "client_software_name": "librdkafka",
        "client_software_version": "1.9.2",
        "seen_by": "observer",
        "reason": "TooOld",
        "detail": "upgrade librdkafka to 2.5.3",
    }
    door.replaced["/v1/silent"] = (200, {"items": [old], "missing": []})
    done = types("metrics", "old-app")
    page = types("why", "old-app", "-o", "json")

    because = "because this version of its library cannot push (TooOld). Upgrade librdkafka to 2.5.3."
    assert done.returncode == 1
    assert f"old-app does not push, {because}" in done.stderr
    (told,) = json.loads(page.stdout)["items"]
    assert told["silent"]["reason"] == "TooOld"
    assert told["sections"]["Who it is"][-1] == "It was seen by an observer."


def test_a_client_that_is_gone_says_where_its_past_is(types) -> None:
    for command in ("metrics", "tail", "why"):
        done = types(command, "yesterday")

        assert done.returncode == 1
        assert "no client yesterday is known" in done.stderr
        assert "AnalyticsJob of type ClientInventory" in done.stderr


def test_a_client_whose_replica_is_away_is_not_said_to_be_gone(types, door) -> None:
    answers_with(door, missing=(1,))
    done = types("metrics", "orders-7")

    assert done.returncode == 1
    assert "replica 1 of the collector did not answer" in done.stderr
    assert "ask again" in done.stderr


def test_an_instance_whose_owner_is_away_is_told_in_the_collectors_words(types, door) -> None:
    error = {"error": {"reason": "Partial", "message": "the replica that may know it is away"}}
    door.replaced[f"/v1/clients/{INSTANCE}/metrics"] = (503, error)
    one, both = types("metrics", INSTANCE), types("metrics", "orders-7")

    assert (one.returncode, both.returncode) == (1, 0)
    assert "the replica that may know it is away" in one.stderr
    assert "the replica that may know it is away" in both.stderr
    assert SECOND in both.stdout
