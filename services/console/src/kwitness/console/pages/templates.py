"""Fills the templates, which escape all values."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

import jinja2
from typing_extensions import override

from kwitness.answers.views.amounts import lag_text
from kwitness.answers.views.elapsed import ago, span
from kwitness.answers.views.known_wrong import known_wrong
from kwitness.console.pages.job_examples import TRAFFIC_JOB
from kwitness.console.pages.money import money
from kwitness.console.pages.names import link_of, message, sentence, shown
from kwitness.console.pages.numbers import amount, clock, count, rate
from kwitness.console.pages.preferences import PREFERENCES, preferred
from kwitness.console.pages.repeated_parts import RepeatedParts
from kwitness.console.pages.timestamps import timestamp

__all__ = ["Templates"]


_METHODS: Final = frozenset(dir(dict))
NOW: Final[Mapping[str, Any]] = {"past": None, "kept": str, "other_hours": None}
"""Values of pages that show no hour of the past: addresses of other pages are as they are."""


class _Environment(jinja2.Environment):
    """Finds columns of rows at once, which are dicts; Jinja tries attributes first, and each miss is an exception."""

    @override
    def getattr(self, obj: Any, attribute: str) -> Any:
        # Methods stay methods: keys of some dicts are names that clients choose.
        if type(obj) is dict and attribute in obj and attribute not in _METHODS:
            return obj[attribute]
        return super().getattr(obj, attribute)


@functools.cache
def _environment() -> _Environment:
    """Return the environment of all templates, which compiles each once in a process: a page's take 0.1 seconds."""
    environment = _Environment(
        autoescape=True,
        loader=jinja2.PackageLoader("kwitness.console"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(message=message, sentence=sentence, shown=shown)
    environment.globals.update(
        ago=ago,
        clock=clock,
        amount=amount,
        count=count,
        known_wrong=known_wrong,
        lag=lag_text,
        link_of=link_of,
        money=money,
        preferences=PREFERENCES,
        rate=rate,
        span=span,
        traffic_job=TRAFFIC_JOB,
        timestamp=timestamp,
    )
    return environment


class Templates:
    """The templates of the console."""

    def __init__(self) -> None:
        self._environment = _environment()

    def page(self, template: str, /, **values: Any) -> str:
        """Return a page; `preferred`, `address` and `is_inside` (files of the console are answered) have defaults."""
        return self._environment.get_template(template).render(
            {"preferred": preferred({}), "address": "/", "is_inside": True, "once": RepeatedParts(), **NOW, **values}
        )
