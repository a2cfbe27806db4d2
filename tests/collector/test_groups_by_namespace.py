"""Checks groups of observers' windows by namespace of their pods, and how far and when their commits went back."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from kwitness.collector.inventory.recent_rewinds import KEPT_MS, MAX_REWINDS, RecentRewinds
from kwitness.collector.inventory.recent_windows import RecentWindows
from kwitness.collector.inventory.window_tables import GROUP_TABLE
from kwitness.contracts.envelopes import EventsHead, WindowTotals
from kwitness.contracts.reader_rights import ReaderScope

from tests.collector.collector_process import GATEWAY_SOURCE
from tests.collector.event_samples import head
from tests.collector.window_samples import LENGTH_MS, NOW, ask, behind, of_namespace, window

OF_SHOP = ReaderScope(namespaces=("shop",))
FIELDS = "group_id,topic,committed_lag,went_back_records,went_back_ms,k8s_namespace"


class Observed(NamedTuple):
    """Windows and rewinds that a replica keeps of the same observers."""

    windows: RecentWindows
    rewinds: RecentRewinds

    def add(self, totals: dict[str, Any], *, now_ms: int = NOW, source: str = GATEWAY_SOURCE, **more: Any) -> None:
        sender = EventsHead.model_validate(head(source=source, **more))
        read = WindowTotals.model_validate(totals)
        self.windows.add(sender, read, now_ms)
        self.rewinds.add(sender, read, now_ms)

    def items(self, **more: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = ask(self.windows, GROUP_TABLE, rewinds=self.rewinds, **more)["items"]
        return found


@pytest.fixture
def observed() -> Observed:
    return Observed(RecentWindows(), RecentRewinds())


def back(group_id: str, records: int, **more: Any) -> dict[str, Any]:
    return {"group_id": group_id, "topic": "orders", "commits": 1, "most_records": records, **more}


def both(lag: int, records: int) -> dict[str, Any]:
    """Return a window in which the group `g` is behind and went back."""
    return window(1, NOW, groups=[behind("g", lag)], commits_back=[back("g", records)])


def test_a_group_has_an_item_for_each_namespace_where_the_question_names_the_field(observed: Observed) -> None:
    observed.add(both(3, 30), **of_namespace("shop"))
    observed.add(both(9, 90), **of_namespace("bank"))
    observed.add(both(5, 50))

    [merged] = observed.items()
    apart = observed.items(fields=FIELDS)

    assert (merged["committed_lag"], merged["went_back_records"], merged["went_back_ms"]) == (9, 90, NOW)
    assert "k8s_namespace" not in merged
    rows = [(item.get("k8s_namespace"), item["committed_lag"], item["went_back_records"]) for item in apart]
    assert rows == [(None, 5, 50), ("bank", 9, 90), ("shop", 3, 30)]


def test_pages_by_namespace_have_each_item_once(observed: Observed) -> None:
    for namespace in ("a", "b", "c"):
        observed.add(both(1, 1), **of_namespace(namespace))
    page = ask(observed.windows, GROUP_TABLE, fields=FIELDS, limit="2")
    rest = ask(observed.windows, GROUP_TABLE, fields=FIELDS, limit="2", **{"continue": page["continue"]})

    assert (page["matched"], [item["k8s_namespace"] for item in page["items"]]) == (3, ["a", "b"])
    assert [item["k8s_namespace"] for item in rest["items"]] == ["c"]
    by_lag = ask(observed.windows, GROUP_TABLE, fields=FIELDS, order="-committed_lag", limit="1")
    assert (by_lag["matched"], len(by_lag["items"])) == (3, 1)


def test_a_reader_of_a_namespace_sees_what_its_pods_saw_of_a_group_in_both_answers(observed: Observed) -> None:
    observed.add(both(3, 30), **of_namespace("shop"))
    observed.add(both(9, 90), **of_namespace("bank"))
    observed.add(both(5, 50))
    observed.add(window(2, NOW, groups=[behind("other", 1)], commits_back=[back("other", 1)]), **of_namespace("bank"))

    for more in ({}, {"fields": FIELDS}):
        [item] = observed.items(scope=OF_SHOP, **more)
        assert (item["group_id"], item["committed_lag"], item["went_back_records"]) == ("g", 3, 30)


def test_a_rewind_is_known_for_an_hour_though_its_window_is_gone(observed: Observed) -> None:
    observed.add(both(3, 30))
    later_ms = NOW + KEPT_MS - LENGTH_MS
    observed.add(window(2, later_ms, groups=[behind("g", 4)]), now_ms=later_ms)
    observed.rewinds.expire(later_ms)

    [item] = observed.items(now_ms=later_ms)
    observed.rewinds.expire(NOW + KEPT_MS + LENGTH_MS * 10)
    [after] = observed.items(now_ms=later_ms)

    assert (item["committed_lag"], item["went_back_records"], item["went_back_ms"]) == (4, 30, NOW)
    assert "went_back_ms" not in after
    assert len(observed.rewinds) == 0


def test_the_most_records_and_the_last_time_of_a_group_count(observed: Observed) -> None:
    observed.add(both(3, 30))
    observed.add(window(2, NOW + LENGTH_MS, commits_back=[back("g", 7)]), now_ms=NOW + LENGTH_MS)
    observed.add(window(3, NOW, commits_back=[back("g", 99, topic=None), back("g", 98, topic="paid")]))
    observed.add(window(4, NOW - KEPT_MS, commits_back=[back("g", 97)]))

    [item] = observed.items()

    assert (item["went_back_records"], item["went_back_ms"]) == (30, NOW + LENGTH_MS)


def test_a_clock_that_is_ahead_or_set_keeps_a_rewind_no_longer(observed: Observed) -> None:
    observed.add(window(1, NOW + KEPT_MS, groups=[behind("g", 1)], commits_back=[back("g", 1)]))
    observed.rewinds.clock_was_set(5_000)

    [item] = observed.items()

    assert item["went_back_ms"] == NOW + 5_000


def test_rewinds_keep_their_bound_and_a_namespace_leaves_some_to_others() -> None:
    observed = Observed(RecentWindows(), RecentRewinds())
    for first in range(0, MAX_REWINDS + 1_000, 1_000):
        many = [back(f"group-{number}", 1) for number in range(first, first + 1_000)]
        observed.add(window(1, NOW, commits_back=many), **of_namespace("loud"))
    assert len(observed.rewinds) == MAX_REWINDS // 2

    for namespace in range(12):
        many = [back(f"group-{number}", 1) for number in range(MAX_REWINDS // 10)]
        observed.add(window(1, NOW, commits_back=many), **of_namespace(f"n{namespace}"))

    assert len(observed.rewinds) == MAX_REWINDS
    observed.add(window(1, NOW, commits_back=[back("late", 1)]), **of_namespace("late"))
    assert len(observed.rewinds) == MAX_REWINDS
