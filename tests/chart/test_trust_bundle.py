"""The CA certificates of the values are mounted into the operator, and the operator is given their ConfigMap."""

from __future__ import annotations

import json
from typing import Any

from kwitness.e2e import chart

from tests.chart.manifests import named


def operator_and_settings(bundle: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    manifests = chart.render({"global": {"trustBundle": bundle}})
    config = named(manifests, "ConfigMap", "kwitness-operator")
    spec = named(manifests, "Deployment", "kwitness-operator")["spec"]["template"]["spec"]
    return spec, json.loads(config["data"]["settings.json"])


def test_the_operator_trusts_the_bundle_beside_the_system() -> None:
    spec, settings = operator_and_settings({"configMap": "authorities", "key": "bundle.pem"})

    [container] = spec["containers"]
    variables = {entry["name"]: entry.get("value") for entry in container["env"]}
    assert variables["SSL_CERT_DIR"] == "/etc/ssl/certs"
    folder, _, file = variables["SSL_CERT_FILE"].rpartition("/")
    [mount] = [entry for entry in container["volumeMounts"] if entry["mountPath"] == folder]
    [volume] = [entry for entry in spec["volumes"] if entry["name"] == mount["name"]]
    assert volume["configMap"] == {"name": "authorities", "items": [{"key": "bundle.pem", "path": file}]}
    assert settings["trustBundle"] == {"configMap": "authorities", "key": "bundle.pem"}


def test_without_a_bundle_nothing_is_mounted() -> None:
    spec, settings = operator_and_settings({})

    assert settings["trustBundle"] is None
    assert "SSL_CERT" not in json.dumps(spec)
