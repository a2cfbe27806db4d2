"""Decide which KafkaCluster rules where several lead to one Kafka cluster."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.operator.environment.clusters import present
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.ruling_clusters import RULING_CONFIG_MAP, Ruler, rulers_of, with_ruler
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.actions import Remember
from kwitness.operator.shapes.facts import KafkaState, NamedObject, SameKafka, Watched
from kwitness.operator.shapes.work import Need, View

__all__ = ["other_ruler", "remembered_ruler", "ruler_of", "ruling_cluster", "ruling_needs"]

_SETTLED: Final = 600.0
"""Seconds between looks at what only the operator writes."""


def ruling_needs(cluster_id: str, view: View) -> set[Need]:
    """Need the other KafkaClusters of the Kafka cluster, and what is remembered."""
    return {Need(SameKafka(cluster_id)), Need(_fact(view.settings), _SETTLED)}


def ruler_of(cluster_id: str, view: View) -> Key | None:
    """Return the KafkaCluster that rules; None where that is not remembered yet.

    The Helm value ``rulingClusters`` comes first, then the first of those remembered that is there.

    Raises
    ------
    OperatorError
        The ConfigMap cannot be read.
    """
    sharing = view[SameKafka(cluster_id)].value or ()
    chosen = next((key for key in sharing if str(key) in view.settings.ruling_clusters), None)
    if chosen is not None:
        return chosen
    remembered = rulers_of(present(view, _fact(view.settings))).get(cluster_id, ())
    return next((ruler.key for ruler in remembered if ruler.key in sharing), None)


def other_ruler(at: Key, view: View) -> Key | None:
    """Return the KafkaCluster that rules in the place of the one ``at``; None where that rules, or nothing is known."""
    state, remembered = view.get(KafkaState(at)), view.get(_fact(view.settings))
    cluster_id = None if state is None or state.value is None else state.value.cluster_id
    if cluster_id is None or remembered is None:
        return None
    if remembered.failure is not None and view[SameKafka(cluster_id)].value in {(), (at,)}:
        # Alone, as almost always.
        return None
    ruler = ruler_of(cluster_id, view)
    return None if ruler == at else ruler


def ruling_cluster(at: Key, view: View) -> KafkaCluster | None:
    """Return the KafkaCluster that rules in the place of the one ``at``; None where that rules itself.

    Raises
    ------
    OperatorError
        It cannot be read, or it cannot be read which rules: what it says is not known.
    """
    ruler = other_ruler(at, view)
    found = None if ruler is None else view.get(Watched("KafkaCluster", ruler))
    return None if found is None or found.value is None else parse_resource(KafkaCluster, found.value)


def remembered_ruler(subject: Subject, cluster_id: str, view: View) -> Remember | None:
    """Return what to remember of an accepted KafkaCluster: that it rules, if none does; its uid, if its name returned.

    Nothing while the ConfigMap cannot be read.
    """
    answer = view[_fact(view.settings)]
    if answer.failure is not None:
        return None
    config_map, rulers = answer.value, rulers_of(answer.value)
    known, sharing = rulers.get(cluster_id, ()), view[SameKafka(cluster_id)].value or ()
    own = Ruler(subject.key, subject.uid)
    others = any(ruler.key in sharing for ruler in known if ruler.key != own.key)
    if own in known or (others and own.key not in [ruler.key for ruler in known]):
        return None
    data = with_ruler(rulers, cluster_id, own)
    if data is None:
        return None
    version = None if config_map is None else str(config_map["metadata"]["resourceVersion"])
    return Remember(_fact(view.settings).key, version, data)


def _fact(settings: OperatorSettings) -> NamedObject:
    return NamedObject("ConfigMap", Key(settings.namespace, RULING_CONFIG_MAP))
