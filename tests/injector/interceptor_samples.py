"""An injection of interceptors as the tests of the injector vary it."""

from __future__ import annotations

from typing import Any

from kwitness.contracts.interceptor_injections import InterceptorInjection

from tests.merge_patch import merged

INTERCEPTORS: dict[str, Any] = {
    "namespace": "shop",
    "name": "orders",
    "pod_selector": {"match_labels": {"app": "orders"}},
    "runtimes": ["python"],
    "files": {
        "image": "kwitness/interceptors:1",
        "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"memory": "64Mi"}},
        "run_as_user": 65532,
    },
    "settings": {
        "installation": "kwitness",
        "cluster_id": "4L6g3nShT-eMCtK--X86sw",
        "namespace": "shop",
        "name": "orders",
        "suspend": False,
        "interceptors": [{"name": "audit", "type": "Audit"}],
        "collector": {
            "url": "https://kwitness-collector-main-{ordinal}.kwitness-collector-main-replicas.platform.svc:8443",
            "replicas": 2,
            "ca_file": "/etc/kwitness/interceptors/ca.crt",
            "token_file": "/etc/kwitness/interceptors/token",
        },
    },
    "collector_ca": "the collector's certificate authority\n",
    "token_audience": "kwitness-collector.platform.main",
}


def interceptors(**changes: Any) -> InterceptorInjection:
    content = merged(INTERCEPTORS, changes)
    # It must be said, if only by null.
    content["settings"] = {"collector": None, **content["settings"]}
    return InterceptorInjection.model_validate(content)
