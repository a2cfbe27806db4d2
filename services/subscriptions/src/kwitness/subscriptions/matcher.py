"""All subscriptions against one client at once: what `matching.matches` says of each, for thousands of clients.

All patterns of a selector are one automaton, and a value that many clients share is looked at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

import re2

from kwitness.subscriptions.broker_subscription import BrokerSubscription
from kwitness.subscriptions.patterns import InvalidPatternError, compile_pattern

_REMEMBERED: Final = 8_192
"""Values remembered of each selector."""


class Matches(NamedTuple):
    """A bit for each subscription, in their order: whether it reaches the client, or may by what is not known of it.

    What may is a subscription with a pattern that only Java can read (a foreign one), or with a hidden selector.
    """

    certain: int
    possible: int


class _Selector:
    """All patterns of one selector; masks have a bit for each subscription."""

    def __init__(self, patterns: Mapping[int, str]) -> None:
        options = re2.Options()
        options.log_errors = False
        self._set = re2.Set.FullMatchSet(options)
        self._places: list[int] = []
        self.used = 0
        self.unreadable = 0
        for place, pattern in patterns.items():
            self.used |= 1 << place
            try:
                compile_pattern(pattern)
            except InvalidPatternError:
                self.unreadable |= 1 << place
            else:
                self._set.Add(pattern)
                self._places.append(place)
        self._set.Compile()
        self._known: dict[str, int] = {}

    def mask(self, value: str) -> int:
        """Return the subscriptions whose pattern matches the whole of a value."""
        mask = self._known.get(value)
        if mask is None:
            mask = 0
            for index in (self._set.Match(value) if self._places else None) or ():
                mask |= 1 << self._places[index]
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[value] = mask
        return mask


class Matcher:
    """Finds which of ``subscriptions`` reach a client."""

    def __init__(self, subscriptions: tuple[BrokerSubscription, ...]) -> None:
        self.subscriptions = subscriptions
        patterns: dict[str, dict[int, str]] = {}
        for place, one in enumerate(subscriptions):
            for key, pattern in one.match:
                patterns.setdefault(key, {})[place] = pattern
        self._all = (1 << len(subscriptions)) - 1
        self._selectors = {key: _Selector(found) for key, found in patterns.items()}

    def matches(self, client: Mapping[str, str], hidden: Collection[str] = ()) -> Matches:
        """Return which reach a client whose selectors are all in ``client``; an absent one never matches.

        Of selectors that are ``hidden`` nobody knows what they are.
        """
        certain = possible = self._all
        for key, selector in self._selectors.items():
            value = client.get(key)
            others = self._all ^ selector.used
            if key in hidden:
                certain &= others
            elif value is None:
                certain &= others
                possible &= others
            else:
                fitting = others | selector.mask(value)
                certain &= fitting
                possible &= fitting | selector.unreadable
        return Matches(certain, possible ^ certain)
