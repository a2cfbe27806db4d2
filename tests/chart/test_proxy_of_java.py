"""Hadoop's client of object stores obeys the options and settings that the chart makes of the proxy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kwitness.e2e import chart
from kwitness.e2e.object_store import ObjectStore

from tests.chart.manifests import named
from tests.forward_proxy import ForwardProxy
from tests.s3a_client import list_bucket


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with ObjectStore() as started:
        started.make_bucket("tables")
        yield started


def list_as_driver(store: ObjectStore, host: str, proxy: ForwardProxy, folder: Path) -> str:
    """List the bucket as a driver of a chart with this proxy does; the endpoint."""
    endpoint = store.endpoint.replace("127.0.0.1", host)
    url = proxy.environment()["HTTP_PROXY"]
    analytics = {"tableRoot": "s3a://tables", "storage": {"endpoint": endpoint}}
    values = {"global": {"proxy": {"httpProxy": url}}, "analytics": analytics}
    config = named(chart.render(values), "ConfigMap", "kwitness-operator")
    found: dict[str, Any] = json.loads(config["data"]["settings.json"])["analytics"]
    [variable] = found["driver"]["pod"]["env"]
    assert variable["name"] == "JDK_JAVA_OPTIONS"
    options = variable["value"].replace("$(KUBERNETES_SERVICE_HOST)", "10.96.0.1")

    done = list_bucket(store, folder, endpoint=endpoint, options=options, settings=found["storage"]["settings"])

    assert done.returncode == 0, done.stderr
    return endpoint


def test_a_store_outside_is_reached_by_the_proxy(store: ObjectStore, tmp_path: Path) -> None:
    with ForwardProxy(tmp_path) as proxy:
        endpoint = list_as_driver(store, "store.test", proxy, tmp_path)

        assert proxy.requested
        assert all(f" {endpoint}/tables" in request for request in proxy.requested)


def test_a_store_of_a_direct_name_is_reached_without_the_proxy(store: ObjectStore, tmp_path: Path) -> None:
    with ForwardProxy(tmp_path) as proxy:
        list_as_driver(store, "localhost", proxy, tmp_path)

        assert proxy.requested == []
