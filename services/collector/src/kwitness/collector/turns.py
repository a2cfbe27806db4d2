"""Divides long work on the event loop into turns, so that other requests are served in between."""

from __future__ import annotations

import asyncio
import time
from typing import Final

__all__ = ["Turns"]

_TURN_S: Final = 0.002
"""Work until the next call of `Turns.pause_when_due` counts as well: together they stay below 5 ms."""


class Turns:
    """Pauses work that has held the event loop for long enough."""

    def __init__(self) -> None:
        self._until = time.monotonic() + _TURN_S

    async def pause_when_due(self) -> None:
        """Let others go on when the turn is over."""
        if time.monotonic() > self._until:
            await asyncio.sleep(0)
            self._until = time.monotonic() + _TURN_S
