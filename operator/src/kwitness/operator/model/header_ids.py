"""Which HeaderRegistry has which header key and number, and which numbers were handed out: what a ConfigMap remembers.

Keys belong to the namespace of a KafkaCluster, their home, so registers of other homes take nothing from them.
A number that was handed out belongs to its key until an owner gives it back, so that it never means two things.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from kwitness.operator.model.errors import TerminalError
from kwitness.operator.model.store import Key

__all__ = [
    "HEADER_IDS_CONFIG_MAP",
    "HEADER_IDS_KEY",
    "MOST_BYTES",
    "HeaderIds",
    "Homes",
    "header_ids_of",
    "header_ids_text",
    "home_text",
    "keys_of",
]

HEADER_IDS_CONFIG_MAP: Final = "kwitness-header-ids"
"""Name of the ConfigMap, in the release's namespace. It outlives an uninstall."""
HEADER_IDS_KEY: Final = "header-ids.json"
"""Its key."""
MOST_BYTES: Final = 900_000
"""Of the text; the API server takes 1 MiB of a ConfigMap."""

_SCHEMA: Final = "kwitness.header_ids/2"

_Name = Annotated[str, Field(min_length=1, max_length=128)]
_Owner = Annotated[str, Field(max_length=317, pattern=r"^[^/]+/[^/]+$")]
_Id = Annotated[int, Field(ge=0, le=2_147_483_647, strict=True)]


@dataclass(frozen=True, slots=True)
class HeaderIds:
    """All keys of one home.

    Attributes
    ----------
    owners
        By HeaderRegistry the keys that it has, each with its number, None where it has none.
    given
        Numbers by key that were handed out, also to keys that nobody has any more.
    past
        Numbers that registers wrote themselves and gave up, or gave back: none of them is handed out.
    spent
        By namespace of the registers, bytes of ``given`` and ``past`` that they caused, also of keys that are gone.
    """

    owners: Mapping[Key, Mapping[str, int | None]] = field(default_factory=dict)
    given: Mapping[str, int] = field(default_factory=dict)
    past: frozenset[int] = frozenset()
    spent: Mapping[str, int] = field(default_factory=dict, compare=False)


Homes = Mapping[str, HeaderIds]
"""By namespace of KafkaClusters."""


class _Home(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    owners: dict[_Owner, dict[_Name, _Id | None]]
    given: dict[_Name, _Id]
    past: list[_Id]
    spent: dict[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_: Literal["kwitness.header_ids/2"] = Field(alias="schema")
    homes: dict[str, _Home]


class _FirstFile(_Home):
    """The text of before there were homes."""

    schema_: Literal["kwitness.header_ids/1"] = Field(alias="schema")


_FILE: Final[TypeAdapter[_File | _FirstFile]] = TypeAdapter(
    Annotated[_File | _FirstFile, Field(discriminator="schema_")]
)


def header_ids_of(config_map: Mapping[str, Any] | None, first_home: str) -> Homes:
    """Read the ConfigMap; nothing where it does not exist, or is empty since it was made a moment ago.

    A text of before there were homes is that of ``first_home``; registers of others have their numbers in their status.

    Raises
    ------
    TerminalError
        IdsUnreadable: someone changed it. Numbers could come to mean two things.
    """
    text = ((config_map or {}).get("data") or {}).get(HEADER_IDS_KEY)
    if text is None:
        return {}
    try:
        found = _FILE.validate_json(text)
    except ValidationError as error:
        # What stands there is not ours to quote.
        words = [str(part) for part in error.errors()[0]["loc"] if part in {"homes", *_Home.model_fields}]
        raise _unreadable(words[-1] if words else "the text") from error
    if isinstance(found, _File):
        return {name: _ids(home) for name, home in found.homes.items()}
    ids = _ids(found)
    owners = {owner: keys for owner, keys in ids.owners.items() if owner.namespace == first_home}
    return {first_home: replace(ids, owners=owners)}


def header_ids_text(homes: Homes) -> str:
    """The text of the ConfigMap; equal where ``homes`` are."""
    texts = {name: home_text(ids) for name, ids in sorted(homes.items())}
    entries = ",".join(f"{json.dumps(name)}:{text}" for name, text in texts.items() if text != _NOTHING)
    return f'{{"schema":"{_SCHEMA}","homes":{{{entries}}}}}'


def home_text(ids: HeaderIds) -> str:
    """The part of one home."""
    return json.dumps(
        {
            "owners": {str(owner): dict(sorted(keys.items())) for owner, keys in sorted(ids.owners.items()) if keys},
            "given": dict(sorted(ids.given.items())),
            "past": sorted(ids.past),
            "spent": {name: count for name, count in sorted(ids.spent.items()) if count},
        },
        separators=(",", ":"),
    )


_NOTHING: Final = home_text(HeaderIds())


def keys_of(homes: Homes, register: Key) -> Mapping[str, int | None]:
    """The keys that a register has, with their numbers."""
    return next((ids.owners[register] for ids in homes.values() if register in ids.owners), {})


def _ids(found: _Home) -> HeaderIds:
    _check(found)
    owners = {Key(*owner.split("/")): keys for owner, keys in found.owners.items()}
    return HeaderIds(owners, found.given, frozenset(found.past), found.spent)


def _check(found: _Home) -> None:
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
