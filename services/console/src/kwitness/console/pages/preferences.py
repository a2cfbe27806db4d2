"""Preferences of a reader: colours, refreshes, keys, and whose clients are that person's own. Cookies keep them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote

__all__ = ["LONGEST_OWNER", "OWNER_COOKIE", "PREFERENCES", "Preference", "own_owner", "preferred"]

OWNER_COOKIE: Final = "kwitness-owner"
LONGEST_OWNER: Final = 128
"""Characters of an owner, as the operator accepts them."""


class Preference(NamedTuple):
    """A choice of few values, the default first."""

    name: str
    title: str
    values: Sequence[str]

    @property
    def cookie(self) -> str:
        """The name of its cookie."""
        return f"kwitness-{self.name}"


PREFERENCES: Final = (
    Preference("theme", "Colours", ("system", "light", "dark")),
    Preference("refresh", "Refresh rows every 15 s", ("on", "off")),
    Preference("keys", "Keyboard shortcuts", ("on", "off")),
)


def preferred(cookies: Mapping[str, str]) -> dict[str, str]:
    """Return the value of each preference by its name; a cookie with an unknown value is left out."""
    return {
        preference.name: value
        if (value := cookies.get(preference.cookie, "")) in preference.values
        else preference.values[0]
        for preference in PREFERENCES
    }


def own_owner(cookies: Mapping[str, str]) -> str:
    """Return the owner whose clients this browser shows first, as the filter of owners has it; empty without one."""
    owner = unquote(cookies.get(OWNER_COOKIE, ""))
    return owner if len(owner) <= LONGEST_OWNER else ""
