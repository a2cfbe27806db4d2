"""Whose clients and topics are, as the ConfigMap says that a KafkaCluster names in `spec.owners`.

`kwitness.jobs.frame.owners` gives the same answers as a column of Spark.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

__all__ = ["OWNED_BY", "Overlap", "OwnedBy", "OwnerEntry", "OwnerMatch", "Owners"]

OwnedBy = Literal["principal", "client_id", "namespace", "topic"]
"""What an entry may match."""
OWNED_BY: tuple[OwnedBy, ...] = ("principal", "client_id", "namespace", "topic")

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
    topic: MatchText | None = Field(None, description="Topic.")

    @model_validator(mode="after")
    def _is_not_empty(self) -> OwnerMatch:
        if not self.patterns():
            raise ValueError("says nothing: give at least one of principal, clientId, namespace and topic")
        return self

    def patterns(self) -> dict[OwnedBy, str]:
        """What must fit, by what it is compared with."""
        given: dict[OwnedBy, str | None] = {name: getattr(self, name) for name in OWNED_BY}
        return {name: pattern for name, pattern in given.items() if pattern is not None}


class OwnerEntry(_Entry):
    """A team, and what is the team's."""

    team: Annotated[str, Field(min_length=1, max_length=128)] = Field(description="Name of the team.")
    contact: Annotated[str, Field(min_length=1, max_length=256)] | None = Field(
        None, description="How to reach it: an address, a channel."
    )
    match: OwnerMatch = Field(description="What is the team's.")


class Overlap(NamedTuple):
    """Two entries, counted from 1, of different teams: what fits both is the earlier one's."""

    earlier: int
    later: int


class Owners(_Entry):
    """The file: in its order, the first entry that fits says whose something is."""

    owners: tuple[OwnerEntry, ...] = Field(
        (), description="Teams and what is theirs; the first entry that fits counts.", max_length=1000, strict=False
    )

    def owner_of(
        self,
        *,
        principal: str | None = None,
        client_id: str | None = None,
        namespace: str | None = None,
        topic: str | None = None,
    ) -> OwnerEntry | None:
        """The first entry that fits; None: nobody's. What is not known fits no pattern."""
        known: dict[OwnedBy, str | None] = {
            "principal": principal,
            "client_id": client_id,
            "namespace": namespace,
            "topic": topic,
        }
        for entry in self.owners:
            if all(text_fits(pattern, known[name]) for name, pattern in entry.match.patterns().items()):
                return entry
        return None

    def of_namespace(self, namespace: str) -> Owners:
        """The entries that name this namespace of clients' pods."""
        return Owners(owners=tuple(entry for entry in self.owners if text_fits(entry.match.namespace or "", namespace)))

    def overlaps(self) -> tuple[Overlap, ...]:
        """For each entry the first earlier one of another owner that may take something from it.

        Two entries that match nothing in common, as a principal and a topic, are no overlap: order decides there too,
        but no other wording would keep a client of one team from a topic of another.
        """
        patterns = [entry.match.patterns() for entry in self.owners]
        found = []
        for later, entry in enumerate(self.owners):
            for earlier, other in enumerate(self.owners[:later]):
                if _meet(patterns[earlier], patterns[later]) and (other.team, other.contact) != (
                    entry.team,
                    entry.contact,
                ):
                    found.append(Overlap(earlier + 1, later + 1))
                    break
        return tuple(found)


def _meet(one: Mapping[OwnedBy, str], other: Mapping[OwnedBy, str]) -> bool:
    """Whether two entries match something in common, and nothing keeps them apart."""
    shared = False
    for name, pattern in one.items():
        if name in other:
            if not patterns_meet(pattern, other[name]):
                return False
            shared = True
    return shared
