"""Tells the stories of a client id from rows of the index, as `kwitness why` tells them from answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from kwitness.answers.views.client_stories import MOST_STORIES, KnownClient, Story, stories_of
from kwitness.answers.views.client_story import CONNECTIONS, PUSHES, REQUESTED, STEPS, WHO, WRONG
from kwitness.console.index.database import Database, Row
from kwitness.contracts.envelopes import ClientItem, ConnectionItem, SilentItem

__all__ = ["QUESTIONS", "client_item", "client_stories", "parts_of"]

QUESTIONS: Final = ("What is it?", "Is it well?", "What next?")
_ELSEWHERE: Final = {CONNECTIONS, WRONG}
"""Headings of what a page has in a table, or in a note for all instances."""
_LABELS: Final = {REQUESTED: "Asked for", PUSHES: "Pushes", STEPS: "Next step"}
"""Labels of sentences by the heading of their section; others have their heading."""
Item = TypeVar("Item", bound=BaseModel)
Labelled = tuple[str, Sequence[str]]
"""A label and its values."""


def client_stories(database: Database, client_id: str, pushes_as_of_ms: int) -> list[Story]:
    """Return the stories of the instances that pushed longest ago, or of what else is known of a client id.

    Ends of connections and statistics of librdkafka are not in the index: the collector answers them for one client.

    Parameters
    ----------
    pushes_as_of_ms
        When the times of pushes were read: whether one is late is known for that time.
    """

    def rows(query: str) -> list[Row]:
        return database.rows(query, {"client_id": client_id})

    clients = rows(
        "SELECT * FROM clients WHERE client_id = $client_id ORDER BY last_push_ms NULLS FIRST, key "
        f"LIMIT {MOST_STORIES}"
    )
    silent = rows(
        f"SELECT * FROM silent WHERE client_id = $client_id ORDER BY connections DESC NULLS LAST LIMIT {MOST_STORIES}"
    )
    connections = [] if clients else rows("SELECT * FROM connections WHERE client_id = $client_id LIMIT 1")
    of_software = rows(
        """
        SELECT s.* FROM silent AS s JOIN connections AS c USING (client_software_name, client_software_version)
        WHERE c.client_id = $client_id AND s.client_id IS NULL AND s.client_instance_id IS NULL LIMIT 1
        """
    )
    known = KnownClient(
        [client_item(row) for row in clients],
        [_item(SilentItem, row) for row in silent],
        [_item(SilentItem, row) for row in of_software],
        # The index has not all fields that the collector answers, and stories need none of the others.
        [ConnectionItem.model_construct(**_known(ConnectionItem, row)) for row in connections],
    )
    return stories_of(client_id, known, pushes_as_of_ms)


def parts_of(story: Story) -> list[tuple[str, Sequence[Labelled]]]:
    """Return the three questions of a page with the labelled values that answer each."""
    answers: dict[str, list[Labelled]] = {question: [] for question in QUESTIONS}
    of_heading = {WHO: QUESTIONS[0], STEPS: QUESTIONS[2]}
    for section in story.sections:
        if section.heading not in _ELSEWHERE:
            labelled: list[Labelled] = [(fact.label, [fact.value]) for fact in section.facts] or [
                (_LABELS.get(section.heading, section.heading), section.sentences)
            ]
            answers[of_heading.get(section.heading, QUESTIONS[1])] += labelled
    return [(question, rows) for question, rows in answers.items() if rows]


def client_item(row: Row) -> ClientItem:
    """Return a row of clients as the collector answers it."""
    return _item(ClientItem, row)


def _item(model: type[Item], row: Row) -> Item:
    return model.model_validate(_known(model, row))


def _known(model: type[BaseModel], row: Row) -> dict[str, Any]:
    """Return the fields of a row that a model has."""
    known = {name: value for name, value in row.items() if value is not None and name in model.model_fields}
    known.pop("owner", None)
    if row.get("owner"):
        known["owner"] = {"team": row["owner"], "contact": row["owner_contact"]}
    return known
