"""Writes numbers of Kafka's errors."""

from __future__ import annotations

from collections.abc import Mapping

from kwitness.contracts.kafka_errors import error_text

__all__ = ["error_counts"]


def error_counts(errors: Mapping[str, int]) -> list[str]:
    """Return a text such as 6 NOT_LEADER_OR_FOLLOWER: 3 for each code that was counted, the most frequent first."""
    ordered = sorted(errors.items(), key=lambda entry: (-entry[1], entry[0]))
    return [f"{error_text(code)}: {count}" for code, count in ordered if count]
