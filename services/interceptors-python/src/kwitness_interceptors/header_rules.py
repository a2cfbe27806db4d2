"""What registers say of record headers, as interceptors.json has it."""

from __future__ import annotations

from typing import NamedTuple, Optional

from .headers.types import TYPES
from .settings_fields import Fields, matching

__all__ = ["HeaderRules", "RegisteredKey", "RegisteredPrefix", "parse_header_rules"]

_POLICIES = ("Report", "Warn", "Deny")
_SENSITIVITIES = ("Public", "Internal", "Secret")
_LONGEST_TEXT = 128
_LARGEST_VALUE = 1_048_576
_LARGEST_ID = 2_147_483_647


class RegisteredKey(NamedTuple):
    """One key; `max_bytes` is the largest value in bytes, `testing_id` that its id is for tests alone."""

    name: str
    type: str
    sensitivity: str = "Internal"
    policy: str = "Report"
    max_bytes: Optional[int] = None
    deprecated: bool = False
    id: Optional[int] = None
    required: bool = False
    testing_id: bool = False


class RegisteredPrefix(NamedTuple):
    """Keys that begin alike."""

    prefix: str
    type: str
    sensitivity: str = "Internal"
    policy: str = "Report"
    max_bytes: Optional[int] = None
    deprecated: bool = False


class HeaderRules(NamedTuple):
    """All registers of a profile; `unregistered` is the policy of other keys, `values_of` whose values are counted."""

    keys: tuple[RegisteredKey, ...] = ()
    prefixes: tuple[RegisteredPrefix, ...] = ()
    unregistered: str = "Report"
    values_of: tuple[str, ...] = ()


def parse_header_rules(given: object) -> Optional[HeaderRules]:
    """Read the rules; None of null.

    Raises
    ------
    SettingsError
        A field is missing, unknown or not as it must be.
    """
    if given is None:
        return None
    fields = Fields(given, "headers", HeaderRules._fields)
    return HeaderRules(
        tuple(_key(one, f"headers.keys[{at}]") for at, one in enumerate(fields.list("keys", 0, 4_096))),
        tuple(_prefix(one, f"headers.prefixes[{at}]") for at, one in enumerate(fields.list("prefixes", 0, 1_024))),
        fields.one_of("unregistered", _POLICIES, "Report"),
        tuple(matching(one, None, "values_of", _LONGEST_TEXT) for one in fields.list("values_of", 0, 16)),
    )


def _key(given: object, place: str) -> RegisteredKey:
    fields = Fields(given, place, RegisteredKey._fields)
    return RegisteredKey(
        fields.text("name", None, _LONGEST_TEXT),
        *_meaning(fields),
        fields.number_or_null("id", 0, _LARGEST_ID),
        fields.flag("required", default=False),
        fields.flag("testing_id", default=False),
    )


def _prefix(given: object, place: str) -> RegisteredPrefix:
    fields = Fields(given, place, RegisteredPrefix._fields)
    return RegisteredPrefix(fields.text("prefix", None, _LONGEST_TEXT), *_meaning(fields))


def _meaning(fields: Fields) -> tuple[str, str, str, Optional[int], bool]:
    return (
        fields.one_of("type", TYPES),
        fields.one_of("sensitivity", _SENSITIVITIES, "Internal"),
        fields.one_of("policy", _POLICIES, "Report"),
        fields.number_or_null("max_bytes", 1, _LARGEST_VALUE),
        fields.flag("deprecated", default=False),
    )
