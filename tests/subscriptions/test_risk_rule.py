"""A subscription is as strict as its KafkaCluster, or stricter."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from kwitness.contracts.resources.client_metrics_subscription import ClientMetricsSubscription
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.subscriptions.risk_rule import RiskRule, tightest

HOUR = timedelta(hours=1)
OF_THE_CLUSTER = "spec.riskPolicy Apply of KafkaCluster main"
OWN = "spec.riskPolicy Apply"


def rule(cluster: dict[str, Any], subscription: dict[str, Any]) -> RiskRule:
    metadata = {"name": "main", "namespace": "kafka"}
    reference = {"clusterRef": {"name": "main", "namespace": "kafka"}, "metrics": ["a."]}
    return tightest(
        [KafkaCluster.model_validate({"metadata": metadata, "spec": {"bootstrapServers": ["a:1"], **cluster}})],
        ClientMetricsSubscription.model_validate(
            {"metadata": {"name": "s", "namespace": "team"}, "spec": {**reference, **subscription}}
        ),
    )


@pytest.mark.parametrize(
    ("cluster", "subscription", "expected"),
    [
        ({}, {}, RiskRule(accepts=False, window=168 * HOUR, accepted_by=OF_THE_CLUSTER)),
        (
            {"riskPolicy": "Apply", "riskWindow": "2h"},
            {},
            RiskRule(accepts=True, window=2 * HOUR, accepted_by=OWN),
        ),
        (
            {"riskPolicy": "Apply", "riskWindow": "2h"},
            {"riskPolicy": "Apply", "riskWindow": "120m"},
            RiskRule(accepts=True, window=2 * HOUR, accepted_by=OWN),
        ),
    ],
)
def test_a_subscription_without_stricter_fields_has_the_rule_of_its_cluster(
    cluster: dict[str, Any], subscription: dict[str, Any], expected: RiskRule
) -> None:
    assert rule(cluster, subscription) == expected


def test_a_stricter_policy_and_a_longer_window_count() -> None:
    found = rule({"riskPolicy": "Apply", "riskWindow": "2h"}, {"riskPolicy": "Hold", "riskWindow": "3h"})

    assert found == RiskRule(accepts=False, window=3 * HOUR, accepted_by=OWN)


@pytest.mark.parametrize(
    ("subscription", "message"),
    [
        (
            {"riskPolicy": "Apply"},
            (
                "spec.riskPolicy Apply does not count: KafkaCluster main says Hold, and a subscription can only be"
                " stricter. Remove it, or have the owner of the KafkaCluster change it there"
            ),
        ),
        (
            {"riskWindow": "119m"},
            (
                "spec.riskWindow 119m does not count: KafkaCluster main says 2h, and a subscription can only be"
                " stricter. Remove it, or have the owner of the KafkaCluster change it there"
            ),
        ),
        (
            {"riskPolicy": "Apply", "riskWindow": "1s"},
            (
                "spec.riskPolicy Apply and spec.riskWindow 1s do not count: KafkaCluster main says Hold and 2h, and a"
                " subscription can only be stricter. Remove them, or have the owner of the KafkaCluster change them"
                " there"
            ),
        ),
    ],
)
def test_what_is_looser_does_not_count_and_is_named(subscription: dict[str, Any], message: str) -> None:
    found = rule({"riskWindow": "2h"}, subscription)

    assert found == RiskRule(accepts=False, window=2 * HOUR, accepted_by=OF_THE_CLUSTER, too_loose=message)
