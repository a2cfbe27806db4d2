"""Checks that the page of a client tells what `kwitness why` tells, from the index alone."""

from __future__ import annotations

import html
import json
import re

import pytest

from kwitness.console.index.members import rebuild
from kwitness.console.index.tables import CLIENTS, CONNECTIONS, SILENT
from kwitness.console.rows.client_stories import QUESTIONS

from tests.console.open_console import OpenConsole


def answers_of(page: str) -> dict[str, dict[str, list[str]]]:
    """Return the values below each question by their labels, of the first story."""
    answers = page.partition('<div class="answers">')[2].partition("</section>")[0]
    return {
        question: {
            label: [html.unescape(text) for text in re.findall(r"<dd>(.*?)</dd>", values)]
            for label, values in re.findall(r"<dt>(.*?)</dt>(.*?)</div>", rows)
        }
        for question, rows in re.findall(r"<h3>(.*?)</h3><dl[^>]*>(.*?)</dl>", answers, re.DOTALL)
    }


async def test_a_page_answers_its_three_questions_by_labelled_values(shared: OpenConsole) -> None:
    page = await shared.get("/clients/checkout-canary")
    story = answers_of(page)

    assert tuple(story) == QUESTIONS
    assert story["What is it?"]["Client id"] == ["checkout-canary"]
    assert story["What is it?"]["Software"] == ["apache-kafka-java 3.8.0"]
    assert story["What is it?"]["Owner"] == ["orders (#orders)"]
    assert story["What is it?"]["First heard from"]
    assert story["What is it?"]["Evidence"] == ["connected, pushes metrics, seen on the wire by an observer"]
    assert story["Is it well?"]["Asked for"] == ["It is asked for nothing: no subscription matches it."]
    assert story["Is it well?"]["Pushes"]
    assert story["What next?"]["Next step"][0].startswith("Ask it: kwitness subscriptions add")


async def test_long_pages_link_to_their_parts_with_numbers_of_rows(shared: OpenConsole) -> None:
    for path, expected in [
        ("/clients/checkout", ["In short", "Identities", "Instances", "Topics", "Connections", "Series"]),
        ("/topics/orders", ["Writers and readers", "Consumer groups", "Series"]),
    ]:
        page = await shared.get(path)
        links = page.partition('<nav class="within"')[2].partition("</nav>")[0]
        parts = dict(re.findall(r'href="#([^"]*)">(.*?)(?: <span|</a>)', links))
        assert {*expected, "The same elsewhere"} <= {*parts.values()}
        assert all(f' id="{part}"' in page for part in parts), parts
        assert re.search(r"Topics <span class=\"many\">1<" if "clients" in path else r"Consumer groups <span", links)


async def test_the_instance_that_pushed_longest_ago_has_the_story_and_all_have_a_row(console: OpenConsole) -> None:
    items = [
        {
            "key": str(number),
            "client_id": "many",
            "client_instance_id": f"instance-{number}",
            "first_seen_ms": 1,
            "last_push_ms": 1_000 - number,
            "subscriptions": ["all"],
        }
        for number in range(9)
    ]
    console.console._database.write(CLIENTS.added(json.dumps(items)))

    page = await console.get("/clients/many")

    titles = re.findall(r'<section class="story" aria-label="many (.*?)">', page)
    assert titles == ["instance-8"]
    assert "This instance pushed longest ago; the table has all 9." in page
    assert "It has stopped to push without a terminating push" in page
    assert page.count('<th scope="row"><bdi>instance-') == len(items)


@pytest.mark.parametrize("of_client", [True, False])
async def test_a_client_that_only_observers_see_has_the_reason_why_it_is_silent(
    console: OpenConsole, of_client: bool
) -> None:
    software = {"client_software_name": "kafkajs", "client_software_version": "2.2.4"}
    connection = {"client_id": "quiet", "principal": "User:quiet", "opened_at_ms": 1, "observer": "shop/front"}
    silent = {**({"client_id": "quiet"} if of_client else {}), "seen_by": "observer", "detail": "observe it"}
    database = console.console._database
    database.write(
        CONNECTIONS.added(json.dumps([{**connection, **software}])),
        SILENT.added(json.dumps([{**silent, **software, "connections": 1, "reason": "TooOld"}])),
    )
    rebuild(database)

    story = answers_of(await console.get("/clients/quiet"))

    assert story["What is it?"]["Software"] == ["kafkajs 2.2.4"]
    assert "(TooOld)" in story["Is it well?"]["Pushes"][0]
    assert story["What next?"]["Next step"]


async def test_what_only_a_question_can_answer_is_left_to_the_command(shared: OpenConsole) -> None:
    page = await shared.get("/clients/ledger")

    assert "<code>kwitness why ledger</code>" in page
