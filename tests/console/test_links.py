"""Follows all links and forms of all pages without a script."""

from __future__ import annotations

from kwitness.console.pages.templates import THEMES

from tests.console.open_console import OpenConsole, links

OUTSIDE = {"https://kafka.apache.org/documentation/#clientsmetrics"}


async def test_every_link_leads_to_a_page(console: OpenConsole) -> None:
    waiting, seen = ["/"], {"/"}
    while waiting:
        page = await console.get(waiting.pop())
        for address in links(page):
            if address in OUTSIDE or address == "/theme":
                continue
            if address.startswith("#"):
                assert f'id="{address[1:]}"' in page, address
                continue
            assert address.startswith("/"), address
            if address not in seen:
                seen.add(address)
                waiting.append(address)

    assert {"/topics/orders", "/clients/checkout", "/static/console.css"} <= seen


async def test_the_switch_of_colours_works_as_a_form_and_stays(console: OpenConsole) -> None:
    for theme in THEMES:
        form = {"theme": theme, "back": "/topics?order=-writers"}
        async with console.browser.post(
            f"{console.door.address}/theme", data=form, headers={"Origin": console.door.address}
        ) as answer:
            page = await answer.text()

        assert str(answer.url).endswith("/topics?order=-writers")
        assert f'data-theme="{theme}"' in page
        assert f'data-theme="{theme}"' in await console.get("/")
        assert f'value="{theme}" aria-pressed="true"' in page


async def test_filters_of_a_form_are_in_the_address(console: OpenConsole) -> None:
    page = await console.get("/?owner=orders&seen=pushing&order=-reads")

    assert 'name="owner" value="orders"' in page
    assert '<option value="pushing" selected>' in page
    assert 'type="hidden" name="order" value="-reads"' in page
    assert 'href="/?order=-lag_ms&amp;owner=orders&amp;seen=pushing"' in page
