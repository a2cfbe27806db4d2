"""How one word is spelled on both sides: `TooOld` as an enum value of a resource, `tooOld` in field names and messages.

Kafka's words (`scram-sha-256`) and identity keys (`clientId`) are enum values as they are, and do not come here.
"""

from __future__ import annotations

__all__ = ["enum_value", "quantity", "word_of"]


def enum_value(word: str) -> str:
    """Return the enum value of a resource for a word of a field, a file or an answer: `tooOld` to `TooOld`."""
    return word[:1].upper() + word[1:]


def quantity(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 broker`, `2 brokers`."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def word_of(value: str) -> str:
    """Return the word for an enum value of a resource: `Plugin` to `plugin`."""
    return value[:1].lower() + value[1:]
