"""A KafkaCluster that is there decides which registers claim keys; what cannot be read decides nothing."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.contracts.resources.header_registry import HeaderRegistry
from kwitness.operator.kinds.header_registry.listing import Listing, listing_needs, listing_of
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError, TerminalError, TransientError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Answer, Every, Fact, Labels, Watched

from tests.operator.surroundings import cluster
from tests.operator.test_header_registries import register
from tests.operator.test_header_rules import SETTINGS

BY_LABEL = {"namespaceSelector": {"matchLabels": {"tier": "apps"}}, "template": "{namespace}."}
OF_MAIN = {"clusterRef": {"name": "main", "namespace": "kwitness"}}


class Clusters:
    """A view of KafkaClusters and of the labels of all namespaces, which may be an error."""

    now_ms = 1_000_000
    settings = SETTINGS

    def __init__(self, *clusters: dict[str, Any], labels: dict[str, str] | OperatorError | None = None) -> None:
        self._clusters = clusters
        self._labels = labels

    def get(self, fact: Fact[Any]) -> Answer[Any] | None:
        match fact:
            case Every("KafkaCluster"):
                return Answer(self._clusters, self.now_ms)
            case Watched("KafkaCluster", key):
                found = [body for body in self._clusters if Key(**body["metadata"]) == key]
                return Answer(found[0] if found else None, self.now_ms)
            case Labels() if isinstance(self._labels, OperatorError):
                return Answer(None, self.now_ms, self._labels)
            case Labels():
                return Answer(self._labels, self.now_ms)
            case _:
                raise AssertionError(fact)

    def __getitem__(self, fact: Fact[Any]) -> Answer[Any]:
        answer = self.get(fact)
        assert answer is not None
        return answer


def listed(namespace: str, view: Clusters, **spec: Any) -> Listing:
    resource = parse_resource(HeaderRegistry, register("r", namespace, "k", **spec))
    assert listing_needs(resource, view)
    return listing_of(resource, view)


def test_any_kafka_cluster_of_a_namespace_lists_its_registers():
    other = cluster("other", "kwitness", "kafka:9092")
    main = cluster("main", "kwitness", "kafka:9092", headerRegistries=[{"name": "another"}, {"name": "r"}])
    assert listed("kwitness", Clusters(main, other)) == Listing(Key("kwitness", "other"), -1)
    assert listed("kwitness", Clusters(main)) == Listing(Key("kwitness", "main"), 1)


@pytest.mark.parametrize("entries", [[], [{"name": "another"}], [{"name": "r", "namespace": "shop"}]], ids=str)
def test_a_register_that_no_entry_selects_loses_its_keys(entries):
    with pytest.raises(TerminalError, match="NotListed"):
        listed("kwitness", Clusters(cluster("main", "kwitness", "kafka:9092", headerRegistries=entries)))


def test_the_first_entry_that_selects_a_register_bounds_it():
    entries = [BY_LABEL, {"name": "r", "namespace": "shop"}]
    body = cluster("main", "kwitness", "k:1", allowedNamespaces={"from": "All"}, headerRegistries=entries)
    at = Key("kwitness", "main")
    assert listed("shop", Clusters(body, labels={"tier": "apps"}), **OF_MAIN) == Listing(at, 0, "shop.")
    assert listed("shop", Clusters(body, labels=None), **OF_MAIN) == Listing(at, 1)


def test_a_register_keeps_its_keys_while_labels_cannot_be_read():
    away = KubernetesUnavailableError("the API server does not answer")
    by_list = {"allowedNamespaces": {"from": "All"}, "headerRegistries": [BY_LABEL]}
    by_reference = {"allowedNamespaces": {"from": "Selector", "selector": {"matchLabels": {"tier": "apps"}}}}
    for spec in (by_list, by_reference):
        with pytest.raises(TransientError):
            listed("shop", Clusters(cluster("main", "kwitness", "k:1", **spec), labels=away), **OF_MAIN)


@pytest.mark.parametrize("spec", [{}, OF_MAIN, {"clusterRef": {"name": "main"}}], ids=str)
def test_a_register_keeps_its_keys_when_its_kafka_cluster_is_gone(spec):
    with pytest.raises(TransientError):
        listed("shop", Clusters(), **spec)


def test_a_register_loses_its_keys_when_the_reference_is_not_allowed():
    with pytest.raises(TerminalError, match="RefNotPermitted"):
        listed("shop", Clusters(cluster("main", "kwitness", "k:1", headerRegistries=[BY_LABEL])), **OF_MAIN)
