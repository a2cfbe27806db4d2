"""Kafka's message definitions as tables of the crate `services/protocol`: write them, or tell that they are stale.

Usage: `python -m kwitness.devtools.wire.tables [--check]`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from kwitness.devtools.wire.definitions import NO_VERSION, Field, Message, Versions, messages
from kwitness.devtools.wire.kafka_clients import NEWEST, OLDEST, clients_jar

__all__ = ["TABLES", "main", "merged", "tables"]

_ROOT = Path(__file__).resolve().parents[5]
TABLES: Final = _ROOT / "services/protocol/src/schema/generated.rs"

_MARK: Final = (
    f"// Generated from the message definitions of Kafka {OLDEST} and {NEWEST} by `make generate`; do not edit."
)
_START: Final = (
    "use super::table::{Api, Field, Layout, Versions};",
    "",
    "const NEVER: Versions = Versions::NEVER;",
    "",
    "pub(super) static APIS: &[Api] = &[",
)


def merged(older: Iterable[Message], newer: Iterable[Message]) -> list[Message]:
    """Every version of every message once: from `newer` where that knows it, else from `older`.

    Older versions stay layouts of their own, because a newer definition forgets fields that only they had.
    """
    known = {(message.key, message.is_request): message for message in newer}
    result = list(known.values())
    for message in older:
        successor = known.get((message.key, message.is_request))
        if successor is None:
            result.append(message)
        elif message.versions.first < successor.versions.first:
            result.append(message.within(Versions(0, successor.versions.first - 1)))
    return sorted(result, key=lambda message: (message.key, not message.is_request, message.versions.first))


def tables(found: Iterable[Message]) -> str:
    """The text of the Rust module."""
    by_key: dict[int, list[Message]] = {}
    for message in found:
        by_key.setdefault(message.key, []).append(message.within(message.versions))
    lines = [line for sides in by_key.values() for line in _api(sides)]
    kinds = {kind for sides in by_key.values() for message in sides for kind in _kinds(message.fields)}
    return "\n".join((_MARK, "", f"use super::table::Kind::{{{', '.join(sorted(kinds))}}};", *_START, *lines, "];", ""))


def _kinds(fields: Iterable[Field]) -> Iterator[str]:
    """Yield the variants of `Kind` that are needed; Rust refuses to import others."""
    for field in fields:
        if field.is_array:
            yield "Array"
        yield "Struct" if field.fields else field.type.capitalize()
        yield from _kinds(field.fields)


def _api(sides: Sequence[Message]) -> Iterator[str]:
    yield f'    Api {{ key: {sides[0].key}, name: "{sides[0].name}",'
    for side, is_request in (("requests", True), ("responses", False)):
        yield f"        {side}: &["
        for message in sides:
            if message.is_request == is_request:
                yield (
                    f"            Layout {{ versions: {_versions(message.versions)},"
                    f" flexible: {_versions(message.flexible)}, fields: &["
                )
                yield from _fields(message.fields, " " * 16)
                yield "            ] },"
        yield "        ],"
    yield "    },"


def _fields(fields: Iterable[Field], indent: str) -> Iterator[str]:
    for field in fields:
        rest = (
            f"versions: {_versions(field.versions)}, nullable: {_versions(field.nullable)},"
            f" tag: {'None' if field.tag is None else f'Some({field.tag})'} }},"
        )
        start = f'{indent}Field {{ name: "{field.name}", kind: '
        if field.fields:
            yield f"{start}{'Array(&Struct(&[' if field.is_array else 'Struct(&['}"
            yield from _fields(field.fields, indent + "    ")
            yield f"{indent}{']))' if field.is_array else '])'}, {rest}"
        else:
            kind = field.type.capitalize()
            yield f"{start}{f'Array(&{kind})' if field.is_array else kind}, {rest}"


def _versions(versions: Versions) -> str:
    return "NEVER" if versions == NO_VERSION else f"Versions::new({versions.first}, {versions.last})"


def main(arguments: Sequence[str]) -> int:
    """Write the module; with `--check` only compare, and return 1 when it is stale."""
    text = tables(merged(messages(clients_jar(OLDEST)), messages(clients_jar(NEWEST))))
    if TABLES.is_file() and TABLES.read_text() == text:
        return 0
    if "--check" in arguments:
        print(f"stale: {TABLES.relative_to(_ROOT)}; run `make generate` and commit", file=sys.stderr)
        return 1
    TABLES.write_text(text)
    print(f"wrote {TABLES.relative_to(_ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
