"""AnalyticsJobs as lines and pages."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.answers.views.job_rows import JOB_HEADINGS, job_cells, job_story, milliseconds_of
from kwitness.contracts.resources.analytics_job import AnalyticsJob

NOW = 1_700_000_000_000
READY = {
    "type": "Ready",
    "status": "True",
    "reason": "Running",
    "message": "The driver runs.",
    "lastTransitionTime": "2023-11-14T22:00:00Z",
}
STATUS = {
    "phase": "Running",
    "lag": {"records": 42, "oldestRecordTime": "2023-11-14T22:12:20Z"},
    "lastRun": {"startTime": "2023-11-14T21:13:20Z", "rows": 1000, "batches": 7, "quarantined": 0},
    "findings": [
        {
            "kind": "Unused",
            "subject": "old-topic",
            "message": "Nobody reads it.",
            "firstSeenTime": "2023-11-13T22:13:20Z",
        }
    ],
    "findingCounts": {"Unused": 3},
    "findingsTotal": 3,
    "tablePath": "/tables/shop/unused/table",
    "dataLoss": [{"topic": "kwitness.traffic", "partition": 1, "firstOffset": 5, "lastOffset": 9}],
    "dataLossTotal": 31,
}


def job(analysis: dict[str, Any] | None = None, *conditions: dict[str, Any], **run: Any) -> AnalyticsJob:
    known = {"table": "unused", "type": "UnusedTopics", **(analysis or {})}
    status = {"conditions": [READY, *conditions], "analyses": [known]}
    return AnalyticsJob.model_validate(
        {
            "metadata": {"name": "unused", "namespace": "shop"},
            "spec": {
                "clusterRef": {"name": "main"},
                "analyses": [
                    {"type": "UnusedTopics", "run": run or {"streaming": {"trigger": "30s"}}, "table": "unused"}
                ],
            },
            "status": None if analysis is None else status,
        }
    )


def said(story: Any) -> str:
    return "\n".join(sentence for section in story for sentence in section.sentences)


def test_a_line_has_phase_lag_last_run_and_findings() -> None:
    cells = dict(zip(JOB_HEADINGS, job_cells(job(STATUS), NOW), strict=True))

    assert cells == {
        "NAMESPACE": "shop",
        "NAME": "unused",
        "TYPE": "UnusedTopics",
        "PHASE": "Running",
        "READY": "True",
        "LAG": "42",
        "LAST RUN": "runs, began 1h ago",
        "FINDINGS": "3",
        "TABLE": "unused",
    }


def test_a_job_without_a_status_has_a_line_and_a_page() -> None:
    cells = dict(zip(JOB_HEADINGS, job_cells(job(), NOW), strict=True))

    assert cells["PHASE"] is cells["LAG"] is cells["LAST RUN"] is cells["FINDINGS"] is None
    assert "The operator has said nothing of it yet." in said(job_story(job(), NOW))


@pytest.mark.parametrize(
    ("run", "text"),
    [
        ({"succeeded": True, "completionTime": "2023-11-14T22:13:00Z"}, "well, 20s ago"),
        ({"succeeded": False, "completionTime": "2023-11-14T22:13:00Z"}, "failed, 20s ago"),
        ({}, "runs"),
    ],
)
def test_how_the_last_run_ended(run: dict[str, Any], text: str) -> None:
    cells = dict(zip(JOB_HEADINGS, job_cells(job({"lastRun": run}), NOW), strict=True))

    assert cells["LAST RUN"] == text


def test_the_page_has_losses_findings_and_where_the_rest_is() -> None:
    text = said(job_story(job(STATUS), NOW))

    assert "streams, a batch every 30s" in text
    assert "42 records are not read yet; the oldest was written 1m ago." in text
    assert "1000 rows read, 7 batches, 0 rows that could not be decoded." in text
    assert "kwitness.traffic/1: offsets 5 to 9." in text
    assert "3 in all: 3 Unused." in text
    assert "Unused old-topic: Nobody reads it. (found first 1d ago)" in text
    assert "2 more are in the table: kwitness tables show /tables/shop/unused/table" in text
    assert "30 more are in the table: kwitness tables show /tables/shop/unused/quarantine/losses" in text


def test_a_condition_that_is_false_is_told_with_its_message() -> None:
    owners = {
        **READY,
        "type": "OwnersKnown",
        "status": "False",
        "reason": "OwnersUnusable",
        "message": "Line 3 is wrong.",
    }
    text = said(job_story(job(STATUS, owners), NOW))

    assert "OwnersKnown is False (OwnersUnusable): Line 3 is wrong." in text
    assert "The driver runs." in text


def test_each_way_to_run_is_told() -> None:
    assert "runs at @daily (UTC)" in said(job_story(job(schedule={"cron": "@daily", "timeZone": "UTC"}), NOW))
    assert "runs once, as run 7" in said(job_story(job(once={"id": "7"}), NOW))


def test_a_time_that_is_none_is_not_known() -> None:
    assert milliseconds_of("2023-11-14T22:13:20Z") == NOW
    assert milliseconds_of("2023-11-14T22:13:20") == NOW
    assert milliseconds_of("yesterday") is None
    assert milliseconds_of(None) is None
