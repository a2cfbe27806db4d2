"""What a decision sees: the facts that were asked for, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel

from kwitness.operator.model.parse_resource import parse_resources
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.facts import Answer, Body, Fact

__all__ = ["Reading"]

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)


class Reading:
    """The `View` of one turn; ``known`` answers facts, each of which is read once."""

    def __init__(
        self,
        known: Callable[[Fact[Any]], Answer[Any] | None],
        facts: frozenset[Fact[Any]],
        *,
        now_ms: int,
        settings: OperatorSettings,
    ) -> None:
        self._answers = {fact: answer for fact in facts if (answer := known(fact)) is not None}
        self._parsed: dict[Fact[Any], tuple[Any, ...]] = {}
        self._now_ms = now_ms
        self._settings = settings

    @property
    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return self._now_ms

    @property
    def settings(self) -> OperatorSettings:
        """What the installation decides."""
        return self._settings

    def get(self, fact: Fact[T]) -> Answer[T] | None:
        """What is known of a fact; None while it was not asked for or has not been answered."""
        return self._answers.get(fact)

    def __getitem__(self, fact: Fact[T]) -> Answer[T]:
        """The answer to a fact that was needed.

        Raises
        ------
        KeyError
            Nobody asked for it.
        """
        return self._answers[fact]

    def resources(self, model: type[M], fact: Fact[tuple[Body, ...]]) -> tuple[M, ...]:
        """Return the resources of a fact that can be read, parsed once; none while it is not known."""
        if fact not in self._parsed:
            answer = self._answers.get(fact)
            self._parsed[fact] = tuple(parse_resources(model, (answer.value if answer is not None else None) or ()))
        return self._parsed[fact]
