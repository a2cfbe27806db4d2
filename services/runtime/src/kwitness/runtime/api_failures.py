"""What went wrong with a request to the API server, for the log."""

from __future__ import annotations

from typing import Final

__all__ = ["in_words"]

_LENGTH: Final = 300


def in_words(error: Exception) -> str:
    """Kind and message of an error, cut: a time-out has no message of its own."""
    return f"{type(error).__name__}: {error}"[:_LENGTH]
