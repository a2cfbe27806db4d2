"""What a decision sees: the facts that were asked for, and nothing else."""

from __future__ import annotations

from typing import Any, TypeVar

from kwitness.operator.engine.fact_table import FactTable
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.facts import Answer, Fact

__all__ = ["Reading"]

T = TypeVar("T")


class Reading:
    """The `View` of one turn."""

    def __init__(
        self, table: FactTable, facts: frozenset[Fact[Any]], *, now_ms: int, settings: OperatorSettings
    ) -> None:
        self._answers = {fact: answer for fact in facts if (answer := table.get(fact)) is not None}
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
