"""A ClientMetricsSubscription of v1alpha1 becomes one of v1beta1."""

from __future__ import annotations

from kwitness.contracts.conversion.client_metrics_subscription import to_v1beta1
from kwitness.contracts.resources.client_metrics_subscription import ClientMetricsSubscription


def test_the_spec_stays_and_the_status_is_left_out() -> None:
    metadata = {"name": "slow", "namespace": "orders"}
    spec = {
        "clusterRef": {"name": "main"},
        "metrics": ["org.apache.kafka.producer."],
        "interval": "10s",
        "match": [{"selector": "clientId", "pattern": "orders-.*"}],
        "suspend": True,
    }
    body = {"kind": "ClientMetricsSubscription", "metadata": metadata, "spec": spec}
    converted = to_v1beta1({**body, "apiVersion": "kwitness.dev/v1alpha1", "status": {"appliedHash": "a"}})

    assert converted == {**body, "apiVersion": "kwitness.dev/v1beta1"}
    assert ClientMetricsSubscription.model_validate(converted).spec.interval == "10s"
