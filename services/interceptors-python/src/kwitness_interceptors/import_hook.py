"""Gives the clients' modules hooks as the application imports them, whenever that is.

Finder and loader are no subclasses of those in `importlib.abc`, whose import takes longer than all of this.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Optional

from .clients.registry import AFTER_LOADING, intercept

__all__ = ["install"]

_PACKAGE = "kwitness_interceptors"
_LOCK = threading.Lock()


def install() -> None:
    """Intercept the clients that are imported from now on, and of those that are loaded what can still be reached.

    Calling it again changes nothing. Classes of confluent-kafka that a module took by ``from confluent_kafka import
    Producer`` before are out of reach.
    """
    with _LOCK:
        if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
            sys.meta_path.insert(0, _Finder())
    for name in AFTER_LOADING:
        module = sys.modules.get(name)
        if module is not None:
            _intercept(module)


class _Finder:
    """Finds what the others find, and has it intercepted once it is loaded."""

    def __init__(self) -> None:
        self._asked = threading.local()

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None
    ) -> Optional[ModuleSpec]:
        # Hooks of others ask all finders again, this one too.
        if fullname not in AFTER_LOADING or getattr(self._asked, "name", None) == fullname:
            return None
        self._asked.name = fullname
        try:
            spec = _found_by_others(self, fullname, path, target)
        finally:
            self._asked.name = None
        if spec is not None and spec.loader is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _Loader(spec.loader)  # type: ignore[assignment] # as the import system sees it
        return spec


class _Loader:
    """Loads by the loader that was found, and leaves no other trace in the module than the hooks."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> Optional[ModuleType]:
        created: Optional[ModuleType] = self._loader.create_module(spec)
        return created

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _intercept(module)


def _found_by_others(
    finder: object, fullname: str, path: Optional[Sequence[str]], target: Optional[ModuleType]
) -> Optional[ModuleSpec]:
    for other in sys.meta_path:
        if other is not finder and hasattr(other, "find_spec"):
            spec = other.find_spec(fullname, path, target)
            if spec is not None:
                return spec
    return None


def _intercept(module: ModuleType) -> None:
    """Give a module hooks; a version that is not as expected is left as it is."""
    try:
        intercept(module)
    except BaseException as error:
        from .containment import FAILURES, is_contained, reason_of  # noqa: PLC0415 - programs without clients need none

        if not is_contained(error):
            raise
        FAILURES.add(_PACKAGE, "load", f"{module.__name__} has no interceptors in this process: {reason_of(error)}")
