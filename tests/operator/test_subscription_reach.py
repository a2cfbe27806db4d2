"""Which patterns of a subscription certainly stay within what its namespace is narrowed to."""

from __future__ import annotations

import pytest
import re2

from kwitness.operator.desired.subscription_reach import Narrowing

TEAM = Narrowing("clientId", "team-a.")
OUTSIDE = ("team-a", "team-ax", "team-b.x", "team-aXcart", "x", "", "steam-a.x", "team-a-b.cart", "TEAM-A.cart")


@pytest.mark.parametrize(
    "pattern",
    [
        r"team-a\.cart",
        r"team\-a\.cart",
        r"^team-a\.cart$",
        r"team-a\..*",
        r"team-a\.",
        r"team-a\.(cart|till)-[0-9]+",
        r"team-a\.[a|b]+",
        r"team-a\.[]|]x",
        r"team-a\.a\|b",
        r"team-a\.((a|b)|c)d",
    ],
)
def test_a_pattern_that_begins_with_the_prefix_stays_within_it(pattern):
    assert TEAM.holds(pattern)
    assert [text for text in OUTSIDE if re2.fullmatch(pattern, text)] == []


@pytest.mark.parametrize(
    "pattern",
    [
        r".*",
        r"team-a.cart",
        r"team-a\.cart|.*",
        r"team-a\.(cart)|x",
        r"team-a\.[\]]|x",
        r"team-a\.*",
        r"team-a\.?x?",
        r"team-a\.{0}.*",
        r"(?i)team-a\.cart",
        r"(team-a\.)?.*",
        r"(team-a\.cart)",
        r"[t]eam-a\.cart",
        r"\x74eam-a\.cart",
        r"team-\a\.cart",
        r"team-",
        r"",
    ],
)
def test_any_other_is_refused(pattern):
    assert not TEAM.holds(pattern)


def test_an_underscore_may_be_written_with_a_backslash_or_without():
    assert Narrowing("clientId", "team_").holds(r"team_x")
    assert Narrowing("clientId", "team_").holds(r"team\_x")
