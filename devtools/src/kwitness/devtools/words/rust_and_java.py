"""Finds names by their declarations, documentation and comments in Rust and Java, by regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kwitness.devtools.words.place import BEGINNING, PEOPLE, Place, beginning, one, people
from kwitness.devtools.words.replaced_names import Kind, ReplacedNames

__all__ = ["places_in_java", "places_in_rust"]

_RUST: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    ("type", re.compile(r"\b(?:struct|enum|trait|union|type)\s+(\w+)")),
    ("function", re.compile(r"\bfn\s+(\w+)")),
    ("other", re.compile(r"\b(?:const|static|mod|let(?:\s+mut)?)\s+([A-Za-z_]\w*)")),
    ("other", re.compile(r"^    ([A-Z]\w*)(?:[({]|,$|\s*=\s)", re.MULTILINE)),
)
_RUST_LISTS: Final = re.compile(r"\bstruct\s+\w+[^;({]*\{([^}]*)\}|\bfn\s+\w+[^(]*\(([^{;]*?)\)\s*(?:->|\{|where|;)")
"""The fields of a struct, the parameters of a function."""
_RUST_LISTED: Final = re.compile(r"(?<!:)\b([a-z_]\w*)\s*:(?!:)")
_RUST_ONE: Final = re.compile(r"\bfor\s+[^;{}]*?\bone\b[^;{}]*?\bin\b|\|[^|\n]*\bone\b[^|\n]*\|")
_JAVA: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    ("type", re.compile(r"\b(?:class|interface|enum|record)\s+([A-Z]\w*)")),
    (
        "function",
        re.compile(r"[\w>\]]\s+(?<!new )(?<!return )(?<!throw )([a-z]\w*)\((?=[^;]*?\)\s*(?:throws [\w., ]+)?\{)"),
    ),
    (
        "other",
        re.compile(r"(?<!return)(?<!throw)(?<!package)(?<!import)(?<!new)(?<=[\w>\]])\s+([A-Za-z_]\w*)\s*(?=[=;:,)])"),
    ),
)
_JAVA_ONE: Final = re.compile(r"\bfor\s*\([^:;()]*\bone\s*:|\bone\s*->")
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def places_in_rust(text: str, replaced: ReplacedNames) -> Iterator[Place]:
    """Yield the places in a file of Rust."""
    code = _code_of(text)
    yield from _declared(text, code, replaced, _RUST)
    for listed in _RUST_LISTS.finditer(code):
        start = listed.start(1) if listed[1] is not None else listed.start(2)
        for found in _RUST_LISTED.finditer(code, start, listed.end()):
            instead = replaced.instead_of(found[1])
            if instead is not None:
                yield Place("names", _line(code, found.start(1)), found[1], instead)
    yield from _loops(code, _RUST_ONE)
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        comment = re.match(r"\s*//[/!](?!/)(.*)", line)
        first = number == 1 or not re.match(r"\s*//[/!](?!/)", lines[number - 2])
        if comment and first and BEGINNING.match(comment[1]):
            yield beginning(number, comment[1])


def places_in_java(text: str, replaced: ReplacedNames) -> Iterator[Place]:
    """Yield the places in a file of Java."""
    code = _code_of(text)
    yield from _declared(text, code, replaced, _JAVA)
    yield from _loops(code, _JAVA_ONE)
    for found in re.finditer(r"/\*\*[\s*]*(.*)", text):
        if BEGINNING.match(found[1]):
            yield beginning(_line(text, found.start()), found[1])


def _declared(
    text: str, code: str, replaced: ReplacedNames, patterns: tuple[tuple[Kind, re.Pattern[str]], ...]
) -> Iterator[Place]:
    for comment in _COMMENT.finditer(text):
        for word in PEOPLE.finditer(comment[0]):
            yield people(_line(text, comment.start() + word.start()), word[0])
    for kind, pattern in patterns:
        for found in pattern.finditer(code):
            instead = replaced.instead_of(found[1], kind)
            if instead is not None:
                yield Place("names", _line(code, found.start(1)), found[1], instead)


def _loops(code: str, pattern: re.Pattern[str]) -> Iterator[Place]:
    yield from (one(_line(code, found.start())) for found in pattern.finditer(code))


def _code_of(text: str) -> str:
    """Return a text without comments and strings, with the same lines and places."""
    return _STRING.sub(_blank, _COMMENT.sub(_blank, text))


def _blank(found: re.Match[str]) -> str:
    """Keep the lines and the place of what follows."""
    return re.sub(r"[^\n]", " ", found[0])


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
