"""Shows connections that are open at observers (`kwitness connections`)."""

from __future__ import annotations

import time
from typing import Annotated, Final

import typer

from kwitness.answers.access.questions import Answer, Selection
from kwitness.answers.access.routes import questions_to
from kwitness.answers.failure import WrongUseError
from kwitness.answers.views.connection_counts import COUNTED_FIELDS, ConnectionCount, connection_counts, fields_to_count
from kwitness.answers.views.connection_rows import CONNECTION_HEADINGS, connection_cells
from kwitness.cli.looking_again import show_again
from kwitness.cli.named_arguments import ClusterOption
from kwitness.cli.noun_answers import NO_OBSERVER, Table, show_answer
from kwitness.cli.options import Options, WatchOption, new_app, shared
from kwitness.cli.output import Output
from kwitness.cli.progress import working
from kwitness.cli.question_options import with_selection
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.contracts.envelopes import ConnectionItem
from kwitness.contracts.nouns import CONNECTIONS

__all__ = ["app"]

_OPTIONAL: Final = frozenset({"POD", "GROUP", "OPENED", "STATE", "OBSERVER", "ADDRESS", "OWNER"})

app = new_app(SUBCOMMANDS["connections"].about)


def _check_field(value: str | None) -> str | None:
    if value is not None and value not in COUNTED_FIELDS:
        raise typer.BadParameter(f"'{value}' is not one of {', '.join(COUNTED_FIELDS)}.")
    return value


def _complete_field(incomplete: str) -> list[str]:
    return [field for field in COUNTED_FIELDS if field.startswith(incomplete)]


_ByOption = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="FIELD",
        help=f"Count connections by a field: {', '.join(COUNTED_FIELDS)}.",
        callback=_check_field,
        autocompletion=_complete_field,
    ),
]


@app.command()
@shared
@with_selection(CONNECTIONS)
def connections(
    options: Options,
    *,
    selection: Selection,
    by: _ByOption = None,
    cluster: ClusterOption = None,
    watch: WatchOption = False,
) -> None:
    """Show connections that are open at observers, one by one, or with --by their numbers.

    All options must fit; a value that ends with * is a prefix. Observers list their connections on demand, which takes
    some seconds.
    """
    output = Output(options)
    if by is not None and selection.order is not None:
        raise WrongUseError("--sort and --by exclude each other: numbers come with the greatest first")
    with questions_to(options, cluster) as questions:

        def show(refresh: int | None) -> None:
            chosen = selection if by is None else Selection(selection.filters, fields=fields_to_count(by))
            with working("waiting for observers to list their connections"):
                answer = questions.connections(chosen)
            fitting = " that fits" if any(selection.filters.values()) else ""
            empty = f"observers see no open connection{fitting}" if answer.observers else NO_OBSERVER
            if by is None:
                show_answer(output, answer, _connections_at(time.time()), empty=lambda: empty, refresh=refresh)
            else:
                counts = _counted(answer, by, selection.limit)
                show_answer(output, counts, _counts_by(by), empty=lambda: empty, refresh=refresh, more={"by": by})

        show_again(show, watch=watch)


def _connections_at(now_s: float) -> Table[ConnectionItem]:
    now_ms = int(now_s * 1000)
    return Table(
        ConnectionItem,
        CONNECTION_HEADINGS,
        lambda item: connection_cells(item, now_ms),
        lambda item: item.client_id,
        _OPTIONAL,
    )


def _counts_by(field: str) -> Table[ConnectionCount]:
    headings = (field.upper().replace("_", " "), "CONNECTIONS")
    return Table(ConnectionCount, headings, lambda count: (count.value, count.connections), lambda count: count.value)


def _counted(answer: Answer[ConnectionItem], field: str, limit: int | None) -> Answer[ConnectionCount]:
    counts = connection_counts(answer.items, field)
    known = answer.model_dump(by_alias=True, exclude={"items", "matched", "continue_"})
    return Answer[ConnectionCount].model_validate({**known, "items": counts[:limit], "matched": len(counts)})
