"""Kafka's message definitions: JSON with comments, one file a message, in the jar of Kafka's clients.

A definition names, for each field, its type and in which versions of the message it is there, nullable, or tagged
(KIP-482). Everything is read that changes bytes; what only concerns Kafka's Java classes is not.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

__all__ = ["NO_VERSION", "PRIMITIVES", "Api", "Field", "Message", "Versions", "broker_apis", "messages"]

PRIMITIVES: Final = frozenset(
    {"bool", "int8", "int16", "uint16", "int32", "uint32", "int64", "uuid", "float64", "string", "bytes", "records"}
)
_ON_THE_WIRE: Final = frozenset({"name", "type", "versions", "nullableVersions", "taggedVersions", "tag", "fields"})
_IN_JAVA_ONLY: Final = frozenset({"about", "default", "entityType", "ignorable", "mapKey", "zeroCopy"})
_LAST: Final = 32767


@dataclass(frozen=True)
class Versions:
    """Versions from `first` to `last`; none when `last` is smaller."""

    first: int
    last: int

    @classmethod
    def parse(cls, text: str) -> Versions:
        """Read `none`, `3`, `3+` or `3-5`."""
        if text == "none":
            return NO_VERSION
        if text.endswith("+"):
            return cls(int(text[:-1]), _LAST)
        first, _, last = text.partition("-")
        return cls(int(first), int(last or first))

    def __and__(self, other: Versions) -> Versions:
        """The versions that are in both."""
        both = Versions(max(self.first, other.first), min(self.last, other.last))
        return both or NO_VERSION

    def __bool__(self) -> bool:
        """Whether there is any."""
        return self.first <= self.last


NO_VERSION: Final = Versions(0, -1)


@dataclass(frozen=True)
class Field:
    """A field of a message or of a structure in it."""

    name: str
    type: str
    """One of `PRIMITIVES`, or the name of a structure."""
    is_array: bool
    versions: Versions
    nullable: Versions
    tag: int | None
    """Its number where it is a tagged field."""
    fields: Sequence[Field]
    """Those of the structure."""


@dataclass(frozen=True)
class Message:
    """One side of an API."""

    key: int
    name: str
    """Of the API: without `Request` or `Response`."""
    is_request: bool
    versions: Versions
    flexible: Versions
    fields: Sequence[Field]

    def within(self, versions: Versions) -> Message:
        """Reduce to these versions, without the fields that are in none of them."""
        kept = self.versions & versions
        return Message(
            self.key, self.name, self.is_request, kept, self.flexible & kept, tuple(_within(self.fields, kept))
        )


@dataclass(frozen=True)
class Api:
    """An API that brokers answer, and in which versions."""

    key: int
    name: str
    versions: Versions


def broker_apis(jar: Path) -> Iterator[Api]:
    """Yield what brokers of this release answer and its Java clients know, by `messages`' rules of what is left out.

    What only controllers answer is left out too. Definitions before Kafka 2.8 do not say who answers.
    """
    for definition in _definitions(jar):
        answers = {"broker", "zkBroker"} & set(definition.get("listeners", ["broker"]))
        versions = Versions.parse(definition["validVersions"])
        if definition.get("latestVersionUnstable"):
            versions = Versions(versions.first, versions.last - 1)
        if definition["type"] == "request" and answers and versions:
            yield Api(definition["apiKey"], str(definition["name"]).removesuffix("Request"), versions)


def messages(jar: Path) -> Iterator[Message]:
    """Yield requests and responses of every API.

    Left out are APIs of which only the number is left, and versions that Kafka calls unstable: no client uses them
    unless it is told to, and their bytes may change in the next release under the same number.

    Raises
    ------
    ValueError
        A definition has something that this reader does not know.
    """
    found = list(_definitions(jar))
    unstable = {one["apiKey"] for one in found if one.get("latestVersionUnstable")}  # said of the request alone
    for definition in found:
        versions = Versions.parse(definition["validVersions"])
        if definition["apiKey"] in unstable:
            versions = Versions(versions.first, versions.last - 1)
        if versions:
            yield _message(definition, versions)


def _definitions(jar: Path) -> Iterator[Mapping[str, Any]]:
    with zipfile.ZipFile(jar) as archive:
        for name in sorted(archive.namelist()):
            if re.fullmatch(r"common/message/\w+(Request|Response)\.json", name):
                text = archive.read(name).decode()
                yield json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))


def _message(definition: Mapping[str, Any], versions: Versions) -> Message:
    name = str(definition["name"])
    structures = {one["name"]: one["fields"] for one in definition.get("commonStructs", [])}
    return Message(
        key=definition["apiKey"],
        name=re.sub("(Request|Response)$", "", name),
        is_request=definition["type"] == "request",
        versions=versions,
        flexible=Versions.parse(definition["flexibleVersions"]) & versions,
        fields=tuple(_field(one, structures, name) for one in definition["fields"]),
    )


def _field(definition: Mapping[str, Any], structures: Mapping[str, Any], parent: str) -> Field:
    name = f"{parent}.{definition['name']}"
    if unknown := definition.keys() - _ON_THE_WIRE - _IN_JAVA_ONLY:
        raise ValueError(f"{name}: unknown keys {sorted(unknown)}; do they change bytes?")
    versions = Versions.parse(definition["versions"])
    if Versions.parse(definition.get("taggedVersions", "none")) not in (NO_VERSION, versions):
        raise ValueError(f"{name}: tagged in some of its versions only, which the tables cannot say")
    kind = str(definition["type"])
    bare = kind.removeprefix("[]")
    nested = definition.get("fields") or structures.get(bare, [])
    if (bare in PRIMITIVES) == bool(nested):
        raise ValueError(f"{name}: type {kind} is neither known nor a structure with fields")
    return Field(
        name=definition["name"],
        type=bare,
        is_array=kind != bare,
        versions=versions,
        nullable=Versions.parse(definition.get("nullableVersions", "none")) & versions,
        tag=definition.get("tag"),
        fields=tuple(_field(one, structures, name) for one in nested),
    )


def _within(fields: Iterable[Field], versions: Versions) -> Iterator[Field]:
    for field in fields:
        if kept := field.versions & versions:
            yield Field(
                field.name,
                field.type,
                field.is_array,
                kept,
                field.nullable & kept,
                field.tag,
                tuple(_within(field.fields, kept)),
            )
