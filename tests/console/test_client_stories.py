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


def sentences_of(page: str) -> dict[str, list[str]]:
    """Return the sentences below each question, of the first story."""
    answers = page.partition('<div class="answers">')[2].partition("</section>")[0]
    return {
        question: [html.unescape(sentence) for sentence in re.findall(r"<li>(.*?)</li>", sentences)]
        for question, sentences in re.findall(r"<h3>(.*?)</h3><ul>(.*?)</ul>", answers)
    }


async def test_a_page_answers_its_three_questions_by_sentences(shared: OpenConsole) -> None:
    story = sentences_of(await shared.get("/clients/checkout-canary"))

    assert tuple(story) == QUESTIONS
    assert "It is apache-kafka-java 3.8.0." in story["What is it?"]
    assert "It belongs to orders (#orders)." in story["What is it?"]
    assert story["Is it well?"][0] == "It is asked for nothing: no subscription matches it."
    assert story["What next?"][0].startswith("Ask it: kwitness subscriptions add")


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

    story = sentences_of(await console.get("/clients/quiet"))

    assert "It is kafkajs 2.2.4." in story["What is it?"]
    assert "(TooOld)" in story["Is it well?"][0]
    assert story["What next?"]


async def test_what_only_a_question_can_answer_is_left_to_the_command(shared: OpenConsole) -> None:
    page = await shared.get("/clients/ledger")

    assert "<code>kwitness why ledger</code>" in page
