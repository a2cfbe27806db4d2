"""What collectors say of headers becomes what a register's owner wants to know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kwitness.contracts.envelopes import ClusterState, HeaderFinding
from kwitness.operator.model.header_findings import RegisterFindings, findings_of

NOW = 1_760_000_000_000
POD = {"k8s_namespace": "shop", "k8s_workload": "orders", "k8s_pod": "orders-1", "seen_by": "java"}


def finding(key: str | None = "tenant", problem: str = "wrong_type", headers: int = 1, **more: Any) -> HeaderFinding:
    told = {"side": "producer", "topic": "orders", **POD, "first_seen_ms": NOW, "last_seen_ms": NOW, **more}
    return HeaderFinding.model_validate({"key": key, "problem": problem, "headers": headers, **told})


def found(*findings: HeaderFinding, own: Callable[[str], bool] = {"tenant"}.__contains__) -> RegisterFindings:
    """What a register is told of findings, each in a cluster of its own; another one has the key ``others``."""
    states = [ClusterState(cluster_id=f"c{number}", headers=(one,)) for number, one in enumerate(findings)]
    return findings_of(states, "shop", own, {"tenant", "others"}.__contains__)


def test_findings_of_a_key_are_one_line_with_the_first_client_that_has_it() -> None:
    told = found(
        finding(k8s_pod="orders-2", topic="payments"),
        finding(topic="returns"),
        finding(),
        finding(problem="missing", k8s_pod=None, k8s_namespace=None, client_id="billing"),
    )

    assert [(one.problem, one.clients_total, one.example, one.topic) for one in told.keys] == [
        ("Missing", 1, "billing", "orders"),
        ("WrongType", 2, "shop/orders-1", "orders"),
    ]


def test_pods_of_other_namespaces_are_counted_and_not_named() -> None:
    others = finding(k8s_namespace="billing", k8s_pod="invoices-1", topic="invoices")

    (alone,), (beside,) = found(others).keys, found(others, finding()).keys

    assert (alone.clients_total, alone.example, alone.topic) == (1, None, "invoices")
    assert (beside.clients_total, beside.example, beside.topic) == (2, "shop/orders-1", "orders")


def test_how_many_headers_there_were_changes_nothing() -> None:
    before, after = (found(finding(headers=count, last_seen_ms=NOW + count)) for count in (1, 900))

    assert before == after


def test_what_is_wrong_with_others_keys_is_theirs_and_keys_of_nobody_come_after_the_own() -> None:
    told = found(
        finding("others"),
        # Of somebody who judges by another register.
        finding("others", "unregistered"),
        finding("debug", "unregistered"),
        finding("debug", "unregistered", k8s_pod="orders-2"),
        finding("extra", "unregistered"),
        finding(),
    )

    assert [(one.key, one.problem, one.clients_total) for one in told.keys] == [
        ("tenant", "WrongType", 1),
        ("debug", "Unregistered", 2),
        ("extra", "Unregistered", 1),
    ]
    assert told.unregistered_seen == 2


def test_keys_that_were_too_many_have_no_line() -> None:
    assert found(finding(None), finding(None, "unregistered"), own=lambda _: True) == RegisterFindings()


def test_beyond_fifty_lines_findings_are_counted() -> None:
    told = found(*(finding(f"key-{number:02}") for number in range(55)), own=lambda _: True)

    assert (len(told.keys), told.left_out) == (50, 5)
    assert (told.keys[0].key, told.keys[-1].key) == ("key-00", "key-49")


def test_without_collectors_nothing_is_known() -> None:
    assert found() == RegisterFindings()
