"""Adds and ends a subscription in Chromium, and draws its pages in both themes, without findings of axe."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.e2e.api_server import ApiServer

from tests.cli.conftest import cluster
from tests.collector.collector_process import CollectorProcess
from tests.console.conftest import over_kubernetes
from tests.console.drawn import NARROW, WIDE, Drawn, drawn
from tests.console.subscription_samples import KIND, PRODUCER

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]


async def check(shown: Drawn) -> None:
    """Have axe look at a page in both themes, and see that it is as wide as the smallest screen."""
    assert await shown.findings_in_themes() == []
    await shown.page.set_viewport_size(NARROW)
    assert await shown.width() == NARROW["width"]
    await shown.page.set_viewport_size(WIDE)


@pytest.mark.parametrize("has_script", [True, False])
async def test_a_person_adds_and_ends_a_subscription(
    api: ApiServer, access: ClusterAccess, fleet: CollectorProcess, browser: Browser, has_script: bool
) -> None:
    namespace = access.namespace
    api.objects.apply(cluster("orders", namespace))
    async with (
        over_kubernetes(fleet, access) as console,
        drawn(browser, console, **({} if has_script else {"java_script_enabled": False})) as shown,
    ):
        page = shown.page
        await shown.goto("/subscriptions")
        await page.get_by_role("link", name="Add a subscription").click()
        await page.get_by_label("Name", exact=True).fill("slow")
        await page.get_by_label("Namespace").fill(namespace)
        await page.get_by_label("KafkaCluster").fill(f"{namespace}/orders")
        await page.get_by_label("Client ids").fill("orders-7\npay.1")
        await page.get_by_role("button", name="Preview").click()
        await expect(page.get_by_text("name by --metric what clients shall push")).to_be_visible()
        [refusal] = shown.complaints
        assert "422" in refusal
        shown.complaints.clear()
        await page.get_by_label("Prefixes of metrics").fill(PRODUCER)
        if has_script:
            await check(shown)
        await page.get_by_role("button", name="Preview").click()
        await expect(page.get_by_text("The API server accepts it.")).to_be_visible()
        if has_script:
            await check(shown)
        await page.get_by_role("button", name="Apply").dblclick()
        await expect(page).to_have_url(shown.at(f"/subscriptions/{namespace}/slow"))
        found = api.objects.find(KIND, "slow", namespace)
        assert found is not None
        assert found["spec"]["match"] == [{"selector": "clientId", "pattern": r"orders-7|pay\.1"}]

        await page.get_by_role("button", name="End this subscription").click()
        await expect(page.get_by_text("Clients stop with their next push.")).to_be_visible()
        if has_script:
            await check(shown)
        await page.get_by_role("button", name="End it").dblclick()
        await expect(page).to_have_url(shown.at("/subscriptions"))
        assert api.objects.find(KIND, "slow", namespace) is None
