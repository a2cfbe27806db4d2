"""Bodies of the HTTP API: the examples of the contract are read, hostile ones are refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from kwitness.contracts.envelopes import (
    ClientItem,
    ClientPage,
    ClusterState,
    ConnectionSnapshot,
    GaugeSnapshot,
    PushBatch,
    SubscriptionState,
)

PUSH: dict[str, Any] = {"seq": 1, "received_at_ms": 0, "client_instance_id": "4L6g3nShT-eMCtK--X86sw"}
BATCH: dict[str, Any] = {
    "schema": "kwitness.pushes/1",
    "source": "cluster/1",
    "epoch": 1_760_000_000_000,
    "cluster_id": "cluster",
    "broker_id": "1",
    "pushes": [PUSH],
}


def test_a_batch_is_read_with_unknown_keys_absent() -> None:
    batch = PushBatch.model_validate({**BATCH, "newer": {"key": 1}})

    assert batch.pushes[0].client_id is None
    assert batch.pushes[0].payload == ""


def test_the_identity_of_a_push_is_what_batch_and_push_say() -> None:
    push = {**PUSH, "client_id": "orders", "principal": "User:a", "client_source_port": 1234, "listener": "SSL"}
    batch = PushBatch.model_validate({**BATCH, "pushes": [push]})

    assert batch.pushes[0].identity(batch).known() == {
        "cluster_id": "cluster",
        "broker_id": "1",
        "listener": "SSL",
        "principal": "User:a",
        "client_id": "orders",
        "client_instance_id": PUSH["client_instance_id"],
        "client_source_port": "1234",
    }


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "kwitness.pushes/2"},
        {"source": ""},
        {"epoch": -1},
        {"epoch": 2**63},
        {"cluster_id": None},
        {"cluster_id": "x" * 65},
        {"pushes": None},
        {"pushes": [{**PUSH, "seq": -1}]},
        {"pushes": [{**PUSH, "client_source_port": 65_536}]},
        {"pushes": [{**PUSH, "client_instance_id": ""}]},
        {"pushes": [{**PUSH, "client_id": "x" * 40_000}]},
        {"pushes": ["text"]},
    ],
    ids=repr,
)
def test_a_batch_with_impossible_values_is_refused(change) -> None:
    with pytest.raises(ValidationError):
        PushBatch.model_validate({**BATCH, **change})


def test_a_heartbeat_is_read() -> None:
    snapshot = GaugeSnapshot.model_validate(
        {
            "schema": "kwitness.gauges/1",
            "source": "c/1",
            "epoch": 1,
            "seq": 2,
            "cluster_id": "c",
            "broker_id": "1",
            "sent_at_ms": 3,
            "connections": [
                {
                    "listener": "SSL",
                    "client_software_name": "librdkafka",
                    "client_software_version": "2.16.0",
                    "connections": 4,
                }
            ],
            "asking": ["4L6g3nShT-eMCtK--X86sw"],
            "ledger": {"accepted": 3, "delivered": 1, "queued": 1, "dropped": {"queue_full": 1}},
            "warnings": ["JmxReporterMissing"],
        }
    )

    assert snapshot.ledger.accepted == (
        snapshot.ledger.delivered + snapshot.ledger.queued + sum(snapshot.ledger.dropped.values())
    )


def test_bodies_are_written_with_the_keys_of_the_contract() -> None:
    page = ClientPage(items=(ClientItem(client_id="orders", first_seen_ms=1),), continue_=None)

    written = page.model_dump(by_alias=True, mode="json", exclude_none=True)

    assert written["items"] == [
        {
            "client_id": "orders",
            "ours": False,
            "first_seen_ms": 1,
            "metrics": [],
            "subscriptions": [],
            "known_wrong": [],
            "malformed": 0,
            "terminated": False,
        }
    ]


def test_a_number_that_cannot_be_known_is_absent_not_zero() -> None:
    state = SubscriptionState.model_validate({"id": "kwitness.a.b.c", "clients": {"pushing": 2}})

    assert state.model_dump(exclude_none=True)["clients"] == {"pushing": 2}


def test_a_cluster_without_news_is_empty() -> None:
    assert ClusterState(cluster_id="c").brokers == ()


def test_a_snapshot_names_its_schema() -> None:
    snapshot = ConnectionSnapshot(
        event_source="c/1", event_epoch=1, event_seq=1, cluster_id="c", broker_id="1", sent_at_ms=1
    )

    assert snapshot.model_dump(by_alias=True)["schema"] == "kwitness.connections/1"
