"""Finds the address of a page that a person types, as in `kwitness console clients/checkout`."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote, unquote

from kwitness.answers.failure import WrongUseError
from kwitness.console.pages.all_pages import PAGES
from kwitness.console.pages.names import link_of

__all__ = ["typed_address"]

_NAMES: Final = {"/subscriptions": "NAMESPACE/NAME"}
"""Names that follow the paths of pages, where they are not one word."""


def typed_address(text: str) -> str:
    """Return the address of a page.

    Parameters
    ----------
    text
        Its path with or without the slash before it, the name in it quoted or not, and the query that may follow.

    Raises
    ------
    WrongUseError
        There is no such page.
    """
    path, mark, query = text.removeprefix("/").partition("?")
    more = f"{mark}{quote(query, safe='=&%*,+-./:~')}"
    if any(not page.is_named and page.path == f"/{path}" for page in PAGES):
        return f"/{path}{more}"
    kind, _, name = path.partition("/")
    if name and any(page.is_named and page.path == f"/{kind}" for page in PAGES):
        return f"{link_of(kind, unquote(name))}{more}"
    known = ", ".join(
        f"{page.path[1:]}/{_NAMES.get(page.path, 'NAME')}" if page.is_named else page.path[1:]
        for page in PAGES
        if page.path != "/"
    )
    raise WrongUseError(f"there is no page {text}: there are {known}, and the fleet without any")
