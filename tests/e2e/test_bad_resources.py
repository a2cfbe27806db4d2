"""Resources that cannot be carried out say so in their status, with what to do, and leave everything else alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from kwitness.demo.platform import CLUSTER, JOB, NAMESPACE, Platform
from kwitness.demo.toolbox import Toolbox

from tests.e2e import subscriptions
from tests.eventually import eventually, remains

TABLES = f"/var/lib/kwitness/tables/{NAMESPACE}"
ANOTHER = "anotherKafkaCluster001"


@contextmanager
def unwritable_table(platform: Platform, name: str) -> Iterator[None]:
    """A folder in the tables' volume that Spark's user may not write to."""
    shell = ("exec", f"kwitness-job-{JOB}-0", f"--namespace={NAMESPACE}", "--", "sh", "-c")
    platform.cluster.kubectl(*shell, f"mkdir -p {TABLES}/{name} && chmod 0555 {TABLES}/{name}")
    try:
        yield
    finally:
        platform.cluster.kubectl(*shell, f"chmod -R u+w {TABLES}/{name}; rm -rf {TABLES}/{name}")


def like(platform: Platform, existing: str, kind: str, name: str, **spec: Any) -> dict[str, Any]:
    """A resource as the demo has one, with another name and what `spec` changes."""
    document = subscriptions.found(platform, existing, kind)
    metadata = {"name": name, "namespace": NAMESPACE}
    return {
        "apiVersion": document["apiVersion"],
        "kind": document["kind"],
        "metadata": metadata,
        "spec": {**document["spec"], **spec},
    }


@contextmanager
def without_pods_after(platform: Platform, job: str) -> Iterator[None]:
    """Wait, once a job's resource is gone, for its pods: a driver and its executors say much while they end."""
    yield
    selector = f"app.kubernetes.io/part-of=kwitness,app.kubernetes.io/instance={job}"
    eventually(lambda: platform.cluster.pods(NAMESPACE, selector), lambda pods: not pods, seconds=180)


@pytest.mark.expects_log("(?i)cannot write under|Mkdirs failed|SparkContext|executor")
def test_a_table_path_that_cannot_be_written_is_said_in_status_and_stays_said(platform: Platform) -> None:
    def condition() -> dict[str, Any]:
        return subscriptions.ready(platform, "unwritable", "analyticsjob")

    job = like(platform, JOB, "analyticsjob", "unwritable", table="unwritable")
    with (
        unwritable_table(platform, "unwritable"),
        without_pods_after(platform, "unwritable"),
        subscriptions.applied(platform, job),
    ):
        found = eventually(condition, lambda one: one.get("reason") == "TableNotWritable", seconds=420)
        assert f"file://{TABLES}/unwritable" in found["message"]
        assert "give the job's pods the right to write there" in found["message"]
        # The driver ends, and its successor begins anew; the status keeps saying what is wrong.
        remains(condition, lambda one: one.get("reason") == "TableNotWritable", seconds=75)
        assert subscriptions.ready(platform, JOB, "analyticsjob")["reason"] == "Running"


def test_a_cluster_with_another_id_gets_nothing_until_it_is_accepted(platform: Platform, toolbox: Toolbox) -> None:
    name, early = "moved", subscriptions.manifest("to-another-cluster", ["org.apache.kafka."], cluster="moved")
    with subscriptions.applied(platform, like(platform, CLUSTER, "kafkacluster", name, clusterId=ANOTHER)):
        found = subscriptions.reason_becomes(platform, name, "ClusterIdChanged", "kafkacluster")
        real = subscriptions.found(platform, CLUSTER, "kafkacluster")["status"]["clusterId"]
        assert ANOTHER in found["message"]
        assert f"set spec.clusterId, or the annotation kwitness.dev/accept-cluster-id, to {real}" in found["message"]
        with subscriptions.applied(platform, early):
            subscriptions.reason_becomes(platform, "to-another-cluster", "ClusterNotReady")
            assert not any(one.endswith(".to-another-cluster") for one in toolbox.subscriptions())
            patch = json.dumps({"spec": {"clusterId": real}})
            platform.cluster.kubectl(
                "patch", "kafkacluster", name, f"--namespace={NAMESPACE}", "--type=merge", f"--patch={patch}"
            )
            subscriptions.reason_becomes(platform, "to-another-cluster", "Applied")
            assert any(one.endswith(".to-another-cluster") for one in toolbox.subscriptions())
