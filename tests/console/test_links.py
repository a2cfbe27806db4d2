"""Follows all links and forms of all pages without a script."""

from __future__ import annotations

import pytest

from kwitness.console.pages.preferences import LONGEST_OWNER, PREFERENCES, Preference

from tests.console.open_console import OpenConsole, cells, links
from tests.soak import SOAKS

ORDER = "order="
"""Begins an order in an address; other orders of rows that are selected already are followed in soak alone."""
OUTSIDE = {"https://kafka.apache.org/documentation/#clientsmetrics"}


@pytest.mark.soak
async def test_every_link_leads_to_a_page(shared: OpenConsole) -> None:
    waiting, seen = ["/"], {"/"}
    while waiting:
        current = waiting.pop()
        page = await shared.get(current)
        for address in links(page):
            if address in OUTSIDE or address == "/preferences":
                continue
            if address.startswith("#"):
                assert f'id="{address[1:]}"' in page, address
                continue
            assert address.startswith("/"), address
            is_followed = SOAKS or not (ORDER in address and "?" in current)
            if is_followed and address not in seen:
                seen.add(address)
                waiting.append(address)

    assert {"/topics/orders", "/clients/checkout", "/static/console.css"} <= seen


@pytest.mark.parametrize("preference", PREFERENCES, ids=lambda preference: preference.name)
async def test_a_preference_is_a_form_and_stays(shared: OpenConsole, preference: Preference) -> None:
    for value in reversed(preference.values):
        page = await _prefer(shared, preference.name, value)

        assert f'name="{preference.name}" value="{value}" aria-pressed="true"' in page
        assert f'name="{preference.name}" value="{value}" aria-pressed="true"' in await shared.get("/")

    assert f'value="{preference.values[0]}" aria-pressed="true"' in await _prefer(shared, preference.name, "unknown")


async def test_preferences_change_colours_and_stop_refreshes_and_keys(shared: OpenConsole) -> None:
    assert 'hx-trigger="every 15s"' in await shared.get("/")
    assert 'data-theme="dark"' in await _prefer(shared, "theme", "dark")
    assert "hx-trigger" not in await _prefer(shared, "refresh", "off")
    page = await _prefer(shared, "keys", "off")

    assert "<dialog" not in page
    assert "hx-trigger" not in page
    assert 'data-theme="dark"' in page


async def test_an_owner_can_be_what_the_fleet_begins_with(shared: OpenConsole) -> None:
    async def led_to(path: str) -> str:
        async with shared.browser.get(f"{shared.door.address}{path}") as answer:
            return answer.url.raw_path_qs

    page = await shared.get("/?owner=orders")
    assert '<button name="own" value="orders">Begin with clients of orders</button>' in page
    assert ">Mine</a>" not in page
    assert 'name="own"' not in await shared.get("/")
    assert 'name="own"' not in await shared.get("/?owner=nobody"), "no client is its"
    await _prefer(shared, "own", "orders")

    assert await led_to("/") == "/?owner=orders"
    page = await shared.get("/")
    assert [row[0].split()[0] for row in cells(page)] == ["User:checkout"]
    assert '<a href="/?owner=orders" aria-current="true">Mine</a>' in page
    assert {"/?whose=all", "/?order=-clients&owner=orders"} <= {*links(page)}
    page = await shared.get("/?whose=all")
    assert len(cells(page)) == 6
    assert '<a href="/?whose=all" aria-current="true">All</a>' in page
    assert {"/?owner=orders", "/?order=-clients&whose=all"} <= {*links(page)}

    # What an address selects is the same for all.
    assert await led_to("/?search=ledger") == "/?search=ledger"
    page = await shared.get("/?search=ledger")
    assert [row[0].split()[0] for row in cells(page)] == ["User:ledger"]
    assert '<a class="clear" href="/?whose=all">Clear</a>' in page
    await _prefer(shared, "own", "x" * (LONGEST_OWNER + 1))
    assert await led_to("/") == "/?owner=orders"
    await _prefer(shared, "own", 'a;b="\u00fc"\r\n')
    assert await led_to("/") == "/?owner=a%3Bb%3D%22%C3%BC%22%0D%0A"
    assert "Nothing fits these filters" in await shared.get("/")
    await _prefer(shared, "own", "")
    assert await led_to("/") == "/"


async def _prefer(console: OpenConsole, name: str, value: str) -> str:
    """Send the form, and return the page that it leads back to."""
    form = {name: value, "back": "/topics?order=-writers"}
    async with console.browser.post(
        f"{console.door.address}/preferences", data=form, headers={"Origin": console.door.address}
    ) as answer:
        assert str(answer.url).endswith("/topics?order=-writers")
        return await answer.text()


async def test_filters_of_a_form_are_in_the_address(shared: OpenConsole) -> None:
    page = await shared.get("/?owner=orders&seen=pushing&order=-reads")

    assert 'name="owner" value="orders"' in page
    assert '<option value="pushing" selected>' in page
    assert 'type="hidden" name="order" value="-reads"' in page
    assert 'href="/?order=-lag_ms&amp;owner=orders&amp;seen=pushing"' in page
