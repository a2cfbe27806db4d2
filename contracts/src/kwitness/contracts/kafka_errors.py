"""Names error codes of Kafka's protocol."""

from __future__ import annotations

from .tables.kafka_errors import ENTRIES

__all__ = ["error_text"]

_NAMES = {str(error.code): error.name for error in ENTRIES}


def error_text(code: str) -> str:
    """Return a code with its name, such as 29 TOPIC_AUTHORIZATION_FAILED; the code alone where it has none."""
    return f"{code} {_NAMES[code]}" if code in _NAMES else code
