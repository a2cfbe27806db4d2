"""Shows the lag of consumer groups, and their members (`kwitness groups`)."""

from __future__ import annotations

import shlex
import time
from typing import Annotated, Final

from kwitness.answers.access.questions import Answer, Selection
from kwitness.answers.access.routes import questions_to
from kwitness.answers.views.group_rows import GROUP_HEADINGS, group_cells
from kwitness.cli.clients import client_table
from kwitness.cli.completed_names import names_of
from kwitness.cli.looking_again import show_again
from kwitness.cli.named_arguments import ClusterOption, named
from kwitness.cli.noun_answers import Table, nothing_counted, show_answer, warn_of_gaps
from kwitness.cli.options import Options, WatchOption, new_app, shared
from kwitness.cli.output import Output
from kwitness.cli.question_options import with_name, with_selection
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.contracts.envelopes import ClientItem, GroupItem
from kwitness.contracts.nouns import GROUPS
from kwitness.contracts.plain_text import plain_text

__all__ = ["app"]

_OPTIONAL: Final = frozenset({"OWNER", "TOPIC OWNER", "WENT BACK", "AS OF"})

app = new_app(SUBCOMMANDS["groups"].about)


@app.command()
@shared
@with_selection(GROUPS)
def groups(
    options: Options,
    *,
    group: Annotated[
        str | None,
        named(
            "[GROUP]",
            "Group whose members are shown too; with * at its end a prefix.",
            names_of(GROUPS.path, "group_id"),
        ),
    ] = None,
    selection: Selection,
    cluster: ClusterOption = None,
    watch: WatchOption = False,
) -> None:
    """Show the lag of consumer groups by topic, or topics and members of one group.

    All options must fit; a value that ends with * is a prefix. Lag is how long the first record can be read that the
    group has not committed, in the partition that is furthest behind; observers see commits. A group went back where it
    committed an offset below the one before within the last hour, by at most so many records.
    """
    chosen = with_name(selection, "group_id", group)
    chosen = chosen._replace(order=chosen.order or "-committed_lag_ms")
    output = Output(options)
    with questions_to(options, cluster) as questions:

        def show(refresh: int | None) -> None:
            answer = questions.groups(chosen)
            now_ms = int(time.time() * 1000)
            table = Table(
                GroupItem,
                GROUP_HEADINGS,
                lambda item: group_cells(item, now_ms),
                lambda item: item.group_id,
                _OPTIONAL,
            )
            members = Answer[ClientItem](items=())
            if group is not None:
                members = questions.clients(Selection({"group_id": group}, limit=chosen.limit))
            listed = [member.model_dump(mode="json", exclude_none=True) for member in members.items]
            more = {} if group is None else {"members": listed}
            show_answer(
                output, answer, table, empty=lambda: nothing_counted(questions, chosen), refresh=refresh, more=more
            )
            if group is None:
                return
            if not output.is_table:
                warn_of_gaps(members)
                return
            if answer.items and members.items:
                print()
            table_of_members = client_table(members.items, output)
            show_answer(output, members, table_of_members, empty=lambda: _no_member(group), refresh=None)

        show_again(show, watch=watch)


def _no_member(group: str) -> str:
    line = f"kwitness connections --group {shlex.quote(group)}"
    return plain_text(f"no client that pushes is known as a member of {group}; `{line}` shows those that observers see")
