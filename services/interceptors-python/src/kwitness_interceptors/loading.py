"""Interceptors from `interceptor.classes`; one that cannot be used is left out, and the client works without it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from .containment import FAILURES, Failures, is_contained, reason_of
from .interface import ConsumerInterceptor, ProducerInterceptor

__all__ = ["find_class", "load"]

T = TypeVar("T", ProducerInterceptor, ConsumerInterceptor)


def load(classes: object, kind: type[T], config: Mapping[str, Any], failures: Failures = FAILURES) -> list[T]:
    """Make and configure interceptors in the order of the list.

    Parameters
    ----------
    classes
        Full names of classes with commas between them, or a list of names, classes or interceptors.
    kind
        `ProducerInterceptor` or `ConsumerInterceptor`; a class that is only the other kind is left out.
    config
        What `configure` gets, with ``client.id``.
    failures
        Who is told of those that are left out.
    """
    loaded: list[T] = []
    view = MappingProxyType(dict(config))
    for one in _entries(classes):
        name = one if isinstance(one, str) else _name_of(one if isinstance(one, type) else type(one))
        hook = "load"
        try:
            interceptor = _made(one, kind)
            hook = "configure"
            interceptor.configure(view)
        except BaseException as error:
            if not is_contained(error):
                raise
            failures.add(name, hook, f"{reason_of(error)}; it is left out")
        else:
            loaded.append(interceptor)
    return loaded


def _entries(classes: object) -> list[object]:
    if classes is None:
        return []
    if isinstance(classes, str):
        return [name.strip() for name in classes.split(",") if name.strip()]
    if isinstance(classes, (list, tuple)):
        return [one.strip() if isinstance(one, str) else one for one in classes]
    return [classes]


def _made(one: object, kind: type[T]) -> T:
    found = find_class(one) if isinstance(one, str) else one
    interceptor = found() if isinstance(found, type) else found
    if not isinstance(interceptor, kind):
        raise TypeError(
            f"it is no kwitness_interceptors.{kind.__name__}: derive the class from it, or take it out of"
            " interceptor.classes"
        )
    return interceptor


def find_class(name: str) -> type:
    """Import a class by its full name, such as ``shop.audit.Orders`` or ``shop.audit:Orders``.

    Raises
    ------
    ValueError, TypeError
        It is no full name, or the module has no such class; whatever the module raises while it is imported.
    """
    module_name, _, attribute = name.partition(":") if ":" in name else name.rpartition(".")
    if not module_name:
        raise ValueError(f"{name!r} is no full name of a class: write it with its module, such as shop.audit.Orders")
    found = getattr(importlib.import_module(module_name), attribute, None)
    if not isinstance(found, type):
        raise TypeError(f"module {module_name} has no class {attribute}: correct the name, or the module")
    return found


def _name_of(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
