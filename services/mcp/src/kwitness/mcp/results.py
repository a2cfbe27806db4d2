"""Makes results of tools: clean, since names are chosen by clients, and bounded, since a model's context is small."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from mcp_types import CallToolResult, TextContent

from kwitness.answers.failure import CommandFailedError

__all__ = ["DEFAULT_LIMIT", "MOST", "MOST_CHARACTERS", "MOST_OF_A_VALUE", "answered", "cleaned", "fitting", "refused"]

DEFAULT_LIMIT: Final = 50
MOST: Final = 500
"""Items of an answer."""
MOST_CHARACTERS: Final = 100_000
"""Of an answer as JSON, about 30,000 tokens."""
MOST_OF_A_VALUE: Final = 1_000
"""Characters of one value; brokers accept client ids of 32 KiB."""
_CUT: Final = "…"


def cleaned(value: Any) -> Any:
    """Return a value of JSON in which texts have no control characters, and are cut where they are long."""
    match value:
        case str():
            text = value if len(value) <= MOST_OF_A_VALUE else f"{value[:MOST_OF_A_VALUE]}{_CUT}"
            return "".join(character if character.isprintable() else "?" for character in text)
        case Mapping():
            return {cleaned(str(name)): cleaned(inner) for name, inner in value.items()}
        case Sequence():
            return [cleaned(inner) for inner in value]
        case _:
            return value


def fitting(ask: Callable[[int], Mapping[str, Any]], limit: int) -> CallToolResult:
    """Return the answer with at most `limit` items, or with as many as an answer may have characters for.

    Parameters
    ----------
    ask
        Returns the answer with so many items.

    Raises
    ------
    CommandFailedError
        One item alone has too many characters.
    """
    while True:
        result, size = _result(ask(limit))
        if size <= MOST_CHARACTERS:
            return result
        if limit <= 1:
            raise CommandFailedError(
                f"one item has more than the {MOST_CHARACTERS:,} characters of an answer: "
                "select fewer fields or columns"
            )
        limit //= 2


def answered(document: Mapping[str, Any], *, limit: int = MOST) -> CallToolResult:
    """Return an answer whose `items` are all known: as many as fit, and in `left_out` how many do not."""
    items = document["items"]

    def first(count: int) -> Mapping[str, Any]:
        return {**document, "items": items[:count], "left_out": document.get("left_out", 0) + len(items[count:])}

    return fitting(first, min(limit, len(items)))


def refused(error: CommandFailedError) -> CallToolResult:
    """Return an error in the words of the command."""
    text = "\n".join(cleaned(line) for line in str(error).split("\n"))
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def _result(document: Mapping[str, Any]) -> tuple[CallToolResult, int]:
    content = cleaned(document)
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=content), len(text)
