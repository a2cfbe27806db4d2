"""Preferences of a reader: colours, and whether pages refresh themselves and listen to keys. Cookies keep them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

__all__ = ["PREFERENCES", "Preference", "preferred"]


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
