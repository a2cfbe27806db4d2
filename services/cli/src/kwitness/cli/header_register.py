"""Reads a HeaderRegistry from a file, as far as constants need it; the API server judges the rest."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kwitness.answers.failure import CommandFailedError

TYPES = ("String", "Bytes", "Int32", "Int64", "Uuid", "Timestamp", "Json")
_NAME = re.compile(r"[!-~]{1,128}")
_LARGEST_ID = 2**31 - 1
_FROM_THE_CLUSTER = "`kubectl get headerregistry NAME -o json` writes one"


class RegisteredHeader(NamedTuple):
    """One key; `deprecated` says what to use instead, and is empty where it is in use."""

    name: str
    type: str
    id: int | None
    description: str
    deprecated: str


class Register(NamedTuple):
    """A HeaderRegistry by its name, with its keys in their order."""

    name: str
    headers: tuple[RegisteredHeader, ...]


def read_register(file: str) -> Register:
    """Return the register in a file, which is JSON or YAML; `-` is the standard input.

    Raises
    ------
    CommandFailedError
        The file cannot be read, is no HeaderRegistry, or has keys without what constants need.
    """
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailedError(f"{file} cannot be read ({error}): name a HeaderRegistry in JSON or YAML") from error
    document = _document(file, text)
    if not isinstance(document, dict) or document.get("kind") != "HeaderRegistry":
        kind = document.get("kind") if isinstance(document, dict) else type(document).__name__
        raise CommandFailedError(f"{file} is no HeaderRegistry but {kind}: give one, {_FROM_THE_CLUSTER}")
    return _register(file, document)


def _document(file: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        pass  # YAML, of which JSON is a part
    try:
        import yaml  # noqa: PLC0415 - the distribution itself depends on nothing
    except ImportError as error:
        raise CommandFailedError(
            f"{file} is no JSON, and to read YAML PyYAML is needed: `pip install PyYAML`, or give JSON: "
            f"{_FROM_THE_CLUSTER}"
        ) from error
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise CommandFailedError(f"{file} is neither JSON nor one document of YAML: {error}") from error


def _register(file: str, document: Mapping[str, Any]) -> Register:
    metadata, spec, status = (_object(file, document, part) for part in ("metadata", "spec", "status"))
    if taken := [f"{one.get('key')} ({one.get('by') or 'nobody any more'})" for one in _items(file, status, "taken")]:
        raise CommandFailedError(
            f"{file} has keys that somebody else has: {', '.join(taken)}; take them out of spec.keys, or ask the owner"
        )
    given = {one.get("name"): one.get("id") for one in _items(file, status, "ids")}
    headers = tuple(_header(file, one, given) for one in _items(file, spec, "keys"))
    _refuse_twice(file, "name", [one.name for one in headers])
    _refuse_twice(file, "id", [str(one.id) for one in headers if one.id is not None])
    waiting = [one.name for one in headers if one.id is None] if spec.get("idRange") else []
    if waiting:
        raise CommandFailedError(
            f"{file} says nothing yet of the ids that {', '.join(waiting)} get from spec.idRange: apply it, and give "
            f"what the cluster has, with its status: {_FROM_THE_CLUSTER}"
        )
    name = metadata.get("name")
    if not isinstance(name, str) or not name:
        raise CommandFailedError(f"{file} has no metadata.name: add it")
    return Register(name, headers)


def _refuse_twice(file: str, what: str, seen: list[str]) -> None:
    if twice := sorted(one for one in set(seen) if seen.count(one) > 1):
        raise CommandFailedError(f"{file} has two keys with the {what} {twice[0]}: give each its own")


def _header(file: str, key: Mapping[str, Any], given: Mapping[Any, Any]) -> RegisteredHeader:
    name = key.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise CommandFailedError(f"{file} has a key {name!r}: give 1 to 128 printable ASCII characters without blanks")
    if key.get("type") not in TYPES:
        raise CommandFailedError(f"{file}: {name} has the type {key.get('type')!r}: give one of {', '.join(TYPES)}")
    number = key.get("id", given.get(name))
    if number is not None and (type(number) is not int or not 0 <= number <= _LARGEST_ID):
        raise CommandFailedError(f"{file}: {name} has the id {number!r}: give a whole number from 0 to {_LARGEST_ID}")
    return RegisteredHeader(name, key["type"], number, _text(key.get("description")), _text(key.get("deprecated")))


def _text(value: object) -> str:
    """In one line, and such that it can be written."""
    return " ".join(str(value or "").encode(errors="replace").decode().split())


def _object(file: str, holder: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = holder.get(name) or {}
    if not isinstance(found, dict):
        raise CommandFailedError(f"{file}: {name} is no object: write it as a HeaderRegistry has it")
    return found


def _items(file: str, holder: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = holder.get(name) or []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise CommandFailedError(f"{file}: {name} is no list of objects: write it as a HeaderRegistry has it")
    return found
