"""Shows findings of jobs of a real API server: which are new, of what, and which jobs have computed nothing."""

from __future__ import annotations

import pytest

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.e2e.api_server import ApiServer

from tests.collector.collector_process import CollectorProcess
from tests.console.conftest import over_kubernetes
from tests.console.finding_samples import apply_jobs
from tests.console.fleet_samples import HOSTILE
from tests.console.open_console import OpenConsole, cells, figure


@pytest.fixture
def jobs(api: ApiServer, namespace: str) -> str:
    apply_jobs(api, namespace)
    return namespace


def _of(page: str, namespace: str) -> list[list[str]]:
    return [row for row in cells(page) if f"{namespace}/" in row[3]]


async def _mark_as_seen(console: OpenConsole) -> None:
    address = f"{console.door.address}/findings/seen"
    async with console.browser.post(address, headers={"Origin": console.door.address}) as answer:
        assert answer.status == 200


async def test_findings_are_new_until_they_are_marked_as_seen(
    jobs: str, access: ClusterAccess, fleet: CollectorProcess
) -> None:
    async with over_kubernetes(fleet, access) as console:
        await console.read("traffic", "clients")
        page = await console.get(f"/findings?namespace={jobs}")
        rows = _of(page, jobs)
        assert [row[0] for row in rows] == [
            "orders",
            "checkout",
            HOSTILE.replace("\u202e", "?").replace("\x07", "?"),
            "old",
        ]
        assert [row[1] for row in rows] == ["new Unused", "new Idle", "new Unused", "Unused"]
        assert 'href="/topics/orders"' in page
        assert 'href="/clients/checkout"' in page
        assert "<script>alert" not in page

        await _mark_as_seen(console)
        seen = await console.get(f"/findings?namespace={jobs}")
        assert all("new" not in row[1] for row in _of(seen, jobs))
        assert figure(seen, "new") == "0"
        assert "No finding fits" in await console.get(f"/findings?namespace={jobs}&new=1")


async def test_a_job_that_has_computed_nothing_is_not_one_that_found_nothing(
    jobs: str, access: ClusterAccess, fleet: CollectorProcess
) -> None:
    async with over_kubernetes(fleet, access) as console:
        page = await console.get(f"/findings?namespace={jobs}&search=nothing%20fits%20this")
    counts = {row[0].partition("/")[2]: row[3] for row in cells(page) if row[0].startswith(f"{jobs}/")}
    assert counts == {"unused": "31", "drift": "0", "waiting": "not computed"}


@pytest.mark.parametrize(
    ("query", "subjects"),
    [
        ("type=UnusedTopics&search=CHECKOUT", ["checkout"]),
        ("kind=Idle", ["checkout"]),
        ("job=drift", []),
        ("kind=Unused&order=first_seen_ms", [HOSTILE, "orders", "old"]),
    ],
)
async def test_filters_and_orders(
    jobs: str, access: ClusterAccess, fleet: CollectorProcess, query: str, subjects: list[str]
) -> None:
    async with over_kubernetes(fleet, access) as console:
        page = await console.get(f"/findings?namespace={jobs}&{query}")
    assert [row[0][:4] for row in _of(page, jobs)] == [subject[:4] for subject in subjects]


async def test_without_kubernetes_the_page_has_the_next_step(shared: OpenConsole) -> None:
    assert "There is no Kubernetes here" in await shared.get("/findings")
