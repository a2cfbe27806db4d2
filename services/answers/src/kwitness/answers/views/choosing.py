"""Which client instances a person means by a client id, an instance id or the beginning of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from kwitness.answers.failure import CommandFailedError
from kwitness.contracts.envelopes import ClientItem, SilentItem

__all__ = ["choose", "choose_silent"]

_SHOWN: Final = 8
Named = TypeVar("Named", ClientItem, SilentItem)


def choose(clients: Iterable[ClientItem], text: str) -> Sequence[ClientItem]:
    """The instances of the client id `text`, the instance of that id, or the one whose name begins with it; or none.

    Raises
    ------
    CommandFailedError
        More than one client begins with it.
    """
    return _choose(clients, text)


def choose_silent(silent: Iterable[SilentItem], text: str) -> Sequence[SilentItem]:
    """As `choose`, of clients that do not push."""
    return _choose(silent, text)


def _choose(known: Iterable[Named], text: str) -> Sequence[Named]:
    everybody = tuple(known)
    whole: tuple[Callable[[Named], bool], ...] = (
        lambda one: one.client_id == text,
        lambda one: one.client_instance_id == text,
    )
    for fits in whole:
        if found := [one for one in everybody if fits(one)]:
            return found
    found = [one for one in everybody if _begins(one.client_instance_id, text) or _begins(one.client_id, text)]
    if len({one.client_id for one in found}) > 1:
        raise CommandFailedError(_ambiguous(found, text))
    return found


def _begins(name: str | None, text: str) -> bool:
    return name is not None and bool(text) and name.startswith(text)


def _ambiguous(found: Sequence[ClientItem] | Sequence[SilentItem], text: str) -> str:
    names = sorted({one.client_id or one.client_instance_id or "?" for one in found})
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{text} is the beginning of {len(names)} clients: {', '.join(names[:_SHOWN])}{more}; write more of the name"
