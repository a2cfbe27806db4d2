"""Reads a collector's answers to questions about its nouns, all pages of each as one answer."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, Final, Generic, NamedTuple, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, Field

from kwitness.answers.access.collector_access import CollectorAccess, CollectorRefusedError
from kwitness.answers.failure import CommandFailedError
from kwitness.contracts.endpoints import CLIENT_METRICS_PATH, SILENT_PATH
from kwitness.contracts.envelopes import (
    ClientItem,
    ClientMetrics,
    ConnectionItem,
    CountedValue,
    GroupItem,
    ObserverListing,
    ReplicasAnswer,
    SilentClients,
    TrafficItem,
)
from kwitness.contracts.nouns import CLIENTS, CONNECTIONS, GROUPS, TRAFFIC
from kwitness.contracts.questions import MAX_LIMIT, Noun

__all__ = ["Answer", "Questions", "Selection"]

_NOT_FOUND: Final = 404
_UNKNOWN_CLIENT: Final = "UnknownClient"
_NOT_OF_ITS_RELEASE: Final = frozenset({"BadParameter", "BadFields", "BadOrder"})
_LISTING_S: Final = 7.0
"""Observers list their connections with their next heartbeat, within five seconds."""
_LISTING_AGAIN_S: Final = 0.5

Item = TypeVar("Item", bound=BaseModel)
Model = TypeVar("Model", bound=BaseModel)


class Selection(NamedTuple):
    """Items of a noun: all that `filters` fit, ordered by the field `order`, `limit` of them, with `fields` alone.

    None and no fields are no restriction; a filter that is None is not sent. ``after`` is the ``continue_`` of the
    answer that items follow.
    """

    filters: Mapping[str, str | None] = MappingProxyType({})
    order: str | None = None
    limit: int | None = None
    fields: Sequence[str] = ()
    after: str | None = None

    def restricted(self, **filters: str | None) -> Selection:
        """Return the selection with more filters."""
        return self._replace(filters={**self.filters, **filters})


_EVERYTHING: Final = Selection()


class Answer(ReplicasAnswer, Generic[Item]):
    """The pages of an answer together; fields that a noun or an older collector lacks have their defaults."""

    items: tuple[Item, ...]
    matched: int | None = None
    continue_: str | None = Field(None, alias="continue")
    left_out: dict[str, int] = Field(default_factory=dict)
    missed_at_most: float | None = None
    observers: tuple[ObserverListing, ...] = ()
    awaited: bool = False
    counted: tuple[CountedValue, ...] = ()


class Questions:
    """Questions to one collector; all methods raise `CommandFailedError` if it does not answer."""

    def __init__(self, collector: CollectorAccess) -> None:
        self._collector = collector

    def pages(self, noun: Noun, page: type[Answer[Item]], selection: Selection) -> Iterator[Answer[Item]]:
        """Yield the pages of a noun, until `selection.limit` items came or none is left."""
        left, after = selection.limit, selection.after
        while left is None or left > 0:
            parameters: dict[str, Any] = {
                **selection.filters,
                "fields": ",".join(selection.fields) or None,
                "order": selection.order,
                "limit": MAX_LIMIT if left is None else min(left, MAX_LIMIT),
                "continue": after,
            }
            answer = self._get(noun.path, page, **parameters)
            yield answer
            left = None if left is None else left - len(answer.items)
            after = answer.continue_
            if not after:
                return

    def _all(self, noun: Noun, page: type[Answer[Item]], selection: Selection) -> Answer[Item]:
        pages = list(self.pages(noun, page, selection))
        together = {
            "items": tuple(chain.from_iterable(answer.items for answer in pages)),
            "missing": tuple(sorted({ordinal for answer in pages for ordinal in answer.missing})),
            "continue_": pages[-1].continue_,
            "incomplete": any(answer.incomplete for answer in pages) or None,
        }
        return pages[0].model_copy(update=together)

    def clients(self, selection: Selection = _EVERYTHING) -> Answer[ClientItem]:
        """Client instances that push."""
        return self._all(CLIENTS, Answer[ClientItem], selection)

    def traffic(self, selection: Selection = _EVERYTHING) -> Answer[TrafficItem]:
        """Requests that observers counted in their last windows, by client and API."""
        return self._all(TRAFFIC, Answer[TrafficItem], selection)

    def groups(self, selection: Selection = _EVERYTHING) -> Answer[GroupItem]:
        """Committed lags that observers saw in their last windows, by group and topic."""
        return self._all(GROUPS, Answer[GroupItem], selection)

    def connections(self, selection: Selection = _EVERYTHING) -> Answer[ConnectionItem]:
        """Open connections that observers list; waits some seconds for those that list them on demand."""
        deadline = time.monotonic() + _LISTING_S
        while True:
            answer = self._all(CONNECTIONS, Answer[ConnectionItem], selection)
            awaited = answer.awaited or any(listing.answer == "awaited" for listing in answer.observers)
            if not awaited or time.monotonic() > deadline:
                return answer
            time.sleep(_LISTING_AGAIN_S)

    def has_observers(self) -> bool:
        """Return whether observers report to the collector, as far as the reader may know."""
        answer = next(self.pages(CONNECTIONS, Answer[ConnectionItem], Selection(limit=1)))
        return bool(answer.observers) or answer.scope is not None

    def silent(self, *, ours: bool = False, proven: bool = False) -> SilentClients:
        """Clients that do not push; with ``proven`` those whose namespace a token proves, apart by namespace."""
        return self._get(SILENT_PATH, SilentClients, ours="true" if ours else None, proven="true" if proven else None)

    def metrics(self, instance: str) -> ClientMetrics | None:
        """Metrics of one instance; None if it is gone.

        Raises
        ------
        CommandFailedError
            Also if the replica that knows it did not answer, or the collector is of an older release.
        """
        path = CLIENT_METRICS_PATH.format(client_instance_id=quote(instance, safe=""))
        try:
            return self._get(path, ClientMetrics)
        except CollectorRefusedError as error:
            if error.reason == _UNKNOWN_CLIENT:
                return None
            raise

    def _get(self, path: str, model: type[Model], **parameters: str | int | None) -> Model:
        try:
            return self._collector.get(path, model, **parameters)
        except CollectorRefusedError as error:
            if error.answered == _NOT_FOUND and error.reason != _UNKNOWN_CLIENT:
                refusal = f"collector {self._collector.name} does not know {path}"
            elif error.reason in _NOT_OF_ITS_RELEASE:
                refusal = str(error)
            else:
                raise
            raise CommandFailedError(
                f"{refusal}: it is of an older release than this command; upgrade it, or use the command of its release"
            ) from error
