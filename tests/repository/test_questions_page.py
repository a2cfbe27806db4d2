"""The guide of daily questions has all forty, and says of few that they have no answer."""

from __future__ import annotations

from tests.questions_page import questions

MOST_UNANSWERED = 6


def test_the_page_has_forty_questions_in_their_order() -> None:
    assert [question.number for question in questions()] == list(range(1, 41))


def test_at_most_six_questions_have_no_answer() -> None:
    assert sum(question.answer is None for question in questions()) <= MOST_UNANSWERED


def test_each_answer_is_one_command_or_one_query() -> None:
    answers = [question.answer for question in questions() if question.answer is not None]

    assert {answer.language for answer in answers} == {"sh", "promql"}
    for answer in answers:
        assert answer.language == "promql" or answer.text.count('"') or "\n" not in answer.text, answer.text
