"""What processes say of clients without interceptors comes into a status, whatever they say."""

from __future__ import annotations

from kwitness.contracts.envelopes import InterceptorState
from kwitness.contracts.resources.interceptor_profile import InterceptorProfileStatus
from kwitness.operator.kinds.interceptor_profile.coverage import clients_without
from kwitness.operator.kinds.interceptor_profile.verdicts import working


def process(**not_intercepted: int) -> InterceptorState:
    return InterceptorState(
        namespace="shop",
        name="orders",
        reporter="1" * 16,
        runtime="python",
        pod="orders-1",
        pod_namespace="shop",
        epoch=1,
        not_intercepted=not_intercepted,
        last_heard_ms=1,
    )


def test_clients_of_all_processes_are_counted_by_reason() -> None:
    own = [process(share_group=1), process(share_group=2, relocated=1)]

    assert clients_without(own) == {"relocated": 1, "share_group": 3}


def test_of_too_many_reasons_those_of_the_most_clients_are_in_the_status_and_its_message() -> None:
    own = [
        process(**{f"reason_{process_number}_{number}": number for number in range(60)}) for process_number in range(99)
    ]

    counted = clients_without(own)

    assert InterceptorProfileStatus(clients_without=counted).clients_without == counted
    assert set(counted.values()) == {59}
    (verdict,) = working(own, counted)
    assert all(f"59 {reason}" in verdict.message for reason in counted)
    assert len(verdict.message) < 2_000
