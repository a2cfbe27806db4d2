"""Observers by the names of their classes: what can be wrong with one is said before the first event."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import TypeVar

from kwitness.observer.interface import Observer

__all__ = ["UnusableObserverError", "configured", "find_observer", "make_observer", "reason_of"]

T = TypeVar("T", bound=Observer)

_LONGEST_REASON = 300


class UnusableObserverError(Exception):
    """A class cannot be used as an observer; names the class, what is wrong, and what to do."""


def make_observer(class_name: str, config: Mapping[str, str]) -> Observer:
    """Import a class by its full name, such as ``shop.audit.Orders``, make one and configure it.

    Raises
    ------
    UnusableObserverError
        There is no such class, it is no `Observer`, it cannot be constructed, or `configure` raised.
    """
    return configured(find_observer(class_name), config)


def configured(kind: type[T], config: Mapping[str, str]) -> T:
    """Make an observer of this class and configure it.

    Raises
    ------
    UnusableObserverError
        It cannot be constructed, or `configure` raised.
    """
    name = f"{kind.__module__}.{kind.__qualname__}"
    missing = sorted(getattr(kind, "__abstractmethods__", ()))
    if missing:
        raise UnusableObserverError(f"{name} does not implement {', '.join(missing)}: write these methods")
    try:
        inspect.signature(kind).bind()
    except TypeError as error:
        raise UnusableObserverError(
            f"the constructor of {name} takes arguments ({error}): observers are made without any; take settings in"
            " configure"
        ) from error
    try:
        observer = kind()
    except BaseException as error:
        _raise_if_interrupted(error)
        raise UnusableObserverError(
            f"the constructor of {name} raised {reason_of(error)}: correct the class"
        ) from error
    try:
        observer.configure(dict(config))
    except BaseException as error:
        _raise_if_interrupted(error)
        given = f"the keys {', '.join(sorted(config))}" if config else "no settings"
        raise UnusableObserverError(
            f"configure of {name} raised {reason_of(error)}; it was given {given}: correct config of the observer"
        ) from error
    return observer


def reason_of(error: BaseException) -> str:
    """What an observer raised, in one line of bounded length."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - its text is the observer's own code, too
        text = ""
    kind = type(error).__name__
    return f"{kind}: {text}"[:_LONGEST_REASON] if text else kind


def find_observer(class_name: str) -> type[Observer]:
    """Import a class.

    Raises
    ------
    UnusableObserverError
        There is none of this name, or it is no `Observer`.
    """
    module_name, _, name = class_name.rpartition(".")
    if not module_name:
        raise UnusableObserverError(
            f"{class_name!r} is no full name of a class: write it with its module, such as shop.audit.Orders"
        )
    try:
        module = importlib.import_module(module_name)
    except BaseException as error:
        _raise_if_interrupted(error)
        raise UnusableObserverError(
            f"the module of {class_name} cannot be imported ({reason_of(error)}): install it in the image of the host,"
            " or correct className"
        ) from error
    found = getattr(module, name, None)
    if found is None:
        raise UnusableObserverError(f"module {module_name} has no class {name}: correct className, or the module")
    if not (isinstance(found, type) and issubclass(found, Observer)):
        raise UnusableObserverError(
            f"{class_name} is no subclass of kwitness.observer.Observer: derive the class from it"
        )
    return found


def _raise_if_interrupted(error: BaseException) -> None:
    """Whatever else an observer's code raises, SystemExit too, is its own; only a person's Ctrl-C is not."""
    if isinstance(error, KeyboardInterrupt):
        raise error
