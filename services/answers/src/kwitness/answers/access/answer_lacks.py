"""Words what an answer about a noun lacks, beside items that a limit leaves out."""

from __future__ import annotations

from typing import Any

from kwitness.answers.access.questions import Answer
from kwitness.answers.views.advice import scope_text
from kwitness.answers.views.gaps import gaps_of, left_out_of
from kwitness.answers.views.metric_values import number_text
from kwitness.contracts.plain_text import plain_text

__all__ = ["lacks_of"]


def lacks_of(answer: Answer[Any]) -> list[str]:
    """Return a sentence for each thing that an answer lacks, of replicas, scopes, observers and memory."""
    lacks = [] if answer.scope is None else [plain_text(scope_text(answer.scope))]
    lacks += gaps_of(answer)
    if answer.missed_at_most is not None:
        most = number_text(answer.missed_at_most)
        lacks.append(
            f"the collector's replicas each know a part: what is not shown has at most {most} of the sorted field"
        )
    return [*lacks, *map(plain_text, left_out_of(answer.left_out, answer.observers))]
