"""Values that add up to more than a number holds, and unusable state, end neither scrapes nor the process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kwitness.collector.prometheus.exposition import OPENMETRICS
from kwitness.collector.state import snapshot

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import batch, counter_push, gauge_push, histogram_push, push

Start = Callable[..., CollectorProcess]
HUGE = 1.7e308


def test_values_that_add_up_to_infinity_end_no_scrape(start: Start) -> None:
    collector = start()
    pushes = [
        push(index * 10 + number, payload, client=f"instance-{index}")
        for index in range(3)
        for number, payload in enumerate(
            [
                gauge_push("app.level", HUGE),
                gauge_push("app.level", HUGE),
                counter_push(HUGE, "app.count"),
                counter_push(HUGE, "app.count"),
                histogram_push((1, 1, 1), HUGE),
            ],
            start=1,
        )
    ]
    assert collector.push(batch(pushes)).status == 200

    found = collector.scrape()
    assert list(found["app_level"].values()) == [pytest.approx(HUGE)]
    assert list(found["app_count_total"].values()) == [HUGE]
    assert list(found["app_request_duration_seconds_sum"].values()) == [HUGE]
    assert collector.value("kwitness_parser_errors_total", reason="points_invalid_value") == 7
    assert collector.scrape_text(OPENMETRICS).endswith("# EOF\n")


def test_unusable_state_hides_no_other_family_of_the_page_and_defects_are_answered(start: Start) -> None:
    collector = start()
    payloads = [gauge_push("app.level", 1.0), counter_push(1, "app.count"), counter_push(1, "app.other")]
    collector.push(batch(push(seq, payload) for seq, payload in enumerate(payloads, start=1)))
    collector.stop()
    _break_values(Path(collector.config["state_dir"]) / "state.jsonl.gz", {"app.level", "app.count"})
    collector.start()

    found = collector.scrape()
    assert "app_level" not in found
    assert "app_other_total" in found
    assert collector.value("kwitness_render_errors_total", reason="clients") == 1
    assert collector.push(batch([push(4, counter_push(1, "app.count"))])).status == 200
    assert collector.value("kwitness_parser_errors_total", reason="defect") == 1
    assert collector.value("kwitness_ledger_queued_events", hop="prometheus") == 0
    assert collector.value("kwitness_ledger_events_total", hop="prometheus", reason="defect") == 1

    collector.kill()
    collector.start()
    assert collector.value("kwitness_parser_errors_total", reason="defect") == 1
    assert collector.push(batch([push(4, counter_push(1, "app.count"))])).body["duplicates"] == 1


def _break_values(path: Path, metrics: set[str]) -> None:
    sections: dict[str, list[Any]] = {}
    for section, row in snapshot.read(path):
        if row[0] == "slot" and row[1] in metrics:
            row[-3] = "no number"
        sections.setdefault(section, []).append(row)
    snapshot.write(path, sections.items())
