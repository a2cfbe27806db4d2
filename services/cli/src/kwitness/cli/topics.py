"""Shows topics with their writers and readers (`kwitness topics`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final

from kwitness.answers.access.questions import Answer, Questions, Selection
from kwitness.answers.access.routes import questions_to
from kwitness.answers.failure import WrongUseError
from kwitness.answers.views.ordering import ordered
from kwitness.answers.views.topic_rows import (
    TOPIC_FIELDS,
    TOPIC_HEADINGS,
    TOPIC_ORDERS,
    TopicRow,
    topic_cells,
    topic_rows,
)
from kwitness.answers.views.traffic_rows import (
    THROTTLE_FIELDS,
    TRAFFIC_HEADINGS,
    TRAFFIC_ORDERS,
    throttled,
    traffic_cells,
)
from kwitness.cli.completed_names import names_of
from kwitness.cli.looking_again import show_again
from kwitness.cli.named_arguments import ClusterOption, named
from kwitness.cli.noun_answers import Table, nothing_counted, show_answer
from kwitness.cli.options import Options, WatchOption, new_app, shared
from kwitness.cli.output import Output
from kwitness.cli.question_options import with_name, with_selection
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.contracts.envelopes import TrafficItem
from kwitness.contracts.nouns import TRAFFIC
from kwitness.contracts.questions import MAX_LIMIT

__all__ = ["app"]

_TOPICS: Final = Table(
    TopicRow, TOPIC_HEADINGS, topic_cells, lambda row: row.topic, frozenset({"RECORDS IN/S", "RECORDS OUT/S"})
)
_CLIENTS: Final = Table(
    TrafficItem,
    TRAFFIC_HEADINGS,
    traffic_cells,
    lambda item: item.client_id,
    frozenset({"TOPIC", "API", "POD", "ERRORS", "RECORDS/S", "PRINCIPAL"}),
)

app = new_app(SUBCOMMANDS["topics"].about)


@app.command()
@shared
@with_selection(TRAFFIC, orders=tuple(dict.fromkeys((*TOPIC_ORDERS, *TRAFFIC_ORDERS))))
def topics(
    options: Options,
    *,
    name: Annotated[
        str | None,
        named("[TOPIC]", "Topic whose clients are shown; with * at its end a prefix.", names_of(TRAFFIC.path, "topic")),
    ] = None,
    selection: Selection,
    cluster: ClusterOption = None,
    watch: WatchOption = False,
) -> None:
    """Show topics with their writers and readers, or the clients of one topic.

    All options must fit; a value that ends with * is a prefix. Observers count: rates are of their last three windows,
    and lag is how long the first record can be read that a reader has not fetched.
    """
    orders = TOPIC_ORDERS if name is None else TRAFFIC_ORDERS
    if selection.order is not None and selection.order.removeprefix("-") not in orders:
        subject = "topics" if name is None else "clients of a topic"
        raise WrongUseError(f"--sort {selection.order} does not sort {subject}: use one of {', '.join(orders)}")
    chosen = with_name(selection, "topic", name)
    output = Output(options)
    with questions_to(options, cluster) as questions:

        def show(refresh: int | None) -> None:
            def empty() -> str:
                return nothing_counted(questions, chosen)

            if name is None:
                show_answer(output, _topics(questions, chosen), _TOPICS, empty=empty, refresh=refresh)
            else:
                show_answer(output, _clients(questions, chosen), _CLIENTS, empty=empty, refresh=refresh)

        show_again(show, watch=watch)


def _topics(questions: Questions, selection: Selection) -> Answer[TopicRow]:
    pages: list[Answer[TrafficItem]] = []

    def items() -> Iterator[TrafficItem]:
        everything = selection._replace(order=None, limit=None, fields=TOPIC_FIELDS)
        for page in questions.pages(TRAFFIC, Answer[TrafficItem], everything):
            pages.append(page.model_copy(update={"items": ()}))
            yield from page.items

    rows = ordered(topic_rows(items()), selection.order or "-bytes_in_per_s")
    missing = sorted({ordinal for page in pages for ordinal in page.missing})
    return Answer[TopicRow](
        items=tuple(rows[: selection.limit]),
        matched=len(rows),
        missing=tuple(missing),
        left_out=pages[0].left_out,
        scope=pages[0].scope,
        incomplete=any(page.incomplete for page in pages) or None,
    )


def _clients(questions: Questions, selection: Selection) -> Answer[TrafficItem]:
    answer = questions.traffic(selection._replace(order=selection.order or "-record_bytes_per_s"))
    if not answer.items:
        return answer
    of_requests = selection.restricted(topic=None, topic_owner=None)
    most = questions.traffic(of_requests._replace(order="-throttle_ms", limit=MAX_LIMIT, fields=THROTTLE_FIELDS))
    return answer.model_copy(update={"items": throttled(answer.items, most.items)})
