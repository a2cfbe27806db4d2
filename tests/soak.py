"""How much of an exhaustive test is run: a tenth, or all of it in `make soak`, with chance that can be repeated.

A test that asks for its share here has the marker `soak`; one that is only run in full has `alone` beside it.
"""

from __future__ import annotations

import os
import random
from typing import Final

import pytest

SOAKS: Final = os.environ.get("KWITNESS_SOAK") == "1"
"""Whether all of it is run."""

FIRST_SEED: Final = int(
    os.environ.get("KWITNESS_SOAK_SEED") or (random.SystemRandom().randrange(10**6) if SOAKS else 0)
)
"""The first of the run's seeds. A tenth begins with the same one always, so that a change is judged and not luck."""


alone: Final = pytest.mark.skipif(not SOAKS, reason="run by make soak: what it shows is shown at less cost elsewhere")
"""For a test that costs minutes and has a cheaper one beside it."""


def share(whole: int) -> int:
    """How much of `whole` this run does: rounds, cases, seconds; at least one."""
    return whole if SOAKS else max(1, whole // 10)


def seeds(whole: int) -> range:
    """A seed for each case of this run."""
    return range(FIRST_SEED, FIRST_SEED + share(whole))


def header() -> str:
    """What the run says of it at its beginning."""
    if not SOAKS:
        return "exhaustive tests: a tenth of each (make soak runs all)"
    return f"exhaustive tests: in full, from seed {FIRST_SEED} (KWITNESS_SOAK_SEED={FIRST_SEED} repeats it)"
