"""What must be known to decide on all subscriptions of a KafkaCluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.operator.desired.orphans import own_names
from kwitness.operator.desired.subscription_reach import reach_depends_on_labels
from kwitness.operator.environment.needs import SETTLED_SECONDS, known_cluster, strangers
from kwitness.operator.environment.observer_answers import answering_namespaces
from kwitness.operator.environment.ruling_clusters import other_ruler, ruling_needs
from kwitness.operator.model.errors import OperatorError, TransientError
from kwitness.operator.model.references import cluster_of
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.shapes.facts import Answer, KafkaState, Labels, Referring, Watched
from kwitness.operator.shapes.subscription_facts import (
    AskedCollector,
    BrokerConfigs,
    BrokerWrites,
    CleanedUp,
    CompleteNames,
    Deleted,
    KnownId,
    SetConfigs,
    Sightings,
    WriteRecord,
)
from kwitness.operator.shapes.work import Need, Unit, View

__all__ = ["KIND", "LACKING", "REFUSED", "installation_of", "is_of_last_read", "needs"]

KIND: Final = "ClientMetricsSubscription"
OBSERVERS: Final = "ObserverDeployment"
LACKING: Final = frozenset({"Forbidden", "Unsupported"})
"""Reasons that the brokers take no subscriptions of ours at all; in their place observers may ask clients."""
REFUSED: Final = LACKING | {"InvalidPattern"}
"""Reasons that they do not take one of them; it may be asked by observers just as well."""

_BEFORE_WRITE_SECONDS: Final = 2.0
"""Of what a write is decided from: a client that it would abort may have come a moment ago."""
_LACKING_SECONDS: Final = 60.0
"""Between attempts at brokers that may let the operator write subscriptions one day, and do not tell."""
_FIRST_SECONDS: Final = 0.5
_MOST_DOUBLINGS: Final = 7
_LONGEST_SECONDS: Final = 60.0
_OF_RESYNC: Final = 0.9
"""A look that comes a little before the resync is one."""


def needs(unit: Unit, view: View) -> frozenset[Need]:
    """The cluster and its subscriptions, what is on its brokers, whom a change could hurt, and what may be removed."""
    at = unit.key
    found = {Need(one) for one in (Watched("KafkaCluster", at), KafkaState(at), Sightings(at), BrokerWrites(at))}
    found |= {Need(one) for one in (CleanedUp(at), Deleted(KIND), Referring(KIND, at), Referring(OBSERVERS, at))}
    watched, state = view.get(Watched("KafkaCluster", at)), view.get(KafkaState(at))
    if watched is None or watched.value is None or state is None or state.value is None:
        return frozenset(found)
    found.add(Need(AskedCollector(at), before_write_s=_BEFORE_WRITE_SECONDS))
    if state.value.cluster_id is not None:
        found |= ruling_needs(state.value.cluster_id, view)
    ruler = None
    with suppress(OperatorError):
        ruler = other_ruler(at, view)
    ruling = None if ruler is None else known_cluster(view, ruler)
    if ruler is not None:
        found |= {Need(Watched("KafkaCluster", ruler)), Need(Sightings(ruler))}
    cluster = known_cluster(view, at)
    if cluster is not None:
        bounds = [cluster, *([ruling] if ruling is not None else [])]
        found |= {Need(Labels(one), _settled_seconds(view)) for one in _labelled(bounds, at, view)}
    if state.value.trouble is None:
        found.add(Need(BrokerConfigs(at), _again_seconds(cluster, at, view), _BEFORE_WRITE_SECONDS))
        found.update(_of_names(at, view))
    return frozenset(found)


def installation_of(view: View) -> str:
    """The name that our broker configs begin with; it is settled before anything is decided."""
    return view.settings.installation or ""


def is_of_last_read(writes: WriteRecord, configs: Answer[SetConfigs] | None) -> bool:
    """Whether the brokers have not been read since the last write, so that how it ended still says what is the case."""
    return configs is not None and writes.at_ms > 0 and writes.at_ms >= configs.at_ms


def _settled_seconds(view: View) -> float:
    return min(SETTLED_SECONDS, view.settings.resync_seconds / 2)


def _labelled(bounds: list[KafkaCluster], at: Key, view: View) -> Iterator[str]:
    """Namespaces whose labels decide what those in them may ask for; the KafkaCluster ``at`` is the first bound."""
    answer = view.get(Referring(KIND, at))
    namespaces = {body["metadata"]["namespace"] for body in (answer.value or () if answer is not None else ())}
    for bound in bounds:
        yield from (one for one in namespaces if reach_depends_on_labels(bound, one))
    kinds = (KIND, OBSERVERS) if _is_refused(at, view) else (KIND,)
    yield from strangers(bounds[0], at, kinds, view)


def _refusals(at: Key, view: View) -> list[OperatorError]:
    """Why the brokers did not do something when they were last asked to."""
    configs, writes = view.get(BrokerConfigs(at)), view.get(BrokerWrites(at))
    found: list[OperatorError] = []
    if configs is not None and configs.value is not None and configs.value.refused is not None:
        found.append(configs.value.refused)
    record = writes.value if writes is not None else None
    if record is not None and is_of_last_read(record, configs):
        found.extend(one.error for one in record.results.values() if one.error is not None)
        found.extend([record.failure] if record.failure is not None else [])
    return found


def _is_refused(at: Key, view: View) -> bool:
    return any(one.reason in REFUSED for one in _refusals(at, view))


def _again_seconds(cluster: KafkaCluster | None, at: Key, view: View) -> float:
    """After how long the brokers are looked at again, and what they refused is tried again."""
    resync = view.settings.resync_seconds * _OF_RESYNC
    found = _refusals(at, view)
    if any(one.reason in REFUSED for one in found) and cluster is not None and answering_namespaces(cluster, view):
        found = [one for one in found if one.reason not in REFUSED]
    waits = [resync]
    if any(one.reason in LACKING for one in found):
        waits.append(_LACKING_SECONDS)
    if any(isinstance(one, TransientError) and one.reason not in LACKING for one in found):
        record = view[BrokerWrites(at)].value or WriteRecord()
        waits.append(min(_LONGEST_SECONDS, _FIRST_SECONDS * 2 ** min(record.failures, _MOST_DOUBLINGS)))
    return min(waits)


def _of_names(at: Key, view: View) -> Iterator[Need]:
    """Whether the resources behind what is on the brokers are really gone, where nobody has told us of them."""
    configs, referring, deleted = (
        view.get(BrokerConfigs(at)),
        view.get(Referring(KIND, at)),
        view.get(Deleted(KIND)),
    )
    if configs is None or configs.value is None:
        return
    known = {Subject.of(body).key for body in (referring.value or () if referring is not None else ())}
    names = own_names(configs.value.configs, installation_of(view), view.settings.watches)
    for key in names.values():
        if key in known:
            continue
        yield Need(Watched(KIND, key))
        body = view.get(Watched(KIND, key))
        target = None if body is None else cluster_of(key, body.value)
        if target is not None:
            yield Need(KnownId(target))
        elif body is not None and deleted is not None and key not in (deleted.value or ()):
            resync = view.settings.resync_seconds * _OF_RESYNC
            yield Need(CompleteNames(key.namespace), resync, _BEFORE_WRITE_SECONDS)
