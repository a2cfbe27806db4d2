"""Of the resources that select a pod, the one that it gets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol, TypeVar, cast

from kwitness.contracts.injections import LeftOutReason

__all__ = ["OTHER_INSTALLATION", "choose"]

OTHER_INSTALLATION: Final = "OtherInstallation"
"""Reason where the injector of another installation has injected the pod already: none replaces it."""


class _Owned(Protocol):
    @property
    def owner(self) -> str: ...


C = TypeVar("C", bound=_Owned)
F = TypeVar("F")


def choose(
    candidates: Iterable[C], known: Mapping[str, LeftOutReason], fit: Callable[[C], F | LeftOutReason]
) -> tuple[tuple[C, F] | None, dict[str, LeftOutReason]]:
    """Return the first that fits, with how it does, and why the others have no effect, by owner.

    ``known`` are owners of which that was found out before. ``fit`` says how one comes into the pod, or why it cannot.
    """
    chosen: tuple[C, F] | None = None
    left_out: dict[str, LeftOutReason] = {}
    for candidate in candidates:
        found = known.get(candidate.owner) or fit(candidate)
        if isinstance(found, str):
            left_out[candidate.owner] = cast("LeftOutReason", found)  # mypy takes F for a string as well
        elif chosen is None:
            chosen = (candidate, found)
        else:
            left_out[candidate.owner] = "Conflict"
    return chosen, left_out
