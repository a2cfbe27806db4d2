"""Reads the guide of daily questions: its headings, and the lines that answer them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

PAGE: Final = Path(__file__).resolve().parents[1] / "docs/guides/questions.md"
_QUESTION: Final = re.compile(r"^### (\d+)\. (.+?)\n(.*?)(?=^###? |\Z)", re.MULTILINE | re.DOTALL)
_BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Answer(NamedTuple):
    """A block of code: ``language`` is sh or promql."""

    language: str
    text: str

    @property
    def reads_tables(self) -> bool:
        """Return true for a command that reads tables of past days."""
        return self.text.startswith("kwitness tables ")


class Question(NamedTuple):
    """A numbered question; ``answer`` is None where the page says that there is none."""

    number: int
    title: str
    answer: Answer | None


def questions() -> list[Question]:
    """Return the questions of the page in their order; one with several blocks is a defect of the page."""
    found = []
    for number, title, body in _QUESTION.findall(PAGE.read_text()):
        blocks = [Answer(language, text.strip()) for language, text in _BLOCK.findall(body)]
        assert len(blocks) <= 1, f"question {number} has more than one answer"
        found.append(Question(int(number), title, blocks[0] if blocks else None))
    return found
