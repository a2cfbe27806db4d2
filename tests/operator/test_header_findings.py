"""What collectors say of headers becomes what a register's owner wants to know."""

from __future__ import annotations

from typing import Any

from kwitness.contracts.envelopes import ClusterState, HeaderFinding
from kwitness.operator.model.header_findings import RegisterFindings, findings_of

NOW = 1_760_000_000_000
POD = {"k8s_namespace": "shop", "k8s_workload": "orders", "k8s_pod": "orders-1", "seen_by": "java"}


def finding(key: str | None = "tenant", problem: str = "wrong_type", headers: int = 1, **more: Any) -> HeaderFinding:
    told = {"side": "producer", "topic": "orders", **POD, "first_seen_ms": NOW, "last_seen_ms": NOW, **more}
    return HeaderFinding.model_validate({"key": key, "problem": problem, "headers": headers, **told})


def states(*findings: HeaderFinding) -> list[ClusterState]:
    """Each in a cluster of its own."""
    return [ClusterState(cluster_id=f"c{number}", headers=(one,)) for number, one in enumerate(findings)]


def test_findings_of_a_key_are_one_line_with_the_client_that_sends_the_most() -> None:
    found = findings_of(
        states(
            finding(headers=2),
            finding(headers=3, k8s_pod="orders-2", topic="payments", last_seen_ms=NOW + 5),
            finding(headers=1, topic="returns"),
            finding(headers=9, problem="missing", k8s_pod=None, k8s_namespace=None, client_id="billing"),
        ),
        {"tenant"}.__contains__,
    )

    assert [(one.problem, one.headers, one.clients, one.example, one.topic) for one in found.keys] == [
        ("missing", 9, 1, "billing", "orders"),
        ("wrong_type", 6, 2, "shop/orders-1", "orders"),
    ]
    assert [one.last_seen_ms for one in found.keys] == [NOW, NOW + 5]


def test_what_is_wrong_with_others_keys_is_theirs_and_keys_of_nobody_are_counted_once_each() -> None:
    found = findings_of(
        states(
            finding("others"),
            finding("debug", "unregistered"),
            finding("debug", "unregistered", k8s_pod="orders-2"),
            finding("extra", "unregistered"),
        ),
        {"tenant"}.__contains__,
    )

    assert found == RegisterFindings(unregistered_seen=2)


def test_keys_that_were_too_many_have_no_line() -> None:
    assert findings_of(states(finding(None), finding(None, "unregistered")), lambda _: True) == RegisterFindings()


def test_beyond_twenty_lines_the_worst_are_shown_and_the_others_counted() -> None:
    found = findings_of(states(*(finding(f"key-{number:02}", headers=number) for number in range(25))), lambda _: True)

    assert (len(found.keys), found.left_out) == (20, 5)
    assert (found.keys[0].key, found.keys[-1].key) == ("key-24", "key-05")


def test_without_collectors_nothing_is_known() -> None:
    assert findings_of((), lambda _: True) == RegisterFindings()
