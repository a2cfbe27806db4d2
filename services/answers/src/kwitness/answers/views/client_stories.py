"""Tells all that is known of a client id, as one story for each instance, for the command and for pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from kwitness.contracts.envelopes import ClientItem, ClientMetricValue, ConnectionItem, CountedValue, SilentItem

from .client_state import state_of
from .client_story import Section, Sighting, story_of, story_of_connections, story_of_counts, story_of_silent

__all__ = ["MOST_STORIES", "KnownClient", "Story", "stories_of"]

MOST_STORIES: Final = 5
"""Instances that have a story, those first that pushed longest ago."""


class KnownClient(NamedTuple):
    """Answers of sources about a client id.

    Attributes
    ----------
    silent
        Silence of this client.
    of_software
        Silence that brokers know of all clients of a software, as far as it is asked for.
    """

    clients: Sequence[ClientItem] = ()
    silent: Sequence[SilentItem] = ()
    of_software: Sequence[SilentItem] = ()
    connections: Sequence[ConnectionItem] = ()
    counted: Sequence[CountedValue] = ()


class Story(NamedTuple):
    """The story of one instance, and the answers that it is made of."""

    title: str
    sections: Sequence[Section]
    answers: dict[str, Any]
    name: str | None

    def document(self) -> dict[str, Any]:
        """Return the answers, and sentences by heading."""
        return {**self.answers, "sections": {section.heading: list(section.sentences) for section in self.sections}}


def stories_of(
    name: str,
    known: KnownClient,
    now_ms: int,
    values: Callable[[str | None], Sequence[ClientMetricValue]] = lambda _: (),
) -> list[Story]:
    """Return the stories of a client id, none where nothing is known of it.

    Parameters
    ----------
    values
        Returns what an instance says of itself, by its id.
    """
    seen = Sighting(connections=known.connections, counted=known.counted)
    if known.clients:
        chosen = sorted(known.clients, key=lambda client: client.last_push_ms or 0)[:MOST_STORIES]
        return [_of_instance(client, known, values(client.client_instance_id), now_ms) for client in chosen]
    if known.silent:
        return [
            Story(
                silent.client_id or name,
                story_of_silent(silent, seen, now_ms),
                {"silent": _dumped(silent)},
                silent.client_instance_id or silent.client_id,
            )
            for silent in known.silent[:MOST_STORIES]
        ]
    if known.connections:
        reason = _of_software(known.of_software, known.connections[0])
        story = story_of_connections(name, seen._replace(silent=reason), now_ms)
        return [Story(name, story, {"connections": [_dumped(item) for item in known.connections]}, name)]
    if known.counted:
        counted = [value.model_dump(mode="json") for value in known.counted]
        return [Story(name, story_of_counts(name, seen, now_ms), {"counted": counted}, name)]
    return []


def _of_instance(client: ClientItem, known: KnownClient, values: Sequence[ClientMetricValue], now_ms: int) -> Story:
    instance = client.client_instance_id
    # An observer may know that a client of this id is silent, and not which instance it is.
    pushes = state_of(client, now_ms) in {"Pushing", "Ended"}
    reason = next(
        (
            silent
            for silent in known.silent
            if silent.client_instance_id == instance or (silent.client_instance_id is None and not pushes)
        ),
        None,
    )
    own = [item for item in known.connections if item.client_address in {client.client_address, None}]
    # Those of another pod are of another instance; some are known by workload or client id alone.
    counted = [
        value for value in known.counted if not client.k8s_pod or value.labels.get("k8s_pod") in {client.k8s_pod, None}
    ]
    return Story(
        f"{client.client_id or 'a client without an id'} {instance}",
        story_of(client, Sighting(values, reason, own, counted), now_ms),
        {"client": _dumped(client)},
        instance,
    )


def _of_software(silent: Sequence[SilentItem], connection: ConnectionItem) -> SilentItem | None:
    """Return why the software of a connection is silent, where brokers know it of all of it."""
    software = (connection.client_software_name, connection.client_software_version)
    return next(
        (
            item
            for item in silent
            if item.client_id is None
            and item.client_instance_id is None
            and (item.client_software_name, item.client_software_version) == software
        ),
        None,
    )


def _dumped(item: BaseModel) -> dict[str, Any]:
    return item.model_dump(mode="json", exclude_none=True)
