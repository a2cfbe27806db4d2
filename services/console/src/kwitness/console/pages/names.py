"""Names as pages show them: as the command prints them, shortened, and apart from the direction of the text around."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from markupsafe import Markup, escape

from kwitness.console.rows.names import digest_of
from kwitness.contracts.plain_text import plain_text

__all__ = ["LONGEST", "in_query", "link_of", "message", "sentence", "shown"]

LONGEST: Final = 200
"""Characters of a name that are shown."""
LONGEST_SENTENCE: Final = 2_000
"""Characters of an error or advice that are shown."""
_LONGEST_IN_LINKS: Final = 1_000


def shown(name: str | None, longest: int = LONGEST) -> str:
    """Return a name without control characters, and with the number of characters that are left out."""
    text = plain_text(name)
    return text if len(text) <= longest else f"{text[:longest]}… (+{len(text) - longest:,} characters)"


def sentence(text: str | None) -> str:
    """Return sentences, which may have names of clients in them, likewise."""
    return shown(text, LONGEST_SENTENCE)


def message(text: str) -> Markup:
    """Return an error whose first line is a sentence, and whose other lines are commands."""
    first, *commands = [line.strip() for line in text[:LONGEST_SENTENCE].splitlines()] or [""]
    more = f"… (+{len(text) - LONGEST_SENTENCE:,} characters)" if len(text) > LONGEST_SENTENCE else ""
    typed = (Markup('<code class="typed">{}</code>').format(sentence(line)) for line in commands)
    return escape(sentence(first)) + Markup("").join(typed) + escape(more)


def link_of(page: str, name: str) -> str:
    """Return the address of the page of a name; of a very long name it has the digest."""
    quoted = quote(name, safe="")
    if len(quoted) > _LONGEST_IN_LINKS or name in {".", ".."}:
        quoted = digest_of(name)
    return f"/{page}/{quoted}"


def in_query(name: str) -> str:
    """Return a name as a value of a query: of a very long name its digest."""
    return name if len(quote(name, safe="")) <= _LONGEST_IN_LINKS else digest_of(name)
