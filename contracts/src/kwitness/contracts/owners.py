"""Owners of clients, groups and topics: the file that people write, and the list of all sources."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal, NamedTuple

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

__all__ = [
    "OWNED_BY",
    "KnownOwner",
    "Overlap",
    "OwnedBy",
    "OwnerEntry",
    "OwnerList",
    "OwnerMatch",
    "OwnerSource",
    "Owners",
]

OwnedBy = Literal["principal", "client_id", "namespace", "group", "topic"]
"""Facts that an entry may match."""
OWNED_BY: tuple[OwnedBy, ...] = ("principal", "client_id", "namespace", "group", "topic")

OwnerSource = Literal["ConfigMap", "KafkaUser", "KafkaTopic", "Namespace"]
"""Sources of owners, in the order in which they count."""

MatchText = Annotated[str, Field(min_length=1, max_length=512)]
"""An exact text, or with a `*` at its end how one begins."""


class _Entry(BaseModel):
    # A misspelled key would be one without effect.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True, alias_generator=to_camel)


def text_fits(pattern: str, text: str | None) -> bool:
    """Whether a text is what `pattern` says; one that is not known fits no pattern."""
    if text is None:
        return False
    return text.startswith(pattern[:-1]) if pattern.endswith("*") else text == pattern


def patterns_meet(one: str, other: str) -> bool:
    """Whether a text can fit both."""
    if one.endswith("*") and other.endswith("*"):
        return one.startswith(other[:-1]) or other.startswith(one[:-1])
    return text_fits(one, other) or text_fits(other, one)


class OwnerMatch(_Entry):
    """What must fit, all of it."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})
    principal: MatchText | None = Field(None, description="Principal, such as User:orders.")
    client_id: MatchText | None = Field(None, description="Client id.")
    namespace: MatchText | None = Field(None, description="Namespace of the client's pod.")
    group: MatchText | None = Field(None, description="Consumer group, share group, or application id of Streams.")
    topic: MatchText | None = Field(None, description="Topic.")

    @model_validator(mode="after")
    def _is_not_empty(self) -> OwnerMatch:
        if not self.patterns():
            raise ValueError("says nothing: give at least one of principal, clientId, namespace, group and topic")
        return self

    def patterns(self) -> dict[OwnedBy, str]:
        """What must fit, by what it is compared with."""
        given: dict[OwnedBy, str | None] = {name: getattr(self, name) for name in OWNED_BY}
        return {name: pattern for name, pattern in given.items() if pattern is not None}


def _instant(value: object) -> datetime:
    """Return a time with its offset; YAML gives it as a time where it is not quoted, else as text."""
    with contextlib.suppress(ValueError):
        time = datetime.fromisoformat(value) if isinstance(value, str) else value
        if isinstance(time, datetime) and time.tzinfo is not None:
            return time
    raise ValueError(
        "give a day, a time and its offset from UTC, such as 2026-01-31T00:00:00Z or 2026-01-31T00:00+01:00"
    )


Instant = Annotated[AwareDatetime, BeforeValidator(_instant)]


class OwnerEntry(_Entry):
    """A team, and what is the team's."""

    team: Annotated[str, Field(min_length=1, max_length=128)] = Field(description="Name of the team.")
    contact: Annotated[str, Field(min_length=1, max_length=256)] | None = Field(
        None, description="How to reach it: an address, a channel."
    )
    match: OwnerMatch = Field(description="What is the team's.")
    valid_from: Instant | None = Field(
        None, description="Time from which the entry counts; earlier windows keep the owner that later entries name."
    )


class KnownOwner(OwnerEntry):
    """An entry and the source that has it."""

    source: OwnerSource = "ConfigMap"


class Overlap(NamedTuple):
    """Two entries, counted from 1, of different teams: what fits both is the earlier one's."""

    earlier: int
    later: int


class Owners(_Entry):
    """The file: in its order, the first entry that fits says whose something is."""

    owners: tuple[OwnerEntry, ...] = Field(
        (), description="Teams and what is theirs; the first entry that fits counts.", max_length=1000, strict=False
    )

    def overlaps(self) -> tuple[Overlap, ...]:
        """For each entry the first earlier one of another owner that may take something from it.

        Two entries that match nothing in common, as a principal and a topic, are no overlap: order decides there too,
        but no other wording would keep a client of one team from a topic of another.
        """
        patterns = [entry.match.patterns() for entry in self.owners]
        found = []
        for later, entry in enumerate(self.owners):
            for earlier, other in enumerate(self.owners[:later]):
                # An entry that counts from some day on is meant to take over from a later one.
                if (
                    other.valid_from is None
                    and _meet(patterns[earlier], patterns[later])
                    and (other.team, other.contact) != (entry.team, entry.contact)
                ):
                    found.append(Overlap(earlier + 1, later + 1))
                    break
        return tuple(found)


class OwnerList(_Entry):
    """Owners of all sources in the order in which they count, as `kwitness.contracts.owner_lookup` compares them."""

    owners: tuple[KnownOwner, ...] = Field((), max_length=10_000, strict=False)

    @classmethod
    def from_file(cls, file: Owners) -> OwnerList:
        """Return the list that has the entries of a file alone."""
        return cls(owners=tuple(KnownOwner(**dict(entry)) for entry in file.owners))

    def of_namespace(self, namespace: str) -> OwnerList:
        """Return the entries that name this namespace of clients' pods."""
        return OwnerList(
            owners=tuple(entry for entry in self.owners if text_fits(entry.match.namespace or "", namespace))
        )


def _meet(one: Mapping[OwnedBy, str], other: Mapping[OwnedBy, str]) -> bool:
    """Whether two entries match something in common, and nothing keeps them apart."""
    shared = False
    for name, pattern in one.items():
        if name in other:
            if not patterns_meet(pattern, other[name]):
                return False
            shared = True
    return shared
