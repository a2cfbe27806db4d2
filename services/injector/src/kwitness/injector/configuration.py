"""The injections that count: those of the last contents that could be read."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from kwitness.contracts.injections import INJECTIONS_KEY, Injection, InjectionsFile
from kwitness.contracts.interceptor_injections import InterceptorInjection, InterceptorInjectionsFile
from kwitness.injector import metrics

__all__ = ["Configuration"]

File = TypeVar("File", bound=BaseModel)

_OBSERVERS: Final = "observers"
_INTERCEPTORS: Final = "interceptors"

_LOG = logging.getLogger(__name__)


class Configuration:
    """Takes each content of the two ConfigMaps; one that cannot be read changes nothing."""

    def __init__(self) -> None:
        self.injections: tuple[Injection, ...] = ()
        self.interceptors: tuple[InterceptorInjection, ...] = ()
        self._unreadable: set[str] = set()

    def take(self, data: dict[str, str] | None) -> None:
        """Use the data of the ConfigMap of observers; None, that there is none, means that nothing is injected."""

        def used(file: InjectionsFile) -> int:
            self.injections = file.injections
            metrics.INJECTIONS.set(len(file.injections))
            return len(file.injections)

        self._take(_OBSERVERS, InjectionsFile, data, used)

    def take_interceptors(self, data: dict[str, str] | None) -> None:
        """Use the data of that of interceptors."""

        def used(file: InterceptorInjectionsFile) -> int:
            self.interceptors = file.injections
            metrics.INTERCEPTOR_INJECTIONS.set(len(file.injections))
            return len(file.injections)

        self._take(_INTERCEPTORS, InterceptorInjectionsFile, data, used)

    def _take(self, what: str, model: type[File], data: dict[str, str] | None, use: Callable[[File], int]) -> None:
        text = '{"injections": []}' if data is None else data.get(INJECTIONS_KEY, "")
        try:
            file = model.model_validate_json(text)
        except ValidationError as error:
            issue = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, issue["loc"]))
            _LOG.error(
                "The injections cannot be read; those before stay",
                extra={"of": what, "key": INJECTIONS_KEY, "place": place, "detail": issue["msg"]},
            )
            self._unreadable.add(what)
        else:
            _LOG.info("Injections", extra={"of": what, "count": use(file)})
            self._unreadable.discard(what)
        metrics.CONFIG_GOOD.set(0 if self._unreadable else 1)
