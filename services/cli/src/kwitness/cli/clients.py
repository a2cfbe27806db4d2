"""Shows clients that push metrics, and those that do not with reasons (`kwitness clients`)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Final, TypeVar

import typer

from kwitness.answers.access.client_questions import pushing_clients, silent_clients
from kwitness.answers.access.questions import Answer, Selection
from kwitness.answers.access.routes import questions_to
from kwitness.answers.failure import WrongUseError
from kwitness.answers.views.client_rows import CLIENT_HEADINGS, client_cells
from kwitness.answers.views.client_state import state_of
from kwitness.answers.views.client_story import next_step
from kwitness.answers.views.instance_ids import shortened
from kwitness.answers.views.silence import SILENT_HEADINGS, WHY_HEADINGS, silent_cells
from kwitness.cli.completed_names import names_of
from kwitness.cli.looking_again import show_again
from kwitness.cli.named_arguments import ClusterOption, named
from kwitness.cli.noun_answers import Table, show_answer
from kwitness.cli.options import Options, WatchOption, new_app, shared
from kwitness.cli.output import Output
from kwitness.cli.question_options import FILTERS, with_name, with_selection
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.contracts.envelopes import ClientItem, SilentItem
from kwitness.contracts.nouns import CLIENTS

__all__ = ["app", "client_table"]

_OPTIONAL: Final = frozenset({"ADDRESS", "POD", "METRICS", "OWNER", "INTERVAL", "PRINCIPAL", "SEEN BY", "CONNECTIONS"})

Client = TypeVar("Client", ClientItem, SilentItem)

app = new_app(SUBCOMMANDS["clients"].about)


@app.command()
@shared
@with_selection(CLIENTS)
def clients(
    options: Options,
    *,
    client: Annotated[
        str | None, named("[CLIENT]", "Client id, or a prefix of one.", names_of(CLIENTS.path, "client_id"))
    ] = None,
    selection: Selection,
    cluster: ClusterOption = None,
    silent: Annotated[bool, typer.Option("--silent", help="Show clients that do not push.")] = False,
    why: Annotated[bool, typer.Option("--why", help="Show the reason and what to do.")] = False,
    ours: Annotated[bool, typer.Option("--ours", help="Include kwitness' own clients.")] = False,
    watch: WatchOption = False,
) -> None:
    """Show client instances that push metrics, or with --silent clients that do not.

    All options must fit; a value that ends with * is a prefix. A client is a process' producer, consumer or admin
    client: one application may have several, all with the same client id.
    """
    if silent:
        _refuse_unknown_of_silent(selection)
    output = Output(options)
    with questions_to(options, cluster) as questions:

        def show(refresh: int | None) -> None:
            if silent:
                found = _named(lambda chosen: silent_clients(questions, chosen, ours=ours), selection, client)
                table = _silent_table(found.items, output, why=why)
                show_answer(output, found, table, empty=lambda: "every client that is known pushes", refresh=refresh)
                return
            pushing = _named(lambda chosen: pushing_clients(questions, chosen, ours=ours), selection, client)
            fitting = " that fits" if client or any(selection.filters.values()) else ""
            empty = f"no client pushes metrics{fitting}: `kwitness clients --silent --why` shows those that do not"
            table_of_pushing = client_table(pushing.items, output, why=why)
            show_answer(output, pushing, table_of_pushing, empty=lambda: empty, refresh=refresh)

        show_again(show, watch=watch)


def _named(ask: Callable[[Selection], Answer[Client]], selection: Selection, name: str | None) -> Answer[Client]:
    """Return the clients with the client id `name`, else those whose client ids begin with it."""
    answer = ask(with_name(selection, "client_id", name))
    if name is None or name.endswith("*") or answer.items:
        return answer
    return ask(with_name(selection, "client_id", f"{name}*"))


def _refuse_unknown_of_silent(selection: Selection) -> None:
    options = [
        FILTERS[field].option
        for field, value in selection.filters.items()
        if value is not None and field not in SilentItem.model_fields
    ]
    if selection.order and selection.order.removeprefix("-") not in SilentItem.model_fields:
        options.append(f"--sort {selection.order}")
    if options:
        raise WrongUseError(f"clients that do not push are not known by that: leave out {options[0]}, or --silent")


def client_table(items: Iterable[ClientItem], output: Output, *, why: bool = False) -> Table[ClientItem]:
    """Return the form of clients that push."""
    now_ms = int(time.time() * 1000)
    ids = _ids(items, output)
    is_wide = output.format == "wide"

    def cells(item: ClientItem) -> Sequence[str | None]:
        line = list(client_cells(item, ids.get(item.client_instance_id or ""), now_ms))
        if is_wide:
            line.append(", ".join(item.known_wrong) or None)
        if why:
            line.append(next_step(item, state_of(item, now_ms)))
        return line

    headings = (*CLIENT_HEADINGS, *(("KNOWN WRONG",) if is_wide else ()), *(("WHAT TO DO",) if why else ()))
    return Table(ClientItem, headings, cells, _name, _OPTIONAL)


def _silent_table(items: Iterable[SilentItem], output: Output, *, why: bool) -> Table[SilentItem]:
    ids = _ids(items, output)
    return Table(
        SilentItem,
        (*SILENT_HEADINGS, *WHY_HEADINGS) if why else SILENT_HEADINGS,
        lambda item: silent_cells(item, ids.get(item.client_instance_id or ""), why=why),
        _name,
        _OPTIONAL,
    )


def _ids(items: Iterable[ClientItem | SilentItem], output: Output) -> dict[str, str]:
    known = [item.client_instance_id for item in items if item.client_instance_id is not None]
    return dict(zip(known, known, strict=True)) if output.format == "wide" else shortened(known)


def _name(item: ClientItem | SilentItem) -> str | None:
    return item.client_instance_id or item.client_id
