"""What is said of clients that were to connect to the observer of their pod."""

from __future__ import annotations

import pytest

from kwitness.contracts.envelopes import InterceptorState
from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.operator.kinds.interceptor_profile.coverage import clients_not_through_observer
from kwitness.operator.kinds.interceptor_profile.verdicts import through_observer


def profile(*, leads: bool) -> InterceptorProfile:
    return InterceptorProfile.model_validate(
        {
            "metadata": {"name": "orders", "namespace": "shop"},
            "spec": {
                "clusterRef": {"name": "main"},
                "selector": {"matchLabels": {"app": "orders"}},
                "interceptors": [{"name": "audit", "type": "Audit"}],
                "throughObserver": leads,
            },
        }
    )


def process(**apart: int) -> InterceptorState:
    return InterceptorState(
        namespace="shop",
        name="orders",
        reporter="1" * 16,
        runtime="python",
        pod="orders-1",
        pod_namespace="shop",
        epoch=1,
        not_through_observer=apart,
        last_heard_ms=1,
    )


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ([], []),
        ([process()], [("True", "ThroughObserver")]),
        ([process(), process(no_observer=2)], [("False", "ClientsNotThroughObserver")]),
    ],
    ids=["nobody reports", "all are led", "some are not"],
)
def test_a_profile_that_leads_clients_says_whether_all_are_led(
    own: list[InterceptorState], said: list[tuple[str, str]]
) -> None:
    verdicts = through_observer(profile(leads=True), own, clients_not_through_observer(own))

    assert [(one.status, one.reason) for one in verdicts] == said


def test_a_profile_that_leads_none_says_nothing_of_it() -> None:
    assert through_observer(profile(leads=False), [process()], {}) == ()
