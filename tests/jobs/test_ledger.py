from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kwitness.jobs.frame.ledger import Ledger

BATCHES = st.lists(st.tuples(*[st.integers(0, 50)] * 3, st.booleans()), max_size=8)


@given(BATCHES)
def test_the_ledger_closes_after_any_batches_finished_or_broken_off(batches: list[tuple[int, int, int, bool]]) -> None:
    ledger = Ledger()
    for used, bad, lost, broken_off in batches:
        ledger = ledger.accept(used + bad + lost)
        assert ledger.queued == used + bad + lost
        ledger = ledger.abandon() if broken_off else ledger.settle(used, {"MalformedPayload": bad, "Expired": lost})

    assert ledger.queued == 0
    assert ledger.accepted == ledger.delivered + sum(ledger.dropped.values())
    assert ledger.delivered == sum(used for used, _, _, broken_off in batches if not broken_off)
    assert all(ledger.dropped.values()), "no reason is named that nothing was dropped for"
