"""Finds words and beginnings of sentences in pages; in the first pages also words that the field does not use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from kwitness.devtools.words.place import BEGINNING, PEOPLE, Place, beginning, people

__all__ = ["FIRST_PAGES", "places_in_page"]

FIRST_PAGES: Final = (
    "README.md",
    "docs/README.md",
    "docs/overview.md",
    "docs/tutorial.md",
    "docs/guides/command.md",
    "docs/guides/install.md",
    "docs/guides/looking-at-clients.md",
    "docs/guides/managed-kafka-recipes.md",
    "docs/guides/managed-kafka.md",
    "docs/guides/see-it.md",
    "docs/guides/strimzi.md",
    "docs/guides/ways-to-see-clients.md",
)
"""Pages that a person meets first."""

_OURS: Final = re.compile(
    r"\b(?:told|tells?|says?|said|asked|wanted|held|stands?|alone|but for|(?:is|are) to)\b", re.IGNORECASE
)
_SENTENCE: Final = re.compile(
    r"(?:^|(?<=[.:?!] ))(?:[-*>|# ]|\d+\. )*(?P<first>(?:Wh(?:at|ose?|ether|ere|ich))\b)(?P<rest>[^.?!|]*)(?P<end>.?)",
    re.MULTILINE,
)
_FENCE: Final = re.compile(r"^ *```.*?^ *```|`[^`\n]*`|\]\([^)\n]*\)", re.MULTILINE | re.DOTALL)


def places_in_page(file: PurePosixPath, text: str) -> Iterator[Place]:
    """Yield the places in a page."""
    title = re.match(r"# (?:\d{4} )?(.*)", text)
    if title and BEGINNING.match(title[1]):
        yield beginning(1, title[1])
    for number, line in enumerate(text.splitlines(), 1):
        yield from (people(number, word) for word in PEOPLE.findall(line))
    if str(file) in FIRST_PAGES:
        yield from _in_first_page(_FENCE.sub(lambda code: re.sub(r"[^\n]", "~", code[0]), text))


def _in_first_page(prose: str) -> Iterator[Place]:
    """Yield words of our own, and sentences that begin with a relative clause; a question may."""
    for word in _OURS.finditer(prose):
        yield Place(
            "prose", _line(prose, word.start()), word[0], "the field's word: report, request, run, only, except"
        )
    for sentence in _SENTENCE.finditer(prose):
        if sentence["end"] != "?":
            text = f"{sentence['first']}{sentence['rest'][:30]}".replace("\n", " ")
            yield Place("prose", _line(prose, sentence.start("first")), text, "the subject first")


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
