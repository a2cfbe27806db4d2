"""Renders families wholly or not at all, so that one that cannot be rendered takes no other off the page."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from typing import Final

CLIENTS: Final = "clients"
OWN: Final = "own"
_LOG = logging.getLogger(__name__)
RENDER_ERRORS: Final = Counter({CLIENTS: 0, OWN: 0})
"""How often this process left a family out, by what it is of; from zero on, so that a rise shows."""


def rendered_wholly(name: str, pieces: Iterable[bytes], *, of: str = CLIENTS) -> list[bytes]:
    """Return all pieces of a family; none if one of them cannot be rendered, which is counted and logged."""
    try:
        return list(pieces)
    except Exception:  # noqa: BLE001 - one family must not take the others off the page
        RENDER_ERRORS[of] += 1
        _LOG.exception("a family cannot be rendered and is left out", extra={"metric": name})
        return []
