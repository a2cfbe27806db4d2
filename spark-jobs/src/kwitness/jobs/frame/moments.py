"""Times and lengths of time as tables have them: whole milliseconds, times since 1970."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

DAY_MS = 86_400_000


def in_milliseconds(length: timedelta) -> int:
    """A length of time."""
    return length // timedelta(milliseconds=1)


def epoch_ms(moment: datetime) -> int:
    """A time; one without a time zone is not taken for UTC."""
    return int(moment.timestamp() * 1000)


def now_ms() -> int:
    """The present time."""
    return time.time_ns() // 1_000_000


def to_the_minute(milliseconds: int) -> str:
    """A time as messages have it, in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%MZ")
