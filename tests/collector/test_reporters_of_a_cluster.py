"""Reporters of interceptors in the answers of the inventory."""

from __future__ import annotations

from typing import Any

from kwitness.collector.inventory.reporter_report import with_reporters
from kwitness.collector.inventory.reporters import Reporters
from kwitness.collector.inventory.reports import merge_clusters
from kwitness.contracts.envelopes import ClusterState, InterceptorsHead

CLUSTER = "4L6g3nShT-eMCtK--X86sw"


def head(reporter: str = "9f86d081884c7d65", cluster: str = CLUSTER, **state: Any) -> InterceptorsHead:
    return InterceptorsHead.model_validate(
        {
            "source": f"shop/orders-0/{reporter}",
            "epoch": 1,
            "cluster_id": cluster,
            "profile": {"namespace": "team", "name": "orders"},
            "runtime": "python",
            "reporter": reporter,
            "process_id": 7,
            "container": "app",
            "sent_at_ms": 2,
            "state": state,
        }
    )


def part(*heads: InterceptorsHead, now_ms: int = 10) -> ClusterState:
    reporters = Reporters()
    for one in heads:
        reporters.record(one, now_ms)
    return with_reporters(ClusterState(cluster_id=CLUSTER), reporters)


def test_a_reporter_is_shown_with_its_profile_and_the_pod_of_its_token():
    [shown] = part(
        head(
            settings="hash",
            suspended=True,
            clients=[{"side": "producer", "clients": 2}, {"side": "consumer", "clients": 1}],
            not_intercepted={"share_group": 1},
            not_through_observer={"no_observer": 2},
            unusable={"mine": "no module"},
        )
    ).interceptors

    assert shown.model_dump(exclude_none=True) == {
        "namespace": "team",
        "name": "orders",
        "reporter": "9f86d081884c7d65",
        "runtime": "python",
        "pod": "orders-0",
        "pod_namespace": "shop",
        "container": "app",
        "epoch": 1,
        "settings": "hash",
        "suspended": True,
        "clients": 3,
        "not_intercepted": {"share_group": 1},
        "not_through_observer": {"no_observer": 2},
        "lacks_identity_key": False,
        "unusable": {"mine": "no module"},
        "last_heard_ms": 10,
    }


def test_a_reporter_of_another_cluster_is_not_shown():
    assert part(head(cluster="another-cluster-id-000")).interceptors == ()


def test_a_reporter_that_said_its_last_word_is_not_shown():
    assert part(head(), head(ended=True)).interceptors == ()


def test_of_a_reporter_that_moved_to_another_replica_the_newest_word_counts():
    before, after = part(head(suspended=False)), part(head(suspended=True), now_ms=20)

    merged = merge_clusters([after, before, part(head("aaaaaaaaaaaaaaaa"))], ())

    assert [(one.reporter, one.suspended) for one in merged.interceptors] == [
        ("9f86d081884c7d65", True),
        ("aaaaaaaaaaaaaaaa", False),
    ]
