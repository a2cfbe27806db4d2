"""Asks for topics, and for the clients of topics, as observers counted them."""

from __future__ import annotations

from collections.abc import Iterator

from kwitness.answers.access.questions import Answer, Questions, Selection
from kwitness.answers.views.ordering import ordered
from kwitness.answers.views.topic_rows import TOPIC_FIELDS, TopicRow, topic_rows
from kwitness.answers.views.traffic_rows import THROTTLE_FIELDS, throttled
from kwitness.contracts.envelopes import TrafficItem
from kwitness.contracts.nouns import TRAFFIC
from kwitness.contracts.questions import MAX_LIMIT

__all__ = ["clients_of_topics", "topics"]


def topics(questions: Questions, selection: Selection) -> Answer[TopicRow]:
    """Return topics with their writers and readers, those with most bytes written first unless an order is selected."""
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


def clients_of_topics(questions: Questions, selection: Selection) -> Answer[TrafficItem]:
    """Return traffic of clients, with the throttling of all their requests; most bytes first unless ordered."""
    answer = questions.traffic(selection._replace(order=selection.order or "-record_bytes_per_s"))
    if not answer.items:
        return answer
    of_requests = selection.restricted(topic=None, topic_owner=None)
    most = questions.traffic(of_requests._replace(order="-throttle_ms", limit=MAX_LIMIT, fields=THROTTLE_FIELDS))
    return answer.model_copy(update={"items": throttled(answer.items, most.items)})
