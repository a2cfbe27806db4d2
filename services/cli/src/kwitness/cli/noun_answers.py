"""Shows answers about nouns, and on standard error what they lack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

from pydantic import BaseModel

from kwitness.answers.access.answer_lacks import lacks_of
from kwitness.answers.access.questions import Answer, Questions, Selection
from kwitness.answers.views.csv_rows import model_columns
from kwitness.cli.columns import columns_of, row_of
from kwitness.cli.looking_again import begin_refresh
from kwitness.cli.output import Output, warn

__all__ = ["NO_OBSERVER", "Table", "nothing_counted", "show_answer", "warn_of_gaps"]

NO_OBSERVER: Final = (
    "no observer reports to this collector, so connections, traffic and lag of groups are not known: apply an "
    "ObserverDeployment"
)
_BESIDE_ITEMS: Final = {"matched", "left_out", "missed_at_most", "observers", "scope", "incomplete"}
Item = TypeVar("Item", bound=BaseModel)


class Table(NamedTuple, Generic[Item]):
    """The form of a noun's items: model for CSV, cells for tables, and names."""

    model: type[Item]
    headings: Sequence[str]
    cells: Callable[[Item], Sequence[Any]]
    name: Callable[[Item], str | None]
    optional: frozenset[str] = frozenset()


def show_answer(
    output: Output,
    answer: Answer[Item],
    table: Table[Item],
    *,
    empty: Callable[[], str],
    refresh: int | None,
    more: dict[str, Any] | None = None,
) -> None:
    """Show an answer.

    Parameters
    ----------
    empty
        Returns the reason why there is no item; called if there is none and the answer is not partial.
    refresh
        As in `Output.document`.
    more
        Further fields of the document.
    """
    warn_of_gaps(answer)
    if not output.is_table:
        document = {
            "items": [item.model_dump(mode="json", by_alias=True, exclude_none=True) for item in answer.items],
            **(more or {}),
            "missing": list(answer.missing),
            **answer.model_dump(mode="json", include=_BESIDE_ITEMS, exclude_defaults=True),
        }
        columns, names = model_columns(table.model), map(table.name, answer.items)
        output.document(document, columns=columns, names=names, refresh=refresh)
    else:
        if refresh is not None:
            begin_refresh(refresh)
        if answer.items:
            rows = [row_of(table.headings, table.cells(item)) for item in answer.items]
            output.table(columns_of(table.headings, optional=table.optional), rows)
    if not answer.items and not answer.missing:
        warn(empty())


def warn_of_gaps(answer: Answer[Any]) -> None:
    """Warn of all that the answer lacks."""
    left = (answer.matched or 0) - len(answer.items)
    if left > 0 or (answer.matched is None and answer.continue_):
        number = f"{left} of {answer.matched}" if left > 0 else "more"
        warn(f"{number} are not shown: select by other options, or show more by --limit")
    for text in lacks_of(answer):
        warn(text)


def nothing_counted(questions: Questions, selection: Selection) -> str:
    """Return the reason why observers counted nothing that fits."""
    if not questions.has_observers():
        return NO_OBSERVER
    fitting = " that fits" if any(selection.filters.values()) else ""
    return f"observers counted nothing{fitting} in their last three windows"
