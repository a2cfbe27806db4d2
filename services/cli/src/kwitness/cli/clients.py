"""`kwitness clients`: who pushes metrics, and who does not and why."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from kwitness.cli.columns import columns_of, row_of
from kwitness.cli.failure import CommandFailedError, WrongUseError
from kwitness.cli.looking_again import Looks, show_again
from kwitness.cli.options import ClusterOption, Options, new_app, shared
from kwitness.cli.output import Output, warn
from kwitness.cli.questions import Questions, questions_to
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.cli.views.advice import missing_text
from kwitness.cli.views.client_rows import CLIENT_HEADINGS, client_cells
from kwitness.cli.views.client_state import state_of
from kwitness.cli.views.client_story import next_step
from kwitness.cli.views.instance_ids import shortened
from kwitness.cli.views.silence import SILENT_HEADINGS, WHY_HEADINGS, silent_cells
from kwitness.contracts.envelopes import ClientItem, SilentItem

__all__ = ["app"]

_EVERY_S: Final = 5.0
_OPTIONAL: Final = frozenset({"ADDRESS", "POD", "METRICS", "OWNER", "INTERVAL", "PRINCIPAL", "SEEN BY", "CONNECTIONS"})

app = new_app(SUBCOMMANDS["clients"].about)


@app.command()
@shared
def clients(
    options: Options,
    *,
    cluster: ClusterOption = None,
    client_id: Annotated[str | None, typer.Option(metavar="ID", help="Only clients with this client id.")] = None,
    principal: Annotated[str | None, typer.Option(metavar="NAME", help="Only clients of this principal.")] = None,
    group: Annotated[str | None, typer.Option(metavar="ID", help="Only members of this consumer group.")] = None,
    software: Annotated[str | None, typer.Option(metavar="NAME", help="Only clients of this library.")] = None,
    silent: Annotated[bool, typer.Option("--silent", help="Show clients that do not push.")] = False,
    why: Annotated[bool, typer.Option("--why", help="Show the reason and what to do.")] = False,
    ours: Annotated[bool, typer.Option("--ours", help="Include kwitness' own clients.")] = False,
    wide: Annotated[bool, typer.Option("--wide", help="Show whole instance ids.")] = False,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Refresh every 5 s, until Ctrl-C.")] = False,
) -> None:
    """Show client instances that push metrics, or with --silent clients that do not.

    All options must fit. A client is a process' producer, consumer or admin client: one application may have several,
    all with the same client id.
    """
    if silent and group is not None:
        raise WrongUseError("a client that does not push has told nobody its group: leave out --group, or --silent")
    identity = {"client_id": client_id, "principal": principal, "client_software_name": software}
    output = Output(options)
    with questions_to(options, cluster) as questions:
        looks = Looks(None if watch else 0)
        looks.wait_s = _EVERY_S
        for number in looks:
            look = number if watch else None
            try:
                if silent:
                    _show_silent(questions, output, identity, why=why, ours=ours, wide=wide, look=look)
                else:
                    wanted = {**identity, "group_id": group}
                    _show_clients(questions, output, wanted, why=why, ours=ours, wide=wide, look=look)
            except CommandFailedError as error:
                # A collector that was there and is away comes back.
                if not number:
                    raise
                warn(str(error))


def _show_clients(
    questions: Questions,
    output: Output,
    wanted: dict[str, str | None],
    *,
    why: bool,
    ours: bool,
    wide: bool,
    look: int | None,
) -> None:
    found, missing = questions.clients(wanted)
    items = sorted((one for one in found if ours or not one.ours), key=_by_name)
    now_ms = int(time.time() * 1000)
    ids = _ids([one.client_instance_id for one in items], wide=wide)
    headings = (*CLIENT_HEADINGS, "WHAT TO DO") if why else CLIENT_HEADINGS

    def cells(one: ClientItem) -> Sequence[str | None]:
        line = client_cells(one, ids.get(one.client_instance_id or ""), now_ms)
        return (*line, next_step(one, state_of(one, now_ms))) if why else line

    empty = "no client pushes metrics that fits" if any(wanted.values()) else "no client pushes metrics"
    more = "`kwitness clients --silent --why` shows those that do not"
    _show(output, headings, [cells(one) for one in items], items, missing, empty=f"{empty}: {more}", look=look)


def _show_silent(
    questions: Questions,
    output: Output,
    wanted: dict[str, str | None],
    *,
    why: bool,
    ours: bool,
    wide: bool,
    look: int | None,
) -> None:
    found = questions.silent(ours=ours)
    if found.left_out:
        warn(f"{found.left_out} more are not listed, those with the fewest connections")
    missing = found.missing
    items = [
        one for one in found.items if all(value is None or getattr(one, key) == value for key, value in wanted.items())
    ]
    items.sort(key=_by_name)
    ids = _ids([one.client_instance_id for one in items], wide=wide)
    headings = (*SILENT_HEADINGS, *WHY_HEADINGS) if why else SILENT_HEADINGS
    rows = [silent_cells(one, ids.get(one.client_instance_id or ""), why=why) for one in items]
    _show(output, headings, rows, items, missing, empty="every client that is known pushes", look=look)


def _show(
    output: Output,
    headings: Sequence[str],
    rows: Sequence[Sequence[Any]],
    items: Sequence[ClientItem | SilentItem],
    missing: Sequence[int],
    *,
    empty: str,
    look: int | None,
) -> None:
    if missing:
        warn(missing_text(missing))
    document = {"items": [one.model_dump(mode="json", exclude_none=True) for one in items], "missing": list(missing)}
    if look is None and output.format != "table":
        output.document(document)
        return
    if look is not None and show_again(output, document, look):
        return
    if rows:
        output.table(columns_of(headings, optional=_OPTIONAL), [row_of(headings, one) for one in rows])
    elif not missing:
        warn(empty)


def _ids(ids: Sequence[str | None], *, wide: bool) -> dict[str, str]:
    known = [one for one in ids if one is not None]
    return {one: one for one in known} if wide else shortened(known)


def _by_name(one: ClientItem | SilentItem) -> tuple[str, str, str]:
    return (one.client_id or "~", one.client_software_name or "~", one.client_instance_id or "")
