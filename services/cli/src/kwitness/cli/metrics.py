"""`kwitness metrics`: what one client sends, as it is now, or as it changes."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from kwitness.answers.access.client_lookup import Found, all_silent, find, unknown_client
from kwitness.answers.access.questions import Questions, Selection
from kwitness.answers.access.routes import questions_to
from kwitness.answers.failure import CommandFailedError
from kwitness.answers.views.advice import missing_text, subscribe_line
from kwitness.answers.views.client_state import interval_of, state_of
from kwitness.answers.views.csv_rows import model_columns
from kwitness.answers.views.elapsed import ago, span
from kwitness.answers.views.following import next_look_ms
from kwitness.answers.views.metric_values import (
    CHANGE_HEADING,
    METRIC_HEADINGS,
    Series,
    begins_with,
    by_series,
    metric_cells,
)
from kwitness.cli.columns import columns_of, row_of
from kwitness.cli.looking_again import Looks, begin_refresh, duration_option
from kwitness.cli.named_arguments import ClientArgument, ClusterOption
from kwitness.cli.options import Options, PrefixOption, new_app, shared
from kwitness.cli.output import Output, warn
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.contracts.envelopes import ClientItem, ClientMetrics, ClientMetricValue
from kwitness.contracts.plain_text import plain_text

__all__ = ["VALUE_COLUMNS", "app", "look_at", "states_of", "value_record"]

VALUE_COLUMNS: Final = (("client_id",), ("client_instance_id",), *model_columns(ClientMetricValue))
"""Columns of `value_record`."""

_Before = Mapping[Series, ClientMetricValue]

app = new_app(SUBCOMMANDS["metrics"].about)


@app.command()
@shared
def metrics(
    options: Options,
    *,
    client: ClientArgument,
    cluster: ClusterOption = None,
    prefix: PrefixOption = "",
    watch: Annotated[
        bool, typer.Option("--watch", "-w", help="Refresh after each push, with what changed, until Ctrl-C.")
    ] = False,
    during: Annotated[
        str | None, typer.Option("--for", metavar="DURATION", help="Refresh for this long, such as 10m.")
    ] = None,
) -> None:
    """Show the values that a client sent last, with their units; of several instances one block each."""
    seconds = duration_option(during)
    watched = watch or seconds is not None
    output = Output(options)
    with questions_to(options, cluster) as questions:
        looks = Looks(seconds if watched else 0)
        before: dict[str, _Before] = {}
        for number, answers in look_at(questions, client, looks):
            refresh = number if watched else None
            if not output.is_table:
                _write(output, [_with_prefix(one, prefix) for one in answers], refresh)
                continue
            if refresh is not None:
                begin_refresh(refresh)
            for one in answers:
                key = one.client.client_instance_id or ""
                _block(output, one, prefix, before.get(key) if watched and number else None, first=one is answers[0])
                before[key] = by_series(one.metrics)


def look_at(questions: Questions, name: str, looks: Looks) -> Iterator[tuple[int, Sequence[ClientMetrics]]]:
    """Yield at each look its number and what the instances of a client send; the next look follows their pushes.

    After the first look a collector that is away is told on standard error, and asked again. An instance that is gone
    is told once, and another one of the same client id takes its place.

    Raises
    ------
    CommandFailedError
        At the first refresh: there is no such client, it does not push, or the collector does not answer.
    """
    found = find(questions, name)
    seen: dict[str, ClientItem] = {}
    gone: set[str] = set()
    for number in looks:
        try:
            if number:
                answered = questions.clients(Selection({found.key: found.value}))
                found = found._replace(clients=answered.items, missing=answered.missing)
            answers = _answers(questions, name, found, first=not number)
        except CommandFailedError as error:
            if not number:
                raise
            warn(str(error))
            looks.wait_s = 2.0
            continue
        there = {one.client.client_instance_id or "": one.client for one in answers}
        if not found.missing:
            for key in sorted(seen.keys() - there.keys() - gone):
                last = ago(seen[key].last_push_ms, int(time.time() * 1000))
                warn(plain_text(f"{seen[key].client_id or key} {key} is gone: its last push came {last}"))
                gone.add(key)
        seen.update(there)
        now_ms = int(time.time() * 1000)
        looks.wait_s = min((next_look_ms(one, now_ms) for one in answers), default=2_000) / 1000
        yield number, answers


def _answers(questions: Questions, name: str, found: Found, *, first: bool) -> Sequence[ClientMetrics]:
    if first and not found.clients:
        raise unknown_client(name, all_silent(questions, warn), found.missing)
    answers = []
    failed: CommandFailedError | None = None
    for one in found.clients:
        if one.client_instance_id is None:
            continue
        try:
            answer = questions.metrics(one.client_instance_id)
        except CommandFailedError as error:
            failed = failed or error
            continue
        if answer is not None:
            answers.append(answer)
    if failed is not None and not answers:
        raise failed
    missing = sorted({*found.missing, *(one for answer in answers for one in answer.missing)})
    if missing:
        warn(missing_text(missing))
    if failed is not None:
        warn(str(failed))
    if first and not answers:
        raise unknown_client(name, (), found.missing)
    return answers


def _block(output: Output, answer: ClientMetrics, prefix: str, before: _Before | None, *, first: bool) -> None:
    from rich.text import Text  # noqa: PLC0415 - as in output

    now_ms = int(time.time() * 1000)
    if not first:
        print()
    for index, line in enumerate(states_of(answer.client, now_ms)):
        output.write(Text(plain_text(line), style="bold" if not index else ""))
    shown = [one for one in by_series(answer.metrics).values() if begins_with(one, prefix)]
    headings = METRIC_HEADINGS if before is None else (*METRIC_HEADINGS[:3], CHANGE_HEADING, *METRIC_HEADINGS[3:])
    if shown:
        rows = [row_of(headings, metric_cells(one, now_ms, before)) for one in shown]
        output.table(columns_of(headings, optional=frozenset({"AT"})), rows)
    elif answer.metrics:
        warn(f"none of its {len(answer.metrics)} values is of a metric that begins with {plain_text(prefix)}")
    else:
        warn("it has sent no values yet")
    if answer.metrics_left_out:
        warn(f"{answer.metrics_left_out} more of its values are not shown: it sends more than one answer holds")


def states_of(client: ClientItem, now_ms: int) -> list[str]:
    """A line about who it is, and where it does not just push a line about that."""
    name = client.client_id or "a client without an id"
    software = " ".join(one for one in (client.client_software_name, client.client_software_version) if one)
    known = [one for one in (software, client.principal, client.client_address) if one]
    pushed = f"last push {ago(client.last_push_ms, now_ms)}"
    interval = interval_of(client)
    every = "" if interval is None else f", every {span(interval)}"
    line = f"{name} {client.client_instance_id} ({', '.join(known)}): {pushed}{every}"
    match state_of(client, now_ms):
        case "NotAsked":
            return [line, f"Nothing asks it for metrics: {subscribe_line(client.client_id, client.client_instance_id)}"]
        case "Ended":
            return [line, "It has ended: these are its last values."]
        case "Late":
            return [line, f"It pushes no more: kwitness why {shlex.quote(client.client_id or '')} says what is known."]
        case "Unreadable":
            return [line, f"What it pushes cannot be read: {client.malformed_reason or 'the reason is not known'}."]
        case _:
            return [line]


def _with_prefix(answer: ClientMetrics, prefix: str) -> ClientMetrics:
    return answer.model_copy(update={"metrics": tuple(one for one in answer.metrics if begins_with(one, prefix))})


def _write(output: Output, answers: Sequence[ClientMetrics], refresh: int | None) -> None:
    output.document(
        {"items": [answer.model_dump(mode="json", exclude_none=True) for answer in answers]},
        rows=[value_record(answer.client, value) for answer in answers for value in answer.metrics],
        columns=VALUE_COLUMNS,
        names=[answer.client.client_instance_id for answer in answers],
        refresh=refresh,
    )


def value_record(client: ClientItem, value: ClientMetricValue) -> dict[str, Any]:
    """Return a value of a client as JSON values."""
    return {
        "client_id": client.client_id,
        "client_instance_id": client.client_instance_id,
        **value.model_dump(mode="json", exclude_none=True),
    }
