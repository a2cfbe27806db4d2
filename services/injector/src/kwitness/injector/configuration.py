"""The injections that count: those of the last content that could be read."""

from __future__ import annotations

import logging

from pydantic import ValidationError

from kwitness.contracts.injections import INJECTIONS_KEY, Injection, InjectionsFile
from kwitness.injector import metrics

__all__ = ["Configuration"]

_LOG = logging.getLogger(__name__)


class Configuration:
    """Takes each content of the ConfigMap; one that cannot be read changes nothing."""

    def __init__(self) -> None:
        self.injections: tuple[Injection, ...] = ()

    def take(self, data: dict[str, str] | None) -> None:
        """Use the data of the ConfigMap; None, that there is no ConfigMap, means that nothing is injected."""
        text = '{"injections": []}' if data is None else data.get(INJECTIONS_KEY, "")
        try:
            self.injections = InjectionsFile.model_validate_json(text).injections
        except ValidationError as error:
            issue = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, issue["loc"]))
            _LOG.error(
                "The injections cannot be read; those before stay",
                extra={"key": INJECTIONS_KEY, "place": place, "detail": issue["msg"]},
            )
            metrics.CONFIG_GOOD.set(0)
            return
        metrics.CONFIG_GOOD.set(1)
        metrics.INJECTIONS.set(len(self.injections))
        _LOG.info("Injections", extra={"count": len(self.injections)})
