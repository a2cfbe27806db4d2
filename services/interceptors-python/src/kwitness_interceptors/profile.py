"""Interceptors that the pod's profile asks for, whatever the application configures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Optional, Union

from .adding.checksum import ConsumerChecksum, ProducerChecksum
from .adding.stamp import ProducerStamp
from .adding.tracing import ConsumerTracing, ProducerTracing
from .chain import Named
from .containment import FAILURES, is_contained, reason_of
from .interface import ConsumerInterceptor, ProducerInterceptor
from .loading import find_class
from .measures.client_counts import ClientCounts
from .measures.header_interceptors import ConsumerHeaders, ProducerHeaders
from .measures.header_judge import HeaderJudge
from .measures.interceptors import ConsumerMeasure, ProducerMeasure
from .measures.selected import SelectedConsumerInterceptor, SelectedProducerInterceptor
from .settings import Entry, Settings, is_selected

__all__ = ["CONSUMER", "PRODUCER", "Profile", "Selection"]

PRODUCER = "producer"
CONSUMER = "consumer"

_MEASURES = frozenset({"Audit", "Latency", "Sizes"})
_OF_HEADERS = frozenset({"Headers", "Stamp", "Tracing", "Checksum"})
_MOST_REMEMBERED = 10_000
_LONGEST_REASON = 256


class _NotConfiguredError(Exception):
    """`configure` raised: what it says may be out of the client's configuration, and is not for others to read."""


class Selection:
    """Which topics of one client are intercepted now: those of the settings, none while they are suspended."""

    def __init__(self, profile: Profile, counts: Optional[ClientCounts]) -> None:
        self._profile = profile
        self._counts = counts
        self._topics: Optional[tuple[str, ...]] = None
        self._known: dict[str, bool] = {}

    def __call__(self, topic: str) -> bool:
        profile, counts = self._profile, self._counts
        if profile.is_suspended or (counts is not None and counts.deaf):
            return False
        topics = profile.settings.topics
        if not topics:
            return True
        if topics is not self._topics or len(self._known) > _MOST_REMEMBERED:
            self._known, self._topics = {}, topics
        selected = self._known.get(topic)
        if selected is None:
            selected = self._known[topic] = is_selected(topic, topics)
        return selected


class Profile:
    """The settings in force, and what a collector said of them since.

    `is_suspended` says whether records pass and nothing is counted. `unusable` has, by the interceptor's name, why it
    could not be made. `judge` judges headers by the settings' rules.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.judge = HeaderJudge(settings.headers)
        self._directive: Optional[tuple[str, bool]] = None
        self.is_suspended = settings.suspend
        self.unusable: dict[str, str] = {}

    def renew(self, settings: Settings) -> None:
        """Take other settings; interceptors of clients that are open stay what they are."""
        if settings.headers != self.settings.headers:
            self.judge = HeaderJudge(settings.headers)
        self.settings = settings
        self._suspend()
        names = {one.name for one in settings.interceptors}
        self.unusable = {name: reason for name, reason in list(self.unusable.items()) if name in names}

    def told(self, settings_hash: object, suspend: object) -> None:
        """Take what a collector says. Once the settings that say so are in force, by their hash, they alone count."""
        if isinstance(settings_hash, str) and isinstance(suspend, bool):
            self._directive = settings_hash, suspend
            self._suspend()

    def _suspend(self) -> None:
        if self._directive is None or self._directive[0] == self.settings.hash:
            self.is_suspended = self.settings.suspend
        else:
            self.is_suspended = self._directive[1]

    def interceptors(self, side: str, config: Mapping[str, Any], counts: Optional[ClientCounts]) -> list[Named]:
        """Make the interceptors of a new client, in the profile's order; what cannot be made is left out."""
        made: list[Named] = []
        selected = Selection(self, counts)
        measures = [entry for entry in self.settings.interceptors if entry.type in _MEASURES]
        for entry in self.settings.interceptors:
            if entry.type == "Custom":
                one = self._made(entry, side, config, selected)
            elif counts is not None and measures and entry is measures[0]:
                # One does what all of them do, in one call, which is reported as the first one's.
                measure = ProducerMeasure if side == PRODUCER else ConsumerMeasure
                one = measure([other.type for other in measures], counts, selected)
            elif entry.type in _OF_HEADERS:
                one = self._of_headers(entry, side, config, counts, selected)
            else:
                # Cardinality and Stats are those of librdkafka's plugin.
                one = None
            if one is not None:
                made.append(Named(entry.name, one))
        return made

    def _of_headers(
        self,
        entry: Entry,
        side: str,
        config: Mapping[str, Any],
        counts: Optional[ClientCounts],
        selected: Selection,
    ) -> Optional[Union[ProducerInterceptor, ConsumerInterceptor]]:
        """Make what looks at headers or adds them, also where nobody would be told of its counts."""
        header, client_id = entry.header, str(config.get("client.id", ""))
        makers: Mapping[tuple[str, str], Callable[[], Union[ProducerInterceptor, ConsumerInterceptor]]] = {
            (PRODUCER, "Headers"): lambda: ProducerHeaders(lambda: self.judge, counts, selected),
            (CONSUMER, "Headers"): lambda: ConsumerHeaders(lambda: self.judge, counts, selected),
            (PRODUCER, "Stamp"): lambda: ProducerStamp(entry.stamps, self.settings, client_id, counts, selected),
            (PRODUCER, "Tracing"): lambda: ProducerTracing(header, counts, selected),
            (CONSUMER, "Tracing"): lambda: ConsumerTracing(selected),
            (PRODUCER, "Checksum"): lambda: ProducerChecksum(header or "", counts, selected),
            (CONSUMER, "Checksum"): lambda: ConsumerChecksum(header or "", counts, selected),
        }
        make = makers.get((side, entry.type))
        return None if make is None else make()

    def _made(self, entry: Entry, side: str, config: Mapping[str, Any], selected: Selection) -> Optional[Any]:
        try:
            return _custom(entry, side, config, selected)
        except BaseException as error:
            if not is_contained(error):
                raise
            raised = error.__cause__ if isinstance(error, _NotConfiguredError) else None
            told = reason_of(error) if raised is None else str(error)
            self.unusable[entry.name] = told[:_LONGEST_REASON]
            FAILURES.add(entry.name, "configure", f"{entry.class_name}: {reason_of(raised or error)}; it is left out")
            return None


def _custom(entry: Entry, side: str, config: Mapping[str, Any], selected: Selection) -> Optional[Any]:
    """Make an application's class; None where it is one for the other side."""
    kind = find_class(entry.class_name)
    if not issubclass(kind, (ProducerInterceptor, ConsumerInterceptor)):
        raise TypeError("it is neither a ProducerInterceptor nor a ConsumerInterceptor: derive the class from one")
    if not issubclass(kind, ProducerInterceptor if side == PRODUCER else ConsumerInterceptor):
        return None
    interceptor = kind()
    try:
        interceptor.configure(MappingProxyType({**config, **entry.settings}))
    except Exception as error:
        raise _NotConfiguredError(f"configure raised {type(error).__name__}: see the program's log") from error
    if side == PRODUCER:
        return SelectedProducerInterceptor(interceptor, selected)  # type: ignore[arg-type] # as asked above
    return SelectedConsumerInterceptor(interceptor, selected)  # type: ignore[arg-type] # likewise
