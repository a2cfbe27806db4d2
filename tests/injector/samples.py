"""An injection and a pod as the tests of the injector vary them."""

from __future__ import annotations

from typing import Any

from kwitness.contracts.injections import Injection

from tests.merge_patch import merged

SETTINGS: dict[str, Any] = {
    "cluster_id": "4L6g3nShT-eMCtK--X86sw",
    "namespace": "shop",
    "name": "orders",
    "mode": "sidecar",
    "reported_by": "pod",
    "suspend": False,
    "upstream": {"bootstrap_servers": ["kafka-0.kafka.platform.svc:9092"], "tls": None},
    "listener": {
        "name": "PLAIN",
        "bind": "127.0.0.1",
        "bootstrap_port": 19092,
        "advertised_host": "127.0.0.1",
        "brokers": {"0": 19093, "1": 19094},
    },
    "window_ms": 10_000,
    "report": {"connections": True, "traffic": True, "latency": True},
    "identity": {"drop": []},
    "limits": {
        "max_connections": 1_000,
        "max_frame_bytes": 104_857_600,
        "max_series": 1_000,
        "queue_bytes": 4_194_304,
        "max_rewrite_bytes": 1_048_576,
    },
    "collector": {
        "url": "https://kwitness-collector-main-{ordinal}.kwitness-collector-main-replicas.platform.svc:8443",
        "replicas": 2,
        "ca_file": "/etc/kwitness/observer/ca.crt",
        "token_file": "/etc/kwitness/observer/token",
    },
    "metrics_port": 19091,
}

INJECTION: dict[str, Any] = {
    "installation": "kwitness",
    "namespace": "shop",
    "name": "orders",
    "pod_selector": {"match_labels": {"app": "orders"}},
    "variables": {"bootstrap_servers": ["KAFKA_BOOTSTRAP_SERVERS"]},
    "addresses": ["kafka:9092"],
    "address_namespace": "platform",
    "observer": {
        "image": "kwitness/observer:1",
        "resources": {"requests": {"cpu": "20m", "memory": "16Mi"}, "limits": {"memory": "64Mi"}},
        "run_as_user": 65532,
    },
    "settings": SETTINGS,
    "collector_ca": "the collector's certificate authority\n",
    "token_audience": "kwitness-collector.platform.main",
}

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"generateName": "orders-", "labels": {"app": "orders"}},
    "spec": {
        "serviceAccountName": "orders",
        "containers": [
            {
                "name": "app",
                "image": "shop/orders:7",
                "env": [{"name": "KAFKA_BOOTSTRAP_SERVERS", "value": "kafka.platform:9092"}],
            }
        ],
    },
}


def injection(**changes: Any) -> Injection:
    content = merged(INJECTION, changes)
    # These must be said, if only by null.
    content["settings"] = {"collector": None, **content["settings"]}
    return Injection.model_validate(content)
