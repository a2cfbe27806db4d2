"""Wrong values are refused before anything is installed, and the message names the value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.devtools import chart_readme
from kwitness.e2e import chart
from kwitness.images.commands import CommandFailedError

CONSOLE = {
    "enabled": True,
    "url": "https://console.example.org",
    "kafkaCluster": {"name": "orders"},
    "collector": {"name": "main"},
    "tls": {"secret": "kwitness-console-tls"},
}
WRONG = {
    "an unknown value": ({"operatr": {}}, "operatr"),
    "an unknown value further down": ({"operator": {"replica": 1}}, "replica"),
    "four operators": ({"operator": {"replicas": 4}}, "/operator/replicas"),
    "everything and one namespace": ({"watchNamespaces": ["*", "a"]}, "/watchNamespaces"),
    "a namespace that cannot be": ({"watchNamespaces": ["Team_A"]}, "/watchNamespaces"),
    "an installation with a dot": ({"installation": "a.b"}, "/installation"),
    "an installation that is too long": ({"installation": "a" * 41}, "/installation"),
    "no name of a Secret": ({"operator": {"secretNames": {"a": ["Payroll"]}}}, "/operator/secretNames/a"),
    "hosts of a Secret that is not ours": (
        {"credentials": {"hosts": {"a/payroll": "k:1"}}},
        "'a/payroll' does not match",
    ),
    "an unknown log level": ({"operator": {"logLevel": "trace"}}, "/operator/logLevel"),
    "a duration without unit": ({"limits": {"minInterval": "10"}}, "/limits/minInterval"),
    "a quantity that is none": ({"limits": {"maxExecutorMemory": "8 GB"}}, "/limits/maxExecutorMemory"),
    "a root user": ({"pods": {"runAsUser": 0}}, "/pods/runAsUser"),
    "a table root without scheme": ({"analytics": {"tableRoot": "/tables"}}, "/analytics/tableRoot"),
    "tables outside their claim": (
        {"analytics": {"tableRoot": "file:///tmp/tables"}},
        "analytics.tableRoot is file:///tmp",
    ),
    "tables beside their claim": (
        {"analytics": {"tableRoot": "file:///var/lib/kwitness/../tables"}},
        "not under the mount /var/lib/kwitness",
    ),
    "tables in a scheme that Hadoop does not read": (
        {"analytics": {"tableRoot": "s3://bucket/tables"}},
        "write s3a://",
    ),
    "an object store's address without scheme": (
        {"analytics": {"storage": {"endpoint": "store:9000"}}},
        "/analytics/storage/endpoint",
    ),
    "two identities before an object store": (
        {"analytics": {"storage": {"keysSecret": "a", "webIdentity": {"roleArn": "arn:aws:iam::1:role/a"}}}},
        "two identities: give one",
    ),
    "a role whose token is exchanged nowhere": (
        {"analytics": {"storage": {"webIdentity": {"roleArn": "arn:aws:iam::1:role/a"}}}},
        "needs analytics.storage.region",
    ),
    "a setting that is not of a file system": (
        {"analytics": {"storage": {"settings": {"spark.master": "local"}}}},
        "spark.master",
    ),
    "a Kafka, which is not the product": ({"devKafka": {"enabled": True}}, "devKafka"),
    "a claim to make without name": ({"analytics": {"createClaim": {"enabled": True}}}, "/analytics/tableClaim"),
    "an issuer of another kind": (
        {"injector": {"certificate": {"issuer": {"kind": "Vault"}}}},
        "/injector/certificate/issuer/kind",
    ),
    "a console without an address": (
        {
            "console": {
                "enabled": True,
                "kafkaCluster": {"name": "a"},
                "collector": {"name": "b"},
                "tls": {"secret": "s"},
            }
        },
        "/console/url",
    ),
    "a console whose collector is not named": (
        {
            "console": {
                "enabled": True,
                "url": "https://c.example.org",
                "kafkaCluster": {"name": "a"},
                "tls": {"secret": "s"},
            }
        },
        "/console/collector/name",
    ),
    "a console that neither has a certificate nor is behind a proxy": (
        {"console": {**CONSOLE, "tls": {}}},
        "/console/tls",
    ),
    "an OpenID provider without an issuer": (
        {"console": {"signIn": {"methods": ["oidc"]}}},
        "/console/signIn/oidc",
    ),
    "an address of the console with a page": (
        {"console": {"url": "https://console.example.org/clients"}},
        "/console/url",
    ),
    "an unknown pull policy": ({"images": {"operator": {"pullPolicy": "Sometimes"}}}, "/images/operator/pullPolicy"),
    "a tag for a digest": ({"images": {"operator": {"digest": "latest"}}}, "/images/operator/digest"),
}


WRONG_IN_THE_DEMO = {
    "an unknown value": ({"devKafca": {}}, "devKafca"),
    "a number that Helm would round": (
        {"devKafka": {"extraProperties": {"log.retention.bytes": 2**63 - 1}}},
        "devKafka.extraProperties.log.retention.bytes",
    ),
    "three brokers": ({"devKafka": {"replicas": 3}}, "/devKafka/replicas"),
    "a cluster id that Kafka refuses": ({"devKafka": {"clusterId": "short"}}, "/devKafka/clusterId"),
    "a namespace that cannot be": (
        {"prometheus": {"collectors": [{"name": "main", "namespace": "Team_A"}]}},
        "/prometheus/collectors/0/namespace",
    ),
    "a tag for a digest": ({"images": {"devKafka": {"digest": "latest"}}}, "/images/devKafka/digest"),
}
CASES = [
    *(pytest.param(chart.CHART, *case, id=name) for name, case in WRONG.items()),
    *(pytest.param(chart.DEMO_CHART, *case, id=f"demo: {name}") for name, case in WRONG_IN_THE_DEMO.items()),
]


@pytest.mark.parametrize(("source", "values", "place"), CASES)
def test_refuses(source: Path, values: dict[str, Any], place: str) -> None:
    with pytest.raises(CommandFailedError) as failed:
        chart.render(values, chart=source)

    assert place in str(failed.value)


@pytest.mark.parametrize(
    "root", ["file:///var/lib/kwitness", "file:///var/lib/kwitness/a/tables/", "s3a://bucket/kwitness", "abfss://c@a/b"]
)
def test_accepts_a_table_root(root: str) -> None:
    assert chart.render({"analytics": {"tableRoot": root}})


def test_accepts_other_globals_since_the_chart_may_be_part_of_another() -> None:
    assert chart.render({"global": {"somebodyElses": True}})


@pytest.mark.parametrize("source", [chart.CHART, chart.DEMO_CHART], ids=lambda source: source.name)
def test_knows_every_value(source: Path) -> None:
    values = yaml.safe_load((source / "values.yaml").read_text())
    schema = json.loads((source / "values.schema.json").read_text())

    assert list(unknown(values, schema, schema["$defs"])) == []


@pytest.mark.parametrize("source", [chart.CHART, chart.DEMO_CHART], ids=lambda source: source.name)
def test_the_readme_is_fresh(source: Path) -> None:
    assert (source / "README.md").read_text() == chart_readme.page(source.name, (source / "values.yaml").read_text())


def unknown(values: dict[str, Any], schema: dict[str, Any], definitions: dict[str, Any], place: str = "") -> Any:
    """Values that the schema does not name."""
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    properties = schema.get("properties")
    if not isinstance(values, dict) or properties is None:
        return
    for key, value in values.items():
        if key in properties:
            yield from unknown(value, properties[key], definitions, f"{place}/{key}")
        else:
            yield f"{place}/{key}"
