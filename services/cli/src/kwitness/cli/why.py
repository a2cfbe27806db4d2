"""`kwitness why`: everything that is known about one client, in plain sentences."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence

from kwitness.answers.access.questions import Questions, Selection
from kwitness.answers.access.routes import questions_to
from kwitness.answers.failure import CommandFailedError
from kwitness.answers.views.advice import missing_text
from kwitness.answers.views.choosing import choose_silent
from kwitness.answers.views.client_stories import MOST_STORIES, KnownClient, Story, stories_of
from kwitness.cli.lookup import all_silent, find, unknown_client
from kwitness.cli.named_arguments import ClientArgument, ClusterOption
from kwitness.cli.options import Options, new_app, shared
from kwitness.cli.output import Output, warn
from kwitness.cli.progress import working
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.contracts.envelopes import ClientMetricValue, ConnectionItem, CountedValue
from kwitness.contracts.plain_text import plain_text

__all__ = ["app", "show_pages"]

app = new_app(SUBCOMMANDS["why"].about)


@app.command()
@shared
def why(
    options: Options,
    *,
    client: ClientArgument,
    cluster: ClusterOption = None,
) -> None:
    """Explain the state of a client: its subscriptions, pushes and connections, and what to do.

    Its own values are those that alerts on clients use; thresholds are in the chart's values. Observers are asked for
    its connections, which takes some seconds. Ends of connections and statistics of librdkafka are what observers and
    interceptors counted of its client id.
    """
    with questions_to(options, cluster) as questions:
        pages = _pages(questions, client)
    show_pages(Output(options), pages)


def _pages(questions: Questions, name: str) -> list[Story]:
    found = find(questions, name)
    if found.missing:
        warn(missing_text(found.missing))
    everybody = all_silent(questions)
    silent = choose_silent(everybody, name)
    ids = [*(client.client_id for client in found.clients), *(item.client_id for item in silent)]
    client_id = next((known for known in ids if known), name)
    with working("asks observers for its connections"):
        connections, counted = _connections(questions, client_id)
    if (left := len(found.clients) - MOST_STORIES) > 0:
        warn(f"{left} more instances of {plain_text(client_id)} are not shown: name one by its instance id")
    known = KnownClient(found.clients, silent, everybody, connections, counted)
    stories = stories_of(client_id, known, int(time.time() * 1000), functools.partial(_values, questions))
    if not stories:
        raise unknown_client(name, everybody, found.missing)
    return stories


def _values(questions: Questions, instance: str | None) -> Sequence[ClientMetricValue]:
    if instance is None:
        return ()
    try:
        answer = questions.metrics(instance)
    except CommandFailedError as error:
        warn(str(error))
        return ()
    return () if answer is None else answer.metrics


def _connections(questions: Questions, client_id: str) -> tuple[Sequence[ConnectionItem], Sequence[CountedValue]]:
    try:
        answer = questions.connections(Selection({"client_id": client_id}))
    except CommandFailedError as error:
        warn(str(error))
        return (), ()
    return answer.items, answer.counted


def show_pages(output: Output, pages: Sequence[Story]) -> None:
    """Write pages: a title, then sections of sentences."""
    from rich.text import Text  # noqa: PLC0415 - as in output

    if not output.is_table:
        output.document(
            {
                "items": [
                    {**page.answers, "sections": {one.heading: list(one.sentences) for one in page.sections}}
                    for page in pages
                ]
            },
            rows=[
                {"title": page.title, "heading": one.heading, "sentence": sentence}
                for page in pages
                for one in page.sections
                for sentence in one.sentences
            ],
            names=[page.name for page in pages],
        )
        return
    for index, page in enumerate(pages):
        if index:
            print()
        output.write(Text(plain_text(page.title), style="bold"))
        for section in page.sections:
            print()
            output.write(Text(section.heading, style="bold"))
            for sentence in section.sentences:
                output.write(Text(f"  {plain_text(sentence)}"))
