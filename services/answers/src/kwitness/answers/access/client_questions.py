"""Asks for clients: those that push, and those that do not, with the platform's own where requested."""

from __future__ import annotations

from kwitness.answers.access.questions import Answer, Questions, Selection
from kwitness.answers.views.gaps import UNLISTED
from kwitness.answers.views.ordering import ordered
from kwitness.contracts.envelopes import ClientItem, SilentItem
from kwitness.contracts.owners import text_fits

__all__ = ["pushing_clients", "silent_clients"]


def pushing_clients(questions: Questions, selection: Selection, *, ours: bool) -> Answer[ClientItem]:
    """Return instances that push, by name unless an order is selected.

    Parameters
    ----------
    ours
        The platform's own clients are in the answer.
    """
    answer = questions.clients(selection)
    items = [item for item in answer.items if ours or not item.ours]
    matched = None if answer.matched is None else answer.matched - len(answer.items) + len(items)
    shown = items if selection.order else sorted(items, key=_by_name)
    return answer.model_copy(update={"items": tuple(shown), "matched": matched})


def silent_clients(questions: Questions, selection: Selection, *, ours: bool) -> Answer[SilentItem]:
    """Return clients that do not push, by name unless an order is selected; `ours` as in `pushing_clients`.

    ``left_out`` counts those that the collector does not list, under `UNLISTED`.
    """
    found = questions.silent(ours=ours)
    chosen = {field: value for field, value in selection.filters.items() if value is not None}
    items = [item for item in found.items if all(text_fits(text, getattr(item, key)) for key, text in chosen.items())]
    shown = ordered(items, selection.order) if selection.order else sorted(items, key=_by_name)
    return Answer[SilentItem](
        items=tuple(shown[: selection.limit]),
        matched=len(items),
        missing=found.missing,
        scope=found.scope,
        left_out={UNLISTED: found.left_out} if found.left_out else {},
    )


def _by_name(item: ClientItem | SilentItem) -> tuple[str, str, str]:
    return (item.client_id or "~", item.client_software_name or "~", item.client_instance_id or "")
