"""Shows topics with their writers and readers (`kwitness topics`)."""

from __future__ import annotations

from typing import Annotated, Final

from kwitness.answers.access import topic_questions
from kwitness.answers.access.questions import Selection
from kwitness.answers.access.routes import questions_to
from kwitness.answers.failure import WrongUseError
from kwitness.answers.views.topic_rows import (
    TOPIC_HEADINGS,
    TOPIC_ORDERS,
    TopicRow,
    topic_cells,
)
from kwitness.answers.views.traffic_rows import (
    TRAFFIC_HEADINGS,
    TRAFFIC_ORDERS,
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
                show_answer(output, topic_questions.topics(questions, chosen), _TOPICS, empty=empty, refresh=refresh)
            else:
                clients = topic_questions.clients_of_topics(questions, chosen)
                show_answer(output, clients, _CLIENTS, empty=empty, refresh=refresh)

        show_again(show, watch=watch)
