"""The guide of daily questions: its live lines, typed on the node as they stand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from kwitness.demo import up
from kwitness.demo.platform import GATEWAY_CLIENT, INTERCEPTED_CLIENT, NAMESPACE, Platform

from tests.e2e import subscriptions
from tests.e2e.eventually import eventually
from tests.e2e.person import Person
from tests.questions_page import Question, questions

pytestmark = pytest.mark.needs(up.gateway, up.sidecars, up.numbers, up.interceptors, up.headers)

ADDED: Final = "for-ten-minutes"
LIVE: Final = [question for question in questions() if question.answer and not question.answer.reads_tables]
NAMED: Final = {
    1: "client_software_name",
    2: GATEWAY_CLIENT,
    3: GATEWAY_CLIENT,
    6: GATEWAY_CLIENT,
    8: "demo.orders",
    9: GATEWAY_CLIENT,
    11: INTERCEPTED_CLIENT,
    18: "headers",
    19: INTERCEPTED_CLIENT,
    22: "client_id",
    23: "Produce",
    25: GATEWAY_CLIENT,
    36: "value",
}
"""Texts that the answers to some questions have in the demo; others may find nothing there."""


def test_the_page_answers_live_questions() -> None:
    assert {question.number for question in LIVE} >= NAMED.keys()


@pytest.fixture(autouse=True)
def _added_subscription_ends(platform: Platform) -> Iterator[None]:
    yield
    if platform.cluster.find(subscriptions.KIND, ADDED, NAMESPACE):
        platform.cluster.objects.delete(subscriptions.KIND, ADDED, namespace=NAMESPACE)


@pytest.mark.parametrize("question", LIVE, ids=lambda question: str(question.number))
def test_the_line_of_a_question_answers_it(platform: Platform, tmp_path: Path, question: Question) -> None:
    assert question.answer is not None
    text = question.answer.text
    if question.answer.language == "promql":
        answer = lambda: str(platform.query(text))  # noqa: E731 - it is requested until it is complete
    else:
        person = Person(platform, tmp_path)
        # The doctor's exit status is 1 where something of the demo is amiss on purpose.
        answer = lambda: person.types(text, ends=frozenset({0, 1} if "doctor" in text else {0}))  # noqa: E731 - likewise

    eventually(answer, lambda shown: NAMED.get(question.number, "") in shown)
