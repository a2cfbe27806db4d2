"""Clients as lines: states, times, shortened ids, and whom a name means."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.answers.failure import CommandFailedError
from kwitness.answers.views.choosing import choose, choose_silent
from kwitness.answers.views.client_rows import CLIENT_HEADINGS, client_cells
from kwitness.answers.views.client_state import state_of
from kwitness.answers.views.elapsed import ago, span
from kwitness.answers.views.instance_ids import shortened
from kwitness.answers.views.silence import REASONS, SILENT_HEADINGS, WHY_HEADINGS, explained, silent_cells
from kwitness.contracts.envelopes import ClientItem, SilenceReason, SilentItem

NOW = 1_700_000_000_000
EFFECTIVE = {"interval_ms": 10_000, "metrics": ["org.apache.kafka.producer."], "subscriptions": ["slow-orders"]}


def client(**changes: Any) -> ClientItem:
    """One that pushes every 10 s and did so 3 s ago."""
    known = {
        "client_id": "orders-7",
        "client_instance_id": "b69cc35a-7a54-4790-aa69-cc2bd4ee4538",
        "client_software_name": "apache-kafka-java",
        "client_software_version": "4.3.1",
        "principal": "User:orders",
        "client_address": "10.0.0.7",
        "first_seen_ms": NOW - 3_600_000,
        "last_push_ms": NOW - 3_000,
        "push_interval_ms": 10_000,
        "metrics": ["a", "b"],
        "effective": EFFECTIVE,
    }
    return ClientItem.model_validate({**known, **changes})


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (-5, "0ms"),
        (250, "250ms"),
        (12_000, "12s"),
        (60_000, "1m"),
        (3_900_000, "1h5m"),
        (3_601_000, "1h"),
        (90_061_000, "1d1h"),
        (86_400_000 * 400, "400d"),
    ],
)
def test_a_span_has_its_two_greatest_units(milliseconds: int, text: str) -> None:
    assert span(milliseconds) == text


def test_a_clock_that_is_behind_makes_nothing_negative() -> None:
    assert ago(NOW + 4_000, NOW) == "now"
    assert ago(NOW - 61_900, NOW) == "1m1s ago"
    assert ago(None, NOW) == "never"


@given(st.sets(st.text(alphabet="abAB01-_", min_size=1, max_size=22), max_size=30))
def test_shortened_ids_stay_apart(ids: set[str]) -> None:
    short = shortened(ids)

    assert set(short) == ids
    assert len(set(short.values())) == len(ids)
    assert all(one.startswith(text) for one, text in short.items())


def test_ids_that_share_a_beginning_are_shown_as_far_as_they_differ() -> None:
    assert shortened(["aaaaaaaaaa-1", "aaaaaaaaaa-2"]) == {
        "aaaaaaaaaa-1": "aaaaaaaaaa-1",
        "aaaaaaaaaa-2": "aaaaaaaaaa-2",
    }
    assert shortened(["b69cc35a-7a54"]) == {"b69cc35a-7a54": "b69cc35a"}


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "Pushing"),
        ({"last_push_ms": NOW - 19_000}, "Pushing"),
        ({"last_push_ms": NOW - 21_000}, "Late"),
        ({"last_push_ms": None}, "Silent"),
        ({"terminated": True}, "Ended"),
        ({"effective": None}, "NotAsked"),
        ({"effective": {**EFFECTIVE, "metrics": []}}, "NotAsked"),
        ({"effective": None, "subscriptions": ["all"]}, "Pushing"),
        ({"malformed": 3, "metrics": []}, "Unreadable"),
        ({"malformed": 3}, "Pushing"),
    ],
)
def test_each_state_is_told(changes: dict[str, Any], state: str) -> None:
    assert state_of(client(**changes), NOW) == state


def test_a_line_has_a_cell_for_each_heading() -> None:
    known = client(
        k8s_namespace="shop", k8s_pod="orders-0", k8s_workload="orders", owner={"team": "Orders", "contact": "#orders"}
    )
    cells = dict(zip(CLIENT_HEADINGS, client_cells(known, "b69cc35a", NOW), strict=True))

    assert cells == {
        "CLIENT ID": "orders-7",
        "INSTANCE": "b69cc35a",
        "SOFTWARE": "apache-kafka-java 4.3.1",
        "PRINCIPAL": "User:orders",
        "ADDRESS": "10.0.0.7",
        "POD": "shop/orders-0",
        "OWNER": "Orders",
        "INTERVAL": "10s",
        "LAST PUSH": "3s ago",
        "METRICS": "2",
        "STATE": "Pushing",
    }


def test_what_an_older_collector_leaves_out_is_not_known() -> None:
    bare = ClientItem.model_validate({"client_instance_id": "x", "first_seen_ms": 1})
    cells = dict(zip(CLIENT_HEADINGS, client_cells(bare, "x", NOW), strict=True))

    assert cells["OWNER"] is cells["INTERVAL"] is cells["POD"] is cells["CLIENT ID"] is cells["SOFTWARE"] is None
    assert cells["LAST PUSH"] == "never"


def silent(reason: SilenceReason, **changes: Any) -> SilentItem:
    known = {
        "client_software_name": "librdkafka",
        "client_software_version": "1.9.2",
        "seen_by": "plugin",
        "detail": "",
    }
    return SilentItem.model_validate({**known, "reason": reason, **changes})


def test_every_reason_is_explained() -> None:
    assert set(REASONS) == set(get_args(SilenceReason))


@pytest.mark.parametrize("reason", REASONS)
def test_each_reason_of_silence_says_what_to_do(reason: SilenceReason) -> None:
    cells = silent_cells(silent(reason), None, why=True)

    assert len(cells) == len(SILENT_HEADINGS + WHY_HEADINGS)
    assert cells[-1] == explained(reason).remedy != ""
    assert len(silent_cells(silent(reason), None, why=False)) == len(SILENT_HEADINGS)


def test_the_collectors_own_sentence_comes_first() -> None:
    cells = silent_cells(silent("TooOld", detail="Ask its owner."), None, why=True)

    assert cells[-2:] == ("TooOld", "Ask its owner.")


CLIENTS = (
    client(),
    client(client_instance_id="b69cc35a-0000-4790-aa69-cc2bd4ee4538"),
    client(client_id="orders-70", client_instance_id="c0ffee00-7a54-4790-aa69-cc2bd4ee4538"),
    client(client_id="prices", client_instance_id="orders-7-is-no-id"),
)


def ids(chosen: Any) -> list[str]:
    return [one.client_instance_id for one in chosen]


def test_a_client_id_means_all_its_instances_and_comes_before_everything_that_begins_so() -> None:
    assert ids(choose(CLIENTS, "orders-7")) == ids(CLIENTS[:2])


def test_an_instance_id_or_its_beginning_means_one() -> None:
    assert ids(choose(CLIENTS, "c0ffee00-7a54-4790-aa69-cc2bd4ee4538")) == ids(CLIENTS[2:3])
    assert ids(choose(CLIENTS, "c0f")) == ids(CLIENTS[2:3])
    assert ids(choose(CLIENTS, "pri")) == ids(CLIENTS[3:])


def test_a_beginning_of_several_clients_names_them() -> None:
    with pytest.raises(CommandFailedError, match="3 clients: orders-7, orders-70, prices; write more"):
        choose(CLIENTS, "or")


def test_nobody_is_chosen_by_what_nobody_is_called() -> None:
    assert choose(CLIENTS, "billing") == []
    assert choose(CLIENTS, "") == []
    assert choose_silent([silent("TooOld")], "old") == []
