"""The proxy of the values reaches collectors and Spark, and nothing that stays within the cluster."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kwitness.e2e import chart
from kwitness.images.commands import CommandFailedError

from tests.chart.manifests import named

PROXY = {"httpProxy": "http://plain.example.org", "httpsProxy": "http://proxy.example.org:3128/"}
NO_PROXY = "$(KUBERNETES_SERVICE_HOST),localhost,127.0.0.1,::1,.svc,.cluster.local"
DIRECT = (
    "$(KUBERNETES_SERVICE_HOST)|localhost|*.localhost|127.0.0.1|[::1]|svc|*.svc|cluster.local|*.cluster.local"
    "|example.net|*.example.net"
)
OPTIONS = (
    "-Dhttp.proxyHost=plain.example.org -Dhttp.proxyPort=80 -Dhttps.proxyHost=proxy.example.org -Dhttps.proxyPort=3128"
    f" -Dhttp.nonProxyHosts={DIRECT}"
)


def settings(**values: Any) -> dict[str, Any]:
    config = named(chart.render(values), "ConfigMap", "kwitness-operator")
    found: dict[str, Any] = json.loads(config["data"]["settings.json"])
    return found


def test_collectors_and_spark_get_the_proxy_and_others_do_not() -> None:
    found = settings(**{"global": {"proxy": {**PROXY, "noProxy": [".example.net"]}}})

    assert found["collector"]["pod"]["env"] == [
        {"name": "HTTP_PROXY", "value": "http://plain.example.org"},
        {"name": "HTTPS_PROXY", "value": "http://proxy.example.org:3128/"},
        {"name": "NO_PROXY", "value": f"{NO_PROXY},.example.net"},
    ]
    for part in ("driver", "executor"):
        assert found["analytics"][part]["pod"]["env"] == [{"name": "JDK_JAVA_OPTIONS", "value": OPTIONS}]
    assert [found[component]["pod"] for component in ("observer", "observerHost")] == [{}, {}]


def test_the_charts_own_pods_speak_within_the_cluster_and_have_no_proxy() -> None:
    manifests = chart.render({"global": {"proxy": PROXY}, "injector": {"enabled": True}})

    pods = [json.dumps(pod) for pod in chart.pods(manifests)]
    assert len(pods) == 3
    assert [pod for pod in pods if "PROXY" in pod or "proxyHost" in pod] == []


@pytest.mark.parametrize(
    ("endpoint", "proxy"),
    [
        ("", {"fs.s3a.proxy.host": "proxy.example.org", "fs.s3a.proxy.port": "3128"}),
        ("http://store.example.org:9000", {"fs.s3a.proxy.host": "plain.example.org", "fs.s3a.proxy.port": "80"}),
    ],
)
def test_an_object_store_is_reached_by_the_proxy_of_its_scheme(endpoint: str, proxy: dict[str, str]) -> None:
    own = {"fs.s3a.threads.max": "20"}
    analytics = {"tableRoot": "s3a://tables", "storage": {"endpoint": endpoint, "settings": own}}

    found = settings(**{"global": {"proxy": PROXY}, "analytics": analytics})

    assert found["analytics"]["storage"]["settings"] == {**own, **proxy}


def test_a_components_own_variable_wins() -> None:
    secret = {"name": "HTTPS_PROXY", "valueFrom": {"secretKeyRef": {"name": "proxy", "key": "url"}}}

    found = settings(**{"global": {"proxy": PROXY}, "collector": {"pod": {"env": [secret]}}})

    assert [entry for entry in found["collector"]["pod"]["env"] if entry["name"] == "HTTPS_PROXY"] == [secret]


def test_no_proxy_makes_no_variable() -> None:
    found = settings()

    assert [found["collector"]["pod"], found["analytics"]["driver"]["pod"]] == [{}, {}]


@pytest.mark.parametrize(
    ("proxy", "place"),
    [
        ({"httpsProxy": "http://user:canary@proxy.example.org:3128"}, "/global/proxy/httpsProxy"),
        ({"httpsProxy": "https://proxy.example.org"}, "/global/proxy/httpsProxy"),
        ({"noProxy": ["10.0.0.0/8"]}, "/global/proxy/noProxy/0"),
    ],
)
def test_refuses_what_not_every_program_reads_alike(proxy: dict[str, Any], place: str) -> None:
    with pytest.raises(CommandFailedError) as failed:
        chart.render({"global": {"proxy": proxy}})

    assert place in str(failed.value)
