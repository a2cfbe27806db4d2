"""Resources that cannot be carried out say so in their status, with what to do, and leave everything else alone."""

from __future__ import annotations

import pytest

from kwitness.demo import up
from kwitness.demo.platform import CLUSTER, Platform
from kwitness.demo.toolbox import Toolbox

from tests.e2e import subscriptions

pytestmark = pytest.mark.needs(up.collector)

ANOTHER = "anotherKafkaCluster001"


def test_a_cluster_with_another_id_gets_nothing_until_it_is_accepted(platform: Platform, toolbox: Toolbox) -> None:
    name, early = "moved", subscriptions.manifest("to-another-cluster", ["org.apache.kafka."], cluster="moved")
    cluster = subscriptions.like(platform, CLUSTER, "kafkacluster", name, clusterId=ANOTHER)
    with subscriptions.applied(platform, cluster):
        found = subscriptions.reason_becomes(platform, name, "ClusterIdChanged", "kafkacluster")
        real = subscriptions.found(platform, CLUSTER, "kafkacluster")["status"]["clusterId"]
        assert ANOTHER in found["message"]
        assert f"set spec.clusterId to {real}" in found["message"]
        with subscriptions.applied(platform, early):
            subscriptions.reason_becomes(platform, "to-another-cluster", "ClusterNotReady")
            assert not any(one.endswith(".to-another-cluster") for one in toolbox.subscriptions())
            subscriptions.change(platform, "kafkacluster", name, clusterId=real)
            subscriptions.reason_becomes(platform, "to-another-cluster", "Applied")
            assert any(one.endswith(".to-another-cluster") for one in toolbox.subscriptions())
