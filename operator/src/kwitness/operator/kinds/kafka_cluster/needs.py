"""What must be known for one KafkaCluster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.operator.environment.needs import SETTLED_SECONDS, known_resource, strangers
from kwitness.operator.environment.owners import owner_needs
from kwitness.operator.environment.ruling_clusters import ruling_needs
from kwitness.operator.kinds.kafka_cluster.reported_elsewhere import other_collectors
from kwitness.operator.kinds.kafka_cluster.topics import missing_topics
from kwitness.operator.model.cluster_description import ClusterDescription
from kwitness.operator.model.errors import OperatorError, TransientError
from kwitness.operator.shapes.facts import (
    AskedFor,
    BrokersSeen,
    HeldBack,
    Labels,
    Referring,
    Reported,
    TopicsCreated,
    Watched,
)
from kwitness.operator.shapes.work import Need, Unit, View

__all__ = ["KIND", "needs"]

KIND: Final = "KafkaCluster"
_REFERRING: Final = ("ObserverDeployment", "TelemetryCollector")
"""What may answer clients in the brokers' place, and what brokers may report to."""
_AGAIN_SECONDS: Final = 60.0
"""Between looks at a cluster that lacks something which somebody may grant there, and of which nobody tells us."""
_BEFORE_RESYNC: Final = 0.9
"""Of the resync: what is looked at then has to be too old by then."""


def needs(unit: Unit, view: View) -> frozenset[Need]:
    """Itself, what its brokers and its collector say, what stands on the brokers, and who else leads there.

    Nothing waits for brokers, so that one whose brokers do not answer can be paused.
    """
    own = Watched(KIND, unit.key)
    answer = view.get(own)
    if answer is None or answer.value is None:
        return frozenset({Need(own)})
    look = BrokersSeen.of(answer.value)
    seen = view.get(look)
    found = {Need(own), Need(Reported(unit.key)), Need(HeldBack(unit.key)), Need(AskedFor(unit.key))}
    found |= {Need(Referring(kind, unit.key)) for kind in _REFERRING}
    age = view.settings.resync_seconds * _BEFORE_RESYNC
    cluster = known_resource(view, own, KafkaCluster)
    if cluster is not None:
        settled = min(SETTLED_SECONDS, view.settings.resync_seconds / 2)
        found |= {Need(Labels(one), settled) for one in strangers(cluster, unit.key, _REFERRING, view)}
        found |= owner_needs(cluster, view)
        if seen is not None and seen.value is not None:
            found |= ruling_needs(seen.value.cluster_id, view)
            others = other_collectors(cluster, seen.value, view)
            found |= {Need(answer, settled, awaited=False) for answer in others}
            missing = missing_topics(cluster, seen.value)
            created = None if missing is None else TopicsCreated(missing)
            refusals: Iterable[OperatorError | None] = ()
            if created is not None:
                found.add(Need(created))
                ended = view.get(created)
                refusals = ((ended.value if ended is not None else None) or {}).values()
            age = min(age, _AGAIN_SECONDS) if _may_pass(seen.value, refusals) else age
    return frozenset(found | {Need(look, age, awaited=False)})


def _may_pass(seen: ClusterDescription, refusals: Iterable[OperatorError | None]) -> bool:
    return bool(seen.hidden_topics) or any(isinstance(one, TransientError) for one in (seen.refused, *refusals))
