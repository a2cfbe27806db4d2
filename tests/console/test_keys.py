"""Types keys on pages in Chromium: each does what a link, a field or a button does."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Page, expect

from tests.console.drawn import drawn
from tests.console.open_console import OpenConsole

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]


async def focused(page: Page) -> str:
    return await page.evaluate("document.activeElement.textContent.trim()")


async def type_keys(page: Page, keys: str) -> None:
    for key in keys:
        await page.keyboard.press(key)


async def test_keys_go_to_pages(browser: Browser, drawn_console: OpenConsole) -> None:
    async with drawn(browser, drawn_console) as shown:
        await shown.goto("/clients/checkout")
        for keys, path in {"gt": "/topics", "gc": "/?by=client", "gf": "/"}.items():
            await type_keys(shown.page, keys)
            await expect(shown.page).to_have_url(shown.at(path))


async def test_keys_choose_and_open_rows_also_after_they_were_read_again(
    browser: Browser, drawn_console: OpenConsole
) -> None:
    async with drawn(browser, drawn_console, is_new=True) as shown:
        page = shown.page
        await page.clock.install()
        await shown.goto("/?order=application")
        names = await page.locator("#live tbody th a").all_inner_texts()
        for keys, place in {"j": 0, "jj": 2, "k": 1, "kkk": 0}.items():
            await type_keys(page, keys)
            assert await focused(page) == names[place]
        async with page.expect_response("**/?order=application"):
            await page.clock.fast_forward(15_000)
        await page.wait_for_function(f"document.activeElement.textContent === {names[0]!r}")
        await type_keys(page, "j")
        assert await focused(page) == names[1]
        link = await page.evaluate("document.activeElement.href")

        await page.keyboard.press("Enter")

        await expect(page).to_have_url(link)


async def test_a_key_searches_and_letters_in_fields_are_text(browser: Browser, drawn_console: OpenConsole) -> None:
    async with drawn(browser, drawn_console) as shown:
        await shown.goto("/")
        await type_keys(shown.page, "/gt?j")

        assert await shown.page.get_by_label("Search").input_value() == "gt?j"
        assert not await shown.page.get_by_role("dialog").is_visible()
        await shown.page.keyboard.press("Escape")
        await shown.page.get_by_label("Search").evaluate("field => field.blur()")
        await shown.page.keyboard.press("Control+j")
        assert await shown.page.evaluate("document.activeElement === document.body")
        await expect(shown.page).to_have_url(shown.at("/"))


async def test_a_key_and_a_button_copy_lines(browser: Browser, drawn_console: OpenConsole) -> None:
    async with drawn(browser, drawn_console) as shown:
        await shown.goto("/topics/orders")
        await type_keys(shown.page, "y")

        await expect(shown.page.get_by_role("status")).to_have_text("Copied: kwitness topics orders")
        assert await shown.page.evaluate("navigator.clipboard.readText()") == "kwitness topics orders"
        await shown.page.locator("summary", has_text="The same elsewhere").click()
        await shown.page.get_by_role("button", name="Copy: kwitness: consumer groups").click()
        await expect(shown.page.get_by_role("status")).to_contain_text("kwitness groups --topic orders")
        assert await shown.page.evaluate("navigator.clipboard.readText()") == "kwitness groups --topic orders"
        assert await shown.findings() == []


async def test_where_nothing_may_copy_the_line_is_selected(browser: Browser, drawn_console: OpenConsole) -> None:
    async with drawn(browser, drawn_console) as shown:
        await shown.goto("/topics/orders")
        await shown.page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        await type_keys(shown.page, "y")

        await expect(shown.page.get_by_role("status")).to_contain_text("the line is selected")
        assert await shown.page.evaluate("String(document.getSelection())") == "kwitness topics orders"


async def test_keys_are_listed_by_a_key_and_a_button(browser: Browser, drawn_console: OpenConsole) -> None:
    async with drawn(browser, drawn_console) as shown:
        await shown.goto("/")
        dialog = shown.page.get_by_role("dialog", name="Keyboard shortcuts")
        await type_keys(shown.page, "?")
        assert await dialog.is_visible()
        assert await shown.findings() == []
        await type_keys(shown.page, "j?")
        assert not await dialog.is_visible()
        await shown.page.get_by_role("button", name="List of shortcuts").click()
        await dialog.get_by_role("link", name="Topics").click()
        await expect(shown.page).to_have_url(shown.at("/topics"))


async def test_keys_are_off_where_a_person_prefers_it(browser: Browser, drawn_console: OpenConsole) -> None:
    async with drawn(browser, drawn_console) as shown:
        await shown.goto("/topics")
        await shown.page.get_by_role("group", name="Keyboard shortcuts").get_by_role("button", name="off").click()
        await expect(shown.page.locator("html")).to_have_attribute("data-keys", "off")
        await type_keys(shown.page, "gf?j/")

        await expect(shown.page).to_have_url(shown.at("/topics"))
        assert await shown.page.evaluate("document.activeElement === document.body")
        assert not await shown.page.get_by_role("button", name="List of shortcuts").is_visible()
