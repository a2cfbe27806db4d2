"""Files that people keep in ConfigMaps: owners and rate cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from kwitness.contracts.owners import OwnerList, Owners
from kwitness.contracts.rate_card import RateCard
from kwitness.contracts.resources.references import OwnersConfigMapRef, RateCardConfigMapRef
from kwitness.contracts.yaml_file import YamlFileError, read_yaml
from kwitness.operator.model.errors import TerminalError

__all__ = ["OwnersInFile", "owners_in", "rate_card_in"]

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")

_MOST_OVERLAPS: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class OwnersInFile:
    """Entries of a file; ``overlap`` names those of different teams that match the same, None: there are none.

    The same text has the same object, which is equal to itself alone.
    """

    owners: OwnerList
    overlap: str | None


def owners_in(body: Mapping[str, Any] | None, reference: OwnersConfigMapRef, namespace: str) -> OwnersInFile:
    """Return the owners in the ConfigMap ``body`` in ``namespace``; ``body`` is None where there is none.

    Raises
    ------
    TerminalError
        NoInput: it is not there, or has no such key. InputInvalid: it cannot be used.
    """
    return _read(_owners, body, reference.name, reference.key, namespace)


def rate_card_in(body: Mapping[str, Any] | None, reference: RateCardConfigMapRef, namespace: str) -> RateCard:
    """Likewise."""
    return _read(_rate_card, body, reference.name, reference.key, namespace)


def _overlap_message(owners: Owners) -> str | None:
    found = owners.overlaps()
    if not found:
        return None
    told = [
        f"entry {one.later} ({owners.owners[one.later - 1].team}) with entry {one.earlier}"
        f" ({owners.owners[one.earlier - 1].team})"
        for one in found[:_MOST_OVERLAPS]
    ]
    more = f", and {len(found) - _MOST_OVERLAPS} more" if len(found) > _MOST_OVERLAPS else ""
    return (
        f"owners overlap: {', '.join(told)}{more}; what fits both is the earlier one's: put the narrower entry first,"
        " or match less"
    )


def _read(
    parse: Callable[[str], T | YamlFileError], body: Mapping[str, Any] | None, name: str, key: str, namespace: str
) -> T:
    if body is None:
        raise TerminalError(
            "NoInput", f"there is no ConfigMap {name} in namespace {namespace}: apply it with the key {key}"
        )
    text = (body.get("data") or {}).get(key)
    if text is None:
        raise TerminalError(
            "NoInput", f"ConfigMap {name} in namespace {namespace} has no key {key}: add it, or name another key"
        )
    found = parse(text)
    if isinstance(found, YamlFileError):
        raise TerminalError(
            "InputInvalid", f"{key} of ConfigMap {name} in namespace {namespace} cannot be used: {found}"
        )
    return found


@lru_cache(maxsize=32)
def _owners(text: str) -> OwnersInFile | YamlFileError:
    file = _parsed(Owners, text)
    return file if isinstance(file, YamlFileError) else OwnersInFile(OwnerList.from_file(file), _overlap_message(file))


@lru_cache(maxsize=32)
def _rate_card(text: str) -> RateCard | YamlFileError:
    return _parsed(RateCard, text)


def _parsed(model: type[M], text: str) -> M | YamlFileError:
    try:
        return read_yaml(model, text)
    except YamlFileError as error:
        return error
