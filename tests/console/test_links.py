"""Follows all links and forms of all pages without a script."""

from __future__ import annotations

import pytest

from kwitness.console.pages.preferences import PREFERENCES, Preference

from tests.console.open_console import OpenConsole, links

OUTSIDE = {"https://kafka.apache.org/documentation/#clientsmetrics"}


async def test_every_link_leads_to_a_page(console: OpenConsole) -> None:
    waiting, seen = ["/"], {"/"}
    while waiting:
        page = await console.get(waiting.pop())
        for address in links(page):
            if address in OUTSIDE or address == "/preferences":
                continue
            if address.startswith("#"):
                assert f'id="{address[1:]}"' in page, address
                continue
            assert address.startswith("/"), address
            if address not in seen:
                seen.add(address)
                waiting.append(address)

    assert {"/topics/orders", "/clients/checkout", "/static/console.css"} <= seen


@pytest.mark.parametrize("preference", PREFERENCES, ids=lambda preference: preference.name)
async def test_a_preference_is_a_form_and_stays(console: OpenConsole, preference: Preference) -> None:
    for value in reversed(preference.values):
        page = await _prefer(console, preference.name, value)

        assert f'name="{preference.name}" value="{value}" aria-pressed="true"' in page
        assert f'name="{preference.name}" value="{value}" aria-pressed="true"' in await console.get("/")

    assert f'value="{preference.values[0]}" aria-pressed="true"' in await _prefer(console, preference.name, "unknown")


async def test_preferences_change_colours_and_stop_refreshes_and_keys(console: OpenConsole) -> None:
    assert 'hx-trigger="every 15s"' in await console.get("/")
    assert 'data-theme="dark"' in await _prefer(console, "theme", "dark")
    assert "hx-trigger" not in await _prefer(console, "refresh", "off")
    page = await _prefer(console, "keys", "off")

    assert "<dialog" not in page
    assert "hx-trigger" not in page
    assert 'data-theme="dark"' in page


async def _prefer(console: OpenConsole, name: str, value: str) -> str:
    """Send the form, and return the page that it leads back to."""
    form = {name: value, "back": "/topics?order=-writers"}
    async with console.browser.post(
        f"{console.door.address}/preferences", data=form, headers={"Origin": console.door.address}
    ) as answer:
        assert str(answer.url).endswith("/topics?order=-writers")
        return await answer.text()


async def test_filters_of_a_form_are_in_the_address(console: OpenConsole) -> None:
    page = await console.get("/?owner=orders&seen=pushing&order=-reads")

    assert 'name="owner" value="orders"' in page
    assert '<option value="pushing" selected>' in page
    assert 'type="hidden" name="order" value="-reads"' in page
    assert 'href="/?order=-lag_ms&amp;owner=orders&amp;seen=pushing"' in page
