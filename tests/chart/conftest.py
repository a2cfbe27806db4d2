"""Values that switch everything on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kwitness.e2e.api_server import ApiServer

from tests.chart.reader import Reader

EGRESS = {"networkPolicy": {"egress": {"enabled": True}}}
BOTH_WAYS = {"networkPolicy": {"enabled": True, "egress": {"enabled": True}}}


@pytest.fixture
def reader(empty_server: ApiServer, tmp_path: Path) -> Reader:
    """A person who does what a page says, on a cluster that nobody has installed anything into."""
    return Reader(empty_server, tmp_path)


@pytest.fixture(scope="session")
def everything() -> dict[str, Any]:
    """Values with every switch on."""
    return {
        "global": {"imageRegistry": "registry.example.org/mirror", "imagePullSecrets": ["pull"]},
        "watchNamespaces": ["kwitness", "team-a"],
        "owners": {"strimziNamespaces": ["kafka"], "namespaces": True},
        "networkPolicy": {"namespaces": ["team-a"]},
        "operator": {"secretNames": {"team-a": ["kwitness-kafka-admin"]}, **EGRESS},
        "collector": {"clientPods": ["team-b"], **EGRESS},
        "observer": BOTH_WAYS,
        "observerHost": BOTH_WAYS,
        "pods": {
            "nodeSelector": {"disk": "fast"},
            "tolerations": [{"key": "kafka", "operator": "Exists"}],
            "priorityClassName": "important",
        },
        "rbac": {"growAnyClaim": True},
        "injector": {"enabled": True, "otherNamespaces": {"from": ["kwitness"], "to": ["team-b"]}, **EGRESS},
        "console": {
            "enabled": True,
            "url": "https://console.example.org",
            "kafkaCluster": {"namespace": "team-a", "name": "orders"},
            "collector": {"name": "main", "caConfigMap": "kwitness-authority"},
            "signIn": {
                "methods": ["token", "oidc"],
                "oidc": {
                    "issuer": "https://login.example.org/",
                    "clientId": "kwitness",
                    "secret": "kwitness-oidc",
                    "caConfigMap": "login-authority",
                    "checkedBy": "console",
                },
            },
            "tls": {"secret": "kwitness-console-tls"},
            "tables": {"claim": "kwitness-tables", "folder": "/var/lib/kwitness/tables"},
            **EGRESS,
        },
        "analytics": {
            "namespaces": ["team-a"],
            "tableClaim": "kwitness-tables",
            "createClaim": {"enabled": True},
            **BOTH_WAYS,
        },
        "monitoring": {
            "serviceMonitor": {"enabled": True},
            "allowServiceMonitors": True,
            "prometheusRule": {"enabled": True},
            "dashboards": {"enabled": True},
        },
    }


@pytest.fixture(scope="session")
def demo_everything(everything: dict[str, Any]) -> dict[str, Any]:
    """The same for the demo's chart."""
    return {
        "global": everything["global"],
        "pods": everything["pods"],
        "prometheus": {"collectors": [{"name": "main", "namespace": "team-a"}]},
        "devKafka": {"replicas": 2, "persistence": {"enabled": True, "storageClassName": "fast"}},
    }
