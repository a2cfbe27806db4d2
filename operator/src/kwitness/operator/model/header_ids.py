"""Which HeaderRegistry has which header key and number, and which numbers were handed out: what a ConfigMap remembers.

A number that was handed out belongs to its key for ever, so that it never means two things.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from kwitness.operator.model.errors import TerminalError
from kwitness.operator.model.store import Key

__all__ = [
    "HEADER_IDS_CONFIG_MAP",
    "HEADER_IDS_KEY",
    "HEADER_SHARES_KEY",
    "MOST_BYTES",
    "HeaderIds",
    "header_ids_of",
    "header_ids_text",
    "header_shares_text",
]

HEADER_IDS_CONFIG_MAP: Final = "kwitness-header-ids"
"""Name of the ConfigMap, in the release's namespace. It outlives an uninstall."""
HEADER_IDS_KEY: Final = "header-ids.json"
"""Its key for owners and numbers."""
HEADER_SHARES_KEY: Final = "shares.json"
"""Its key for bytes that numbers of each namespace use; earlier versions leave it alone."""
MOST_BYTES: Final = 900_000
"""Of the text; the API server takes 1 MiB of a ConfigMap."""

_SCHEMA: Final = "kwitness.header_ids/1"

_Name = Annotated[str, Field(min_length=1, max_length=128)]
_Owner = Annotated[str, Field(max_length=317, pattern=r"^[^/]+/[^/]+$")]
_Id = Annotated[int, Field(ge=0, le=2_147_483_647, strict=True)]
_SHARES: Final = TypeAdapter(dict[str, Annotated[int, Field(ge=0)]])


@dataclass(frozen=True, slots=True)
class HeaderIds:
    """All keys of an installation.

    Attributes
    ----------
    owners
        By HeaderRegistry the keys that it has, each with its number, None where it has none.
    given
        Numbers by key that were handed out, also to keys that nobody has any more.
    past
        Numbers that registers wrote themselves and gave up: none of them is handed out.
    spent
        By namespace, bytes of entries in ``given`` that its registers caused, also of keys that are gone.
    """

    owners: Mapping[Key, Mapping[str, int | None]] = field(default_factory=dict)
    given: Mapping[str, int] = field(default_factory=dict)
    past: frozenset[int] = frozenset()
    spent: Mapping[str, int] = field(default_factory=dict, compare=False)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_: Literal["kwitness.header_ids/1"] = Field(alias="schema")
    owners: dict[_Owner, dict[_Name, _Id | None]]
    given: dict[_Name, _Id]
    past: list[_Id]


def header_ids_of(config_map: Mapping[str, Any] | None) -> HeaderIds:
    """Read the ConfigMap; nothing where it does not exist, or is empty since it was made a moment ago.

    Raises
    ------
    TerminalError
        IdsUnreadable: someone changed it. Numbers could come to mean two things.
    """
    data = (config_map or {}).get("data") or {}
    text = data.get(HEADER_IDS_KEY)
    if text is None:
        return HeaderIds()
    try:
        found = _File.model_validate_json(text)
    except ValidationError as error:
        issue = error.errors()[0]
        # What stands there is not ours to quote.
        where = ".".join(str(part) for part in issue["loc"][:1])
        raise _unreadable(where or "the text") from error
    _check(found)
    owners = {Key(*owner.split("/")): keys for owner, keys in found.owners.items()}
    return HeaderIds(owners, found.given, frozenset(found.past), _spent(data.get(HEADER_SHARES_KEY)))


def header_ids_text(ids: HeaderIds) -> str:
    """The text of the ConfigMap; equal where ``ids`` are."""
    return json.dumps(
        {
            "schema": _SCHEMA,
            "owners": {str(owner): dict(sorted(keys.items())) for owner, keys in sorted(ids.owners.items()) if keys},
            "given": dict(sorted(ids.given.items())),
            "past": sorted(ids.past),
        },
        separators=(",", ":"),
    )


def header_shares_text(ids: HeaderIds) -> str:
    """The text of `HEADER_SHARES_KEY`."""
    return json.dumps(dict(sorted(ids.spent.items())), separators=(",", ":"))


def _spent(text: str | None) -> dict[str, int]:
    # Without it all namespaces begin at zero, which costs no number its meaning.
    try:
        return _SHARES.validate_json(text or "{}")
    except ValidationError:
        return {}


def _check(found: _File) -> None:
    keys = Counter(name for owned in found.owners.values() for name in owned)
    if any(count > 1 for count in keys.values()):
        raise _unreadable("owners")
    present = {name: number for owned in found.owners.values() for name, number in owned.items() if number is not None}
    if len(set(present.values())) < len(present):
        raise _unreadable("owners")
    if len(set(found.given.values())) < len(found.given):
        raise _unreadable("given")
    named = {number: name for name, number in found.given.items()}
    if any(named.get(number, name) != name for name, number in present.items()):
        raise _unreadable("given")


def _unreadable(where: str) -> TerminalError:
    return TerminalError(
        "IdsUnreadable",
        f"ConfigMap {HEADER_IDS_CONFIG_MAP} of the release's namespace does not say any more who has which key and id"
        f" ({where}), so nothing is written: restore its key {HEADER_IDS_KEY}, or delete the ConfigMap, and owners and"
        " ids are taken from the status of all HeaderRegistries; ids of keys that are gone can then be given again",
    )
