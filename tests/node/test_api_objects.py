"""Objects of an API server, read and written over a kept connection; and a server that is emptied for the next test."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kwitness.contracts.resources import KINDS
from kwitness.e2e.api_objects import ApiRefusedError
from kwitness.e2e.api_server import ApiServer
from kwitness.images.image_parts import REPOSITORY

MAP: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "objects", "namespace": "default"},
    "data": {"a": "1", "b": "2"},
}
CLUSTER = {
    "apiVersion": "kwitness.dev/v1beta1",
    "kind": "KafkaCluster",
    "metadata": {"name": "main", "namespace": "shop"},
    "spec": {"bootstrapServers": ["kafka:9092"]},
}


def test_what_is_no_longer_applied_is_removed(api_server: ApiServer) -> None:
    api_server.objects.apply(MAP)
    api_server.objects.apply({**MAP, "data": {"b": "3"}})

    assert api_server.objects.get("cm", "objects", "default")["data"] == {"b": "3"}


def test_kinds_have_the_names_of_kubectl(api_server: ApiServer) -> None:
    api_server.objects.apply(MAP)

    for kind in ("cm", "configmap", "configmaps", "ConfigMap"):
        assert "objects" in api_server.objects.names(kind, "default")
    assert {one["kind"] for one in api_server.objects.items("cm,ns")} == {"ConfigMap", "Namespace"}
    assert api_server.objects.items("events.events.k8s.io", "kube-public") == []


def test_what_is_deleted_is_not_found(api_server: ApiServer) -> None:
    api_server.objects.apply(MAP)
    api_server.objects.delete("cm", "objects", namespace="default")

    assert api_server.objects.find("cm", "objects", "default") is None
    with pytest.raises(ApiRefusedError, match=r'GET /api/v1/\S+/objects: 404 NotFound: configmaps "objects" not found'):
        api_server.objects.get("cm", "objects", "default")


def test_a_field_that_does_not_exist_is_refused_by_its_name(api_server: ApiServer) -> None:
    with pytest.raises(ApiRefusedError, match=re.escape(".dta: field not declared in schema")):
        api_server.objects.apply({**MAP, "dta": {}})


def test_each_kind_of_patch_changes_what_it_says(api_server: ApiServer) -> None:
    objects = api_server.objects
    objects.apply(MAP)

    objects.patch("cm", "objects", "default", {"data": {"a": None}})
    objects.patch("cm", "objects", "default", [{"op": "add", "path": "/data/c", "value": "3"}], how="json")
    objects.label("cm", "objects", "default", {"of": "a-test"})

    found = objects.get("cm", "objects", "default")
    assert found["data"] == {"b": "2", "c": "3"}
    assert found["metadata"]["labels"] == {"of": "a-test"}


def test_an_emptied_server_knows_nothing_of_what_was_made_and_takes_it_again(empty_server: ApiServer) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    for _ in range(2):
        empty_server.define(REPOSITORY / "crds")
        assert len(empty_server.objects.names("crd")) == len(KINDS)
        assert empty_server.objects.names("kfc") == []
        empty_server.objects.apply(namespace)
        empty_server.objects.apply(CLUSTER)

        empty_server.empty()

        assert empty_server.objects.names("crd") == []
        assert empty_server.objects.find("namespace", "shop") is None
        assert not empty_server.request("GET", "/apis/kwitness.dev").ok
