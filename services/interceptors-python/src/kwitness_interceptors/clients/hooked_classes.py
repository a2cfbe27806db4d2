"""How classes of clients get hooks: in a class that is derived from theirs, or in their own places."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["CHAIN", "Method", "closing", "derived", "in_place", "is_hooked"]

CHAIN = "_kwitness_chain"
"""Attribute of a client with its chain; None where it has none."""

_DONE = "_kwitness_intercepted"

Method = Callable[..., Any]


def is_hooked(kind: type) -> bool:
    """Whether a class, or one that it is derived from, has hooks."""
    return bool(getattr(kind, _DONE, False))


def derived(kind: type, hooks: Mapping[str, Any]) -> type:
    """Derive a class that looks like its base; one that has hooks is returned as it is."""
    if is_hooked(kind):
        return kind
    looks = {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": kind.__doc__, _DONE: True}
    return type(kind.__name__, (kind,), {**looks, **hooks})


def in_place(kind: type, hooks: Mapping[str, Any]) -> None:
    """Give a class hooks of its own, once, whatever those that it is derived from have."""
    if _DONE not in vars(kind):
        for name, value in {**hooks, _DONE: True}.items():
            setattr(kind, name, value)


def closing(original: Method) -> Method:
    """Return a method that closes the chain after the client."""

    def close(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(self, *args, **kwargs)
        finally:
            chain = getattr(self, CHAIN, None)
            if chain is not None:
                chain.close()

    return close
