"""`kwitness tail`: follows what one client pushes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Annotated

import typer

from kwitness.answers.access.routes import questions_to
from kwitness.answers.views.following import changed_since, point_line
from kwitness.answers.views.metric_values import Series, begins_with, by_series
from kwitness.cli.looking_again import Looks, duration_option
from kwitness.cli.metrics import VALUE_COLUMNS, look_at, value_record
from kwitness.cli.named_arguments import ClientArgument, ClusterOption
from kwitness.cli.options import Options, PrefixOption, new_app, shared
from kwitness.cli.output import Output
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.contracts.envelopes import ClientItem, ClientMetricValue
from kwitness.contracts.plain_text import plain_text

__all__ = ["app"]

app = new_app(SUBCOMMANDS["tail"].about)


@app.command()
@shared
def tail(
    options: Options,
    *,
    client: ClientArgument,
    cluster: ClusterOption = None,
    prefix: PrefixOption = "",
    during: Annotated[
        str | None, typer.Option("--for", metavar="DURATION", help="Follow for this long, such as 10m.")
    ] = None,
) -> None:
    """Print a line for each value of each push, as it comes, until Ctrl-C or --for.

    The values are those of the records of the topic kwitness.telemetry, decoded. They come from the collector, which
    is asked after each push is due: so no credential of Kafka is needed, and of pushes that come between two questions
    the last one is shown.
    """
    seconds = duration_option(during)
    output = Output(options)
    with questions_to(options, cluster) as questions:
        before: dict[str, Mapping[Series, ClientMetricValue]] = {}
        numbers = itertools.count()
        for _, answers in look_at(questions, client, Looks(seconds)):
            for one in answers:
                key = one.client.client_instance_id or ""
                for point in changed_since(before.get(key), one):
                    if begins_with(point, prefix):
                        _print(output, one.client, point, next(numbers))
                before[key] = by_series(one.metrics)


def _print(output: Output, client: ClientItem, point: ClientMetricValue, number: int) -> None:
    if output.is_table:
        name = client.client_id or (client.client_instance_id or "")[:8]
        print(plain_text(point_line(point, name)))
        return
    output.document(value_record(client, point), columns=VALUE_COLUMNS, refresh=number)
