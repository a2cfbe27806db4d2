"""Shows connections that are open at observers (`kwitness connections`)."""

from __future__ import annotations

import time
from typing import Final

from kwitness.cli.looking_again import show_again
from kwitness.cli.noun_answers import NO_OBSERVER, Table, show_answer
from kwitness.cli.options import ClusterOption, Options, WatchOption, new_app, shared
from kwitness.cli.output import Output
from kwitness.cli.progress import working
from kwitness.cli.question_options import with_selection
from kwitness.cli.questions import Selection, questions_to
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.cli.views.connection_rows import CONNECTION_HEADINGS, connection_cells
from kwitness.contracts.envelopes import ConnectionItem
from kwitness.contracts.nouns import CONNECTIONS

__all__ = ["app"]

_OPTIONAL: Final = frozenset({"POD", "GROUP", "OPENED", "STATE", "OBSERVER", "ADDRESS", "OWNER"})

app = new_app(SUBCOMMANDS["connections"].about)


@app.command()
@shared
@with_selection(CONNECTIONS)
def connections(
    options: Options, *, selection: Selection, cluster: ClusterOption = None, watch: WatchOption = False
) -> None:
    """Show connections that are open at observers, one by one.

    All options must fit; a value that ends with * is a prefix. Observers list their connections on demand, which takes
    some seconds.
    """
    output = Output(options)
    with questions_to(options, cluster) as questions:

        def show(refresh: int | None) -> None:
            with working("waiting for observers to list their connections"):
                answer = questions.connections(selection)
            now_ms = int(time.time() * 1000)
            table = Table(
                ConnectionItem,
                CONNECTION_HEADINGS,
                lambda item: connection_cells(item, now_ms),
                lambda item: item.client_id,
                _OPTIONAL,
            )
            fitting = " that fits" if any(selection.filters.values()) else ""
            empty = f"observers see no open connection{fitting}" if answer.observers else NO_OBSERVER
            show_answer(output, answer, table, empty=lambda: empty, refresh=refresh)

        show_again(show, watch=watch)
