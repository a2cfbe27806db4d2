"""Decides on all homes: what one takes leaves less room to others, and a number is handed out in one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from kwitness.operator.kinds.header_registry.claims import Claim, Elsewhere, Share, settle
from kwitness.operator.model.header_ids import HeaderIds, Homes, home_text
from kwitness.operator.model.store import Key

__all__ = ["SettledHomes", "settle_homes"]


class SettledHomes(NamedTuple):
    """The next memory, and each register's share of it."""

    homes: Homes
    shares: Mapping[Key, Share]


def settle_homes(before: Homes, claims: Mapping[str, Iterable[Claim]], gone: Collection[Key]) -> SettledHomes:
    """Settle the claims of each home; ``gone`` are owners that are not there, or claim nothing in any home.

    A register that comes from another home brings no ids from there, which its owner may have chosen by hand.
    """
    homes = dict(before)
    shares: dict[Key, Share] = {}
    sizes = {name: len(home_text(ids)) for name, ids in homes.items()}
    numbers = Counter(number for ids in homes.values() for number in ids.given.values())
    at = {claim.key: home for home, found in claims.items() for claim in found}
    was_at = {owner: home for home, ids in before.items() for owner in ids.owners}
    for home in sorted(before.keys() | claims.keys()):
        ids = homes.get(home, HeaderIds())
        numbers.subtract(ids.given.values())
        elsewhere = Elsewhere(sum(sizes.values()) - sizes.get(home, 0), numbers)
        left = {owner for owner in ids.owners if owner in gone or at.get(owner, home) != home}
        mine = [
            claim if was_at.get(claim.key, home) == home else replace(claim, stated={})
            for claim in claims.get(home, ())
        ]
        result = settle(ids, mine, left, elsewhere=elsewhere)
        homes[home], sizes[home] = result.ids, len(home_text(result.ids))
        numbers.update(result.ids.given.values())
        shares |= result.shares
    return SettledHomes(homes, shares)
