"""Asks for all that is known about one client, and makes its stories of it."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence

from kwitness.answers.access.client_lookup import all_silent, find, unknown_client
from kwitness.answers.access.questions import Questions, Selection
from kwitness.answers.failure import CommandFailedError
from kwitness.answers.views.advice import missing_text
from kwitness.answers.views.choosing import choose_silent
from kwitness.answers.views.client_stories import MOST_STORIES, KnownClient, Story, stories_of
from kwitness.contracts.envelopes import ClientMetricValue, ConnectionItem, CountedValue
from kwitness.contracts.plain_text import plain_text

__all__ = ["client_stories"]


def client_stories(questions: Questions, name: str, notify: Callable[[str], None]) -> list[Story]:
    """Return the stories of the instances of a client, or of clients that do not push and have that name.

    Parameters
    ----------
    name
        Client id, instance id, or a prefix of one.
    notify
        Called with a sentence about each thing that the stories lack.

    Raises
    ------
    CommandFailedError
        No client has that name, or the collector does not answer.
    """
    found = find(questions, name)
    if found.missing:
        notify(missing_text(found.missing))
    everybody = all_silent(questions, notify)
    silent = choose_silent(everybody, name)
    ids = [*(client.client_id for client in found.clients), *(item.client_id for item in silent)]
    client_id = next((known for known in ids if known), name)
    connections, counted = _connections(questions, client_id, notify)
    if (left := len(found.clients) - MOST_STORIES) > 0:
        notify(f"{left} more instances of {plain_text(client_id)} are not shown: name one by its instance id")
    known = KnownClient(found.clients, silent, everybody, connections, counted)
    stories = stories_of(client_id, known, int(time.time() * 1000), functools.partial(_values, questions, notify))
    if not stories:
        raise unknown_client(name, everybody, found.missing)
    return stories


def _values(questions: Questions, notify: Callable[[str], None], instance: str | None) -> Sequence[ClientMetricValue]:
    if instance is None:
        return ()
    try:
        answer = questions.metrics(instance)
    except CommandFailedError as error:
        notify(str(error))
        return ()
    return () if answer is None else answer.metrics


def _connections(
    questions: Questions, client_id: str, notify: Callable[[str], None]
) -> tuple[Sequence[ConnectionItem], Sequence[CountedValue]]:
    try:
        answer = questions.connections(Selection({"client_id": client_id}))
    except CommandFailedError as error:
        notify(str(error))
        return (), ()
    return answer.items, answer.counted
