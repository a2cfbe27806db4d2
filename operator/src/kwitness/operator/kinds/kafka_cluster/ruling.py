"""Say which KafkaCluster rules where several lead to one Kafka cluster."""

from __future__ import annotations

from typing import Final

from kwitness.operator.environment.ruling_clusters import ruler_of
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.listed_names import some_of
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import SameKafka
from kwitness.operator.shapes.work import View

__all__ = ["ruling_condition"]

_TYPE: Final = "Rules"


def ruling_condition(key: Key, cluster_id: str, view: View) -> Verdict | None:
    """Return the condition of one of several; None where it is the only one."""
    others = [other for other in view[SameKafka(cluster_id)].value or () if other != key]
    try:
        ruler = ruler_of(cluster_id, view)
    except OperatorError as error:
        return Verdict(_TYPE, "Unknown", "RulerUnknown", f"it cannot be read which KafkaCluster rules: {error.message}")
    if ruler in {None, key}:
        if not others:
            return None
        message = f"{some_of(others)} lead to the same Kafka cluster too, and act for their own namespaces"
        return Verdict(_TYPE, "True", "Rules", message)
    message = (
        f"KafkaCluster {ruler} leads to the same Kafka cluster and rules: what this one says of all clients acts"
        f" for namespace {key.namespace}; another can be named in the Helm value rulingClusters"
    )
    return Verdict(_TYPE, "False", "AnotherRules", message)
