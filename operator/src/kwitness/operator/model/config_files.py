"""Files that people keep in ConfigMaps: owners and rate cards."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, TypeVar, cast

from pydantic import BaseModel

from kwitness.contracts.owners import Owners
from kwitness.contracts.rate_card import RateCard
from kwitness.contracts.resources.references import OwnersConfigMapRef, RateCardConfigMapRef
from kwitness.contracts.yaml_file import YamlFileError, read_yaml
from kwitness.operator.model.errors import TerminalError

__all__ = ["overlap_message", "owners_in", "rate_card_in"]

M = TypeVar("M", bound=BaseModel)

_MOST_OVERLAPS: Final = 5


def owners_in(body: Mapping[str, Any] | None, reference: OwnersConfigMapRef, namespace: str) -> Owners:
    """What the ConfigMap in ``namespace`` says, None: there is none.

    Raises
    ------
    TerminalError
        NoInput: it is not there, or has no such key. InputInvalid: it cannot be used.
    """
    return _read(Owners, body, reference.name, reference.key, namespace)


def rate_card_in(body: Mapping[str, Any] | None, reference: RateCardConfigMapRef, namespace: str) -> RateCard:
    """Likewise."""
    return _read(RateCard, body, reference.name, reference.key, namespace)


@lru_cache(maxsize=32)
def overlap_message(owners: Owners) -> str | None:
    """Which entries match the same and are of different teams; None if there are none."""
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


def _read(model: type[M], body: Mapping[str, Any] | None, name: str, key: str, namespace: str) -> M:
    if body is None:
        raise TerminalError(
            "NoInput", f"there is no ConfigMap {name} in namespace {namespace}: apply it with the key {key}"
        )
    text = (body.get("data") or {}).get(key)
    if text is None:
        raise TerminalError(
            "NoInput", f"ConfigMap {name} in namespace {namespace} has no key {key}: add it, or name another key"
        )
    found = _parsed(model, text)
    if isinstance(found, str):
        raise TerminalError(
            "InputInvalid", f"{key} of ConfigMap {name} in namespace {namespace} cannot be used: {found}"
        )
    return cast("M", found)


@lru_cache(maxsize=32)
def _parsed(model: type[BaseModel], text: str) -> BaseModel | str:
    try:
        return read_yaml(model, text)
    except YamlFileError as error:
        return str(error)
