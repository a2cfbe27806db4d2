"""The operator as a process, against a real API server and a real broker."""

from __future__ import annotations

import json
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kwitness.contracts.own_metrics import OWN_METRICS
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.e2e.waiting import run_to_end

from tests.eventually import eventually, remains
from tests.operator.conftest import at_the_resync, end_in_good_order, make_namespaces, usual_settings
from tests.operator.surroundings import (
    OperatorProcess,
    alter_broker,
    apply,
    broker_configs,
    cluster,
    collector,
    get,
    may,
    ready,
    subscription,
    until_configs,
    until_reason,
    writes_of,
)

pytestmark = pytest.mark.broker


FROM_A_COLLECTOR = {"kwitness_clients_below_minimum_version"}  # seen with one in test_inventory.py


MOST_SHARED = 16
"""Tests that share an operator, each in a namespace of its own."""


class Shared(NamedTuple):
    """An operator of several tests, and the namespaces that none of them has had."""

    operator: OperatorProcess
    home: str
    free: list[str]


@pytest.fixture(scope="module")
def pool(api, tmp_path_factory):
    """An operator that no test stops: a start takes longer than most tests."""
    names = make_namespaces(api, MOST_SHARED)
    settings = usual_settings(names, 600.0)
    operator = OperatorProcess(tmp_path_factory.mktemp("shared"), api.kubeconfig_of("operator"), settings)
    eventually(lambda: operator.probe("/readyz")[0] == 200)
    yield Shared(operator, names[0], list(names))
    end_in_good_order([operator])


@pytest.fixture
def namespace(request, api) -> str:
    """One of the shared operator's, or one for the operators that the test starts."""
    if "shared" in request.fixturenames:
        return request.getfixturevalue("pool").free.pop()
    return make_namespaces(api, 1)[0]


@pytest.fixture
def shared(api, namespace, clean_broker, pool):
    """A cluster with one subscription, applied by an operator that other tests use too."""
    HOMES[namespace] = pool.home
    _apply_both(api, namespace, clean_broker)
    _until_applied(api, namespace)
    yield pool.operator
    api.kubectl("delete", "kaj,ktc,kcms,kfc", "--all", "-n", namespace)


@pytest.fixture
def applied(api, namespace, clean_broker, start_operator):
    """The same, by an operator of the test's own."""
    _apply_both(api, namespace, clean_broker)
    operator = start_operator()
    _until_applied(api, namespace)
    return operator


def _apply_both(api, namespace: str, broker: LocalBroker) -> None:
    apply(api, cluster("main", namespace, broker.bootstrap), subscription("basic", namespace))


def _until_applied(api, namespace: str) -> None:
    until_reason(api, "kfc", "main", namespace, "Connected")
    until_reason(api, "kcms", "basic", namespace, "Applied")


HOMES: dict[str, str] = {}
"""Namespace to that of the operator, where it is another."""


def _name(namespace: str, resource: str = "basic") -> str:
    return f"kwitness.{HOMES.get(namespace, namespace)}.{namespace}.{resource}"


def test_a_subscription_becomes_a_broker_config_and_both_resources_say_so(shared, api, namespace, clean_broker):
    expected = {_name(namespace): {"metrics": "org.apache.kafka.", "interval.ms": "5000"}}
    until_configs(clean_broker, lambda found: found == expected)
    status = get(api, "kfc", "main", namespace)["status"]
    assert status["clusterId"] == clean_broker.cluster_id
    assert [one["id"] for one in status["brokers"]] == [1]
    assert status["telemetry"] == "None"
    assert {one["component"] for one in status["acls"]} == {"Operator", "Collector", "Analytics"}
    found = get(api, "kcms", "basic", namespace)["status"]
    assert found["brokerResource"] == _name(namespace)
    assert [one["type"] for one in found["conditions"]] == ["Ready", "InventoryAvailable"]
    assert found["conditions"][1]["reason"] == "NoCollector"


def test_the_platforms_topics_are_created_as_the_cluster_says(api, namespace, clean_broker, start_operator):
    apply(api, cluster("main", namespace, clean_broker.bootstrap, topics={"prefix": f"{namespace}.", "partitions": 2}))
    start_operator()
    until_reason(api, "kfc", "main", namespace, "Connected")
    described = clean_broker.tool(
        "org.apache.kafka.tools.TopicCommand", "--bootstrap-server", clean_broker.bootstrap, "--describe"
    )
    for topic in ("telemetry", "connections"):
        assert f"Topic: {namespace}.{topic}" in described
    assert "retention.ms=604800000" in described
    assert "PartitionCount: 2" in described


@at_the_resync
def test_a_no_op_resync_writes_nothing(applied, api, namespace):
    apply(api, collector("main", namespace))
    until_reason(api, "ktc", "main", namespace, "Progressing")
    # What the resources cause goes on for a moment; from then on no resync of three writes.
    eventually(lambda: _writes_meanwhile(api, 3.0), lambda writes: writes == [])
    lists = len(_lists_of_clusters(api))
    assert _writes_meanwhile(api, 10.0) == []
    assert len(_lists_of_clusters(api)) >= lists + 2


def _writes_meanwhile(api, seconds: float) -> list[str]:
    since = len(api.audit())
    time.sleep(seconds)
    return writes_of(api, "operator", since)


def _lists_of_clusters(api) -> list[Any]:
    asked = (event for event in api.audit() if event["user"].get("username") == "operator")
    return [one for one in asked if one["verb"] == "list" and one["objectRef"]["resource"] == "kafkaclusters"]


@at_the_resync
def test_a_config_changed_by_hand_is_repaired_and_counted(applied, api, namespace, clean_broker):
    alter_broker(clean_broker, _name(namespace), {"interval.ms": "100"})
    alter_broker(clean_broker, "by-hand", {"metrics": "x."})
    eventually(lambda: get(api, "kcms", "basic", namespace)["status"].get("driftRepairs") == 1)
    until_configs(clean_broker, lambda found: found[_name(namespace)]["interval.ms"] == "5000")
    assert broker_configs(clean_broker)["by-hand"]["metrics"] == "x."
    events = json.loads(api.kubectl("get", "events", "-n", namespace, "-o", "json"))["items"]
    assert [event["reason"] for event in events] == ["DriftRepaired"]
    assert "kwitness_drift_repairs_total" in applied.probe("/metrics")[1]


@at_the_resync
def test_the_cluster_lists_what_its_brokers_ask_clients_for_whoever_wanted_it(applied, api, namespace, clean_broker):
    alter_broker(clean_broker, "by-hand", {"metrics": "x.,y.", "interval.ms": "90000", "match": "client_id=a.*"})
    alter_broker(clean_broker, "kwitness.elsewhere.default.basic", {"metrics": "*"})
    expected = [
        {
            "name": "by-hand",
            "owner": "Foreign",
            "interval": "1m30s",
            "metrics": ["x.", "y."],
            "match": [{"selector": "clientId", "pattern": "a.*"}],
        },
        {
            "name": "kwitness.elsewhere.default.basic",
            "owner": "OtherInstallation",
            "interval": "5m",
            "metrics": ["*"],
        },
        {
            "name": _name(namespace),
            "owner": "Ours",
            "resource": {"namespace": namespace, "name": "basic"},
            "interval": "5s",
            "metrics": ["org.apache.kafka."],
        },
    ]

    def listed() -> Any:
        return get(api, "kfc", "main", namespace)["status"].get("subscriptions")

    eventually(listed, lambda found: found == sorted(expected, key=lambda one: str(one["name"])))
    since = len(api.audit())
    time.sleep(7)
    assert writes_of(api, "operator", since) == []
    for name in ("by-hand", "kwitness.elsewhere.default.basic"):
        alter_broker(clean_broker, name, None)
    eventually(listed, lambda found: found == expected[-1:])


def test_one_that_is_made_to_push_more_often_by_another_says_so_until_the_other_is_gone(shared, api, namespace):
    def warned() -> list[str]:
        status = get(api, "kcms", "slow", namespace).get("status", {})
        return [f"{one['type']}: {one['message']}" for one in status.get("warnings", [])]

    apply(api, subscription("slow", namespace, interval="30s"))
    [message] = eventually(warned)
    assert message.startswith("IntervalShared: its clients push every 5s, not every 30s")
    assert f"{namespace}/basic" in message
    assert "warnings" not in get(api, "kcms", "basic", namespace)["status"]
    api.kubectl("delete", "kcms", "basic", "-n", namespace)
    eventually(lambda: warned() == [])


@at_the_resync
def test_a_config_removed_by_hand_comes_back(applied, api, namespace, clean_broker):
    alter_broker(clean_broker, _name(namespace), None)
    eventually(lambda: get(api, "kcms", "basic", namespace)["status"].get("driftRepairs") == 1)
    until_configs(clean_broker, lambda found: _name(namespace) in found)


def test_deleting_the_resource_removes_the_config_and_no_other(shared, api, namespace, clean_broker):
    alter_broker(clean_broker, "kwitness.someone-else.default.basic", {"metrics": "*"})
    api.kubectl("delete", "kcms", "basic", "-n", namespace)
    eventually(lambda: set(broker_configs(clean_broker)) == {"kwitness.someone-else.default.basic"})


def test_what_was_deleted_while_the_operator_was_away_is_swept_at_its_return(
    applied, api, namespace, clean_broker, start_operator
):
    assert applied.stop() == 0
    api.kubectl("delete", "kcms", "basic", "-n", namespace)
    assert _name(namespace) in broker_configs(clean_broker)
    start_operator()
    eventually(lambda: broker_configs(clean_broker) == {})


def test_deleting_the_cluster_first_removes_what_it_had_with_the_connection_still_known(
    shared, api, namespace, clean_broker
):
    api.kubectl("delete", "kfc", "main", "-n", namespace)
    eventually(lambda: broker_configs(clean_broker) == {})
    assert "main" in until_reason(api, "kcms", "basic", namespace, "ClusterNotReady")
    apply(api, cluster("main", namespace, clean_broker.bootstrap))
    until_reason(api, "kcms", "basic", namespace, "Applied")
    # What was taken away with the cluster is no drift when it comes back.
    assert "driftRepairs" not in get(api, "kcms", "basic", namespace)["status"]


def test_a_suspended_subscription_leaves_the_broker_and_comes_back(shared, api, namespace, clean_broker):
    apply(api, subscription("basic", namespace, suspend=True))
    until_reason(api, "kcms", "basic", namespace, "Suspended")
    until_configs(clean_broker, lambda found: found == {})
    apply(api, subscription("basic", namespace))
    until_reason(api, "kcms", "basic", namespace, "Applied")
    until_configs(clean_broker, lambda found: _name(namespace) in found)


def test_a_paused_cluster_is_not_written_to(shared, api, namespace, clean_broker):
    api.kubectl("annotate", "kfc", "main", "-n", namespace, "kwitness.dev/pause=true")
    until_reason(api, "kfc", "main", namespace, "Paused")
    apply(api, subscription("second", namespace), subscription("basic", namespace, interval="7s"))
    until_reason(api, "kcms", "second", namespace, "Paused")
    assert broker_configs(clean_broker)[_name(namespace)]["interval.ms"] == "5000"
    api.kubectl("annotate", "kfc", "main", "-n", namespace, "kwitness.dev/pause-")
    until_reason(api, "kcms", "second", namespace, "Applied")
    eventually(lambda: broker_configs(clean_broker)[_name(namespace)]["interval.ms"] == "7000")


def test_a_pattern_that_the_broker_cannot_take_is_refused_and_the_broker_left_alone(
    shared, api, namespace, clean_broker
):
    # Only the API server's rules stand before this; the operator must not rely on them.
    too_quick = subscription("basic", namespace, interval="500ms")
    apply(api, too_quick)
    message = until_reason(api, "kcms", "basic", namespace, "IntervalTooShort")
    assert "500ms" in message
    assert broker_configs(clean_broker)[_name(namespace)]["interval.ms"] == "5000"


def test_two_subscriptions_of_one_name_in_two_namespaces_do_not_meet(
    api, namespace, another_namespace, clean_broker, start_operator
):
    for place, interval in ((namespace, "5s"), (another_namespace, "7s")):
        apply(api, cluster("main", place, clean_broker.bootstrap), subscription("basic", place, interval=interval))
    start_operator(watchNamespaces=[namespace, another_namespace])
    names = {place: f"kwitness.{namespace}.{place}.basic" for place in (namespace, another_namespace)}
    for place, name in names.items():
        until_reason(api, "kcms", "basic", place, "Applied")
        assert get(api, "kcms", "basic", place)["status"]["brokerResource"] == name
        eventually(lambda place=place: "SharedCluster" in _warnings(api, place))
    configs = until_configs(clean_broker, lambda found: found.keys() == set(names.values()))
    assert [configs[name]["interval.ms"] for name in names.values()] == ["5000", "7000"]
    api.kubectl("delete", "kcms", "basic", "-n", namespace)
    eventually(lambda: set(broker_configs(clean_broker)) == {names[another_namespace]})


def _warnings(api, namespace):
    return {one["type"] for one in get(api, "kfc", "main", namespace)["status"].get("warnings", [])}


@at_the_resync
def test_a_namespace_that_is_not_watched_is_left_alone(applied, api, namespace, clean_broker):
    # Its config is not ours to touch, not even under our installation's name.
    alter_broker(clean_broker, f"kwitness.{namespace}.elsewhere.basic", {"metrics": "x."})
    time.sleep(7)
    assert set(broker_configs(clean_broker)) == {_name(namespace), f"kwitness.{namespace}.elsewhere.basic"}


@at_the_resync
def test_the_longest_names_work(applied, api, namespace, clean_broker):
    longest = f"{'a' * 100}.{'b' * 99}"
    apply(api, subscription(longest, namespace), collector("c" * 40, namespace))
    until_reason(api, "kcms", longest, namespace, "Applied")
    until_configs(clean_broker, lambda found: _name(namespace, longest) in found)
    alter_broker(clean_broker, _name(namespace, longest), {"interval.ms": "100"})
    events = eventually(lambda: json.loads(api.kubectl("get", "events", "-n", namespace, "-o", "json"))["items"])
    assert events[0]["regarding" if "regarding" in events[0] else "involvedObject"]["name"] == longest
    until_reason(api, "ktc", "c" * 40, namespace, "Progressing")
    api.kubectl("delete", "kcms", longest, "-n", namespace)
    eventually(lambda: _name(namespace, longest) not in broker_configs(clean_broker))


@at_the_resync
def test_two_installations_on_one_broker_leave_each_other_alone(  # noqa: PLR0917 - each of them a fixture
    applied, api, namespace, another_namespace, clean_broker, start_operator
):
    home = {"namespace": another_namespace, "installation": "another"}
    other = start_operator(user="operator-b", **home, resyncSeconds=1)
    eventually(lambda: f"kwitness.another.{namespace}.basic" in broker_configs(clean_broker))
    before = broker_configs(clean_broker)
    time.sleep(12)  # ten resyncs of the second, four of the first
    assert broker_configs(clean_broker) == before
    assert 'kwitness_broker_writes_total{operation="remove"}' not in other.probe("/metrics")[1]
    assert 'kwitness_broker_writes_total{operation="remove"}' not in applied.probe("/metrics")[1]


@at_the_resync
def test_two_operators_at_once_agree(applied, api, namespace, clean_broker, start_operator):
    apply(api, collector("main", namespace, replicas=2), subscription("second", namespace))
    start_operator(user="operator-b")
    until_reason(api, "ktc", "main", namespace, "Progressing")
    until_reason(api, "kcms", "second", namespace, "Applied")

    def writes_in_two_resyncs() -> list[Any]:
        since = len(api.audit())
        time.sleep(7)
        return writes_of(api, "operator", since) + writes_of(api, "operator-b", since)

    eventually(writes_in_two_resyncs, lambda writes: writes == [])
    until_configs(clean_broker, lambda found: len(found) == 2)


def test_a_forbidden_list_deletes_nothing(applied, api, namespace, clean_broker, start_operator):
    applied.stop()
    rules = json.loads(api.kubectl("get", "role", "kwitness-operator", "-n", namespace, "-o", "json"))
    rules["rules"][0]["resources"].remove("clientmetricssubscriptions")
    api.kubectl("replace", "-f", "-", input=json.dumps(rules))
    eventually(lambda: not may(api, "operator", "list", "clientmetricssubscriptions.kwitness.dev", namespace))
    operator = start_operator(wait=False)
    eventually(lambda: any(line["message"] == "A kind cannot be listed" for line in operator.lines()))
    time.sleep(7)
    assert _name(namespace) in broker_configs(clean_broker)
    # What may not be listed is an answer, and hurts nothing else.
    assert operator.probe("/readyz") == (200, "ok")


@at_the_resync
def test_a_cluster_made_anew_at_the_same_address_gets_nothing_until_it_is_accepted(api, namespace, start_operator):
    def stopped() -> bool:
        return bool(get(api, "cronjob", "kwitness-job-inventory", namespace)["spec"]["suspend"])

    with LocalBroker() as broker:
        job = _job("inventory", namespace, run={"schedule": {"cron": "@daily"}})
        apply(api, cluster("main", namespace, broker.bootstrap), subscription("basic", namespace), job)
        start_operator()
        until_reason(api, "kcms", "basic", namespace, "Applied")
        until_reason(api, "kaj", "inventory", namespace, "Scheduled")
        before = broker.cluster_id
        assert get(api, "kaj", "inventory", namespace)["status"]["clusterId"] == before
        assert not stopped()

        broker.make_anew()
        message = until_reason(api, "kfc", "main", namespace, "ClusterIdChanged")
        assert f"lead to cluster {broker.cluster_id}, not to {before}" in message
        apply(api, subscription("second", namespace))
        until_reason(api, "kcms", "second", namespace, "ClusterNotReady")
        assert broker_configs(broker) == {}

        accept = f"kwitness.dev/accept-cluster-id={broker.cluster_id}"
        api.kubectl("annotate", "kfc", "main", "-n", namespace, accept)
        until_reason(api, "kcms", "second", namespace, "Applied")
        eventually(lambda: set(broker_configs(broker)) == {_name(namespace), _name(namespace, "second")})
        # A job goes on by the offsets of the cluster that it has read, so it is asked about by itself.
        message = until_reason(api, "kaj", "inventory", namespace, "ClusterIdChanged")
        assert f"are of the Kafka cluster {before} and the KafkaCluster is now {broker.cluster_id}" in message
        eventually(stopped)
        status = get(api, "kaj", "inventory", namespace)["status"]
        assert (status["phase"], status["clusterId"]) == ("Suspended", before)

        api.kubectl("annotate", "kaj", "inventory", "-n", namespace, accept)
        until_reason(api, "kaj", "inventory", namespace, "Scheduled")
        assert not stopped()
        assert get(api, "kaj", "inventory", namespace)["status"]["clusterId"] == broker.cluster_id


@at_the_resync
def test_a_collectors_children_are_made_repaired_and_narrowed(applied, api, namespace):
    apply(api, collector("main", namespace, replicas=2))
    until_reason(api, "ktc", "main", namespace, "Progressing")
    child = "kwitness-collector-main"
    for kind in ("sts", "svc", "cm", "pdb", "netpol"):
        assert get(api, kind, child, namespace)["metadata"]["ownerReferences"][0]["name"] == "main"
    data = get(api, "cm", child, namespace)["data"]
    assert json.loads(data["subscriptions.json"])["subscriptions"][0]["id"] == _name(namespace)
    api.kubectl("patch", "svc", child, "-n", namespace, "-p", '{"spec": {"ports": [{"port": 8443, "name": "wrong"}]}}')
    api.kubectl("label", "svc", child, "-n", namespace, "theirs=kept")
    eventually(lambda: get(api, "svc", child, namespace)["spec"]["ports"][0]["name"] == "api")
    assert get(api, "svc", child, namespace)["metadata"]["labels"]["theirs"] == "kept"
    apply(api, collector("main", namespace, replicas=1))
    eventually(lambda: "pdb" not in api.kubectl("get", "pdb", "-n", namespace, "-o", "name"))
    assert get(api, "sts", child, namespace)["spec"]["replicas"] == 1


def test_a_stateful_set_of_somebody_else_is_left_alone(shared, api, namespace):
    apply(
        api,
        {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": {"name": "kwitness-collector-main", "namespace": namespace},
            "spec": {
                "serviceName": "theirs",
                "selector": {"matchLabels": {"app": "theirs"}},
                "template": {
                    "metadata": {"labels": {"app": "theirs"}},
                    "spec": {"containers": [{"name": "theirs", "image": "theirs"}]},
                },
            },
        },
        collector("main", namespace),
    )
    message = until_reason(api, "ktc", "main", namespace, "Conflict")
    assert message.startswith("StatefulSet kwitness-collector-main is there already")
    assert "ownerReferences" not in get(api, "sts", "kwitness-collector-main", namespace)["metadata"]
    api.kubectl("delete", "sts", "kwitness-collector-main", "-n", namespace)
    until_reason(api, "ktc", "main", namespace, "Progressing")


def test_another_default_of_the_installation_leaves_the_storage_of_a_collector_alone(
    applied, api, namespace, start_operator
):
    apply(api, collector("main", namespace))
    until_reason(api, "ktc", "main", namespace, "Progressing")
    applied.stop()
    start_operator(collector={"storageClass": "fast"})
    apply(api, collector("main", namespace, replicas=2))
    eventually(lambda: get(api, "sts", "kwitness-collector-main", namespace)["spec"]["replicas"] == 2)
    assert "volumeClaimTemplates" not in get(api, "sts", "kwitness-collector-main", namespace)["spec"]
    apply(api, collector("main", namespace, replicas=2, storage={"storageClassName": "fast"}))
    eventually(lambda: _storage_reason(api, namespace), lambda reason: reason == "StorageChanged")


def test_a_size_of_storage_may_be_written_in_any_unit(shared, api, namespace):
    for size in ("1024Mi", "1Gi"):
        apply(api, collector("main", namespace, storage={"storageClassName": "fast", "size": size}))
        until_reason(api, "ktc", "main", namespace, "Progressing")
        remains(lambda: ready(api, "ktc", "main", namespace)["reason"], lambda now: now == "Progressing", seconds=4)
        assert _storage_reason(api, namespace) == "StorageAsAsked"


def _storage_reason(api, namespace: str) -> str | None:
    conditions = get(api, "ktc", "main", namespace)["status"]["conditions"]
    return next((one["reason"] for one in conditions if one["type"] == "StorageAsAsked"), None)


def test_a_second_collector_of_a_cluster_is_in_conflict(shared, api, namespace):
    apply(api, collector("first", namespace))
    until_reason(api, "ktc", "first", namespace, "Progressing")
    apply(api, collector("second", namespace))
    assert "first" in until_reason(api, "ktc", "second", namespace, "Conflict")
    api.kubectl("delete", "ktc", "first", "-n", namespace)
    until_reason(api, "ktc", "second", namespace, "Progressing")


def test_the_collector_that_serves_a_cluster_is_told_by_priority_and_name_never_by_age(shared, api, namespace):
    apply(api, collector("second", namespace))
    until_reason(api, "ktc", "second", namespace, "Progressing")
    apply(api, collector("first", namespace))
    assert f"{namespace}/first comes before" in until_reason(api, "ktc", "second", namespace, "Conflict")
    until_reason(api, "ktc", "first", namespace, "Progressing")
    # Its senders may still push to it.
    assert get(api, "sts", "kwitness-collector-second", namespace)["spec"]["replicas"] == 1
    apply(api, collector("second", namespace, priority=1))
    assert f"{namespace}/second comes before" in until_reason(api, "ktc", "first", namespace, "Conflict")
    until_reason(api, "ktc", "second", namespace, "Progressing")


def test_a_reference_that_is_not_allowed_tells_nothing_about_its_target(shared, api, namespace):
    for name, target in (("there", "kube-system"), ("missing", "nowhere")):
        resource = subscription(name, namespace)
        resource["spec"]["clusterRef"] = {"name": "main", "namespace": target}
        apply(api, resource)
    messages = [until_reason(api, "kcms", name, namespace, "RefNotPermitted") for name in ("there", "missing")]
    assert messages[0].replace("kube-system", "X") == messages[1].replace("nowhere", "X")


def _job(name: str, namespace: str, **spec: Any) -> dict[str, Any]:
    wanted = {"clusterRef": {"name": "main"}, "type": "ClientInventory", "table": name, "run": {"streaming": {}}}
    return {
        "apiVersion": "kwitness.dev/v1alpha1",
        "kind": "AnalyticsJob",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {**wanted, **spec},
    }


def test_an_analytics_job_gets_a_driver_and_a_rival_for_its_table_does_not(shared, api, namespace):
    job = _job("inventory", namespace)
    apply(api, job)
    until_reason(api, "kaj", "inventory", namespace, "Starting")
    apply(api, _job("rival", namespace, table="inventory"))
    until_reason(api, "kaj", "rival", namespace, "Conflict")
    assert get(api, "sts", "kwitness-job-inventory", namespace)["spec"]["replicas"] == 1
    apply(api, {**job, "spec": {**job["spec"], "suspend": True}})
    until_reason(api, "kaj", "inventory", namespace, "Suspended")
    assert get(api, "sts", "kwitness-job-inventory", namespace)["spec"]["replicas"] == 0


def test_a_table_passes_to_the_job_of_higher_priority_once_the_other_has_left_it(shared, api, namespace):
    apply(api, _job("inventory", namespace))
    until_reason(api, "kaj", "inventory", namespace, "Starting")
    apply(api, _job("rival", namespace, table="inventory", priority=1))
    assert "rival comes before" in until_reason(api, "kaj", "inventory", namespace, "Conflict")
    assert get(api, "kaj", "inventory", namespace)["status"]["phase"] == "Pending"
    runner = get(api, "sts", "kwitness-job-inventory", namespace)["metadata"]
    assert (runner["finalizers"], "deletionTimestamp" in runner) == (["foregroundDeletion"], True)
    assert "waits until the driver of AnalyticsJob inventory" in until_reason(
        api, "kaj", "rival", namespace, "Starting"
    )
    remains(lambda: api.kubectl("get", "sts", "-n", namespace, "-o", "name"), lambda now: "rival" not in now, seconds=3)
    # As the garbage collector does when the driver's pod is gone.
    free = json.dumps({"metadata": {"finalizers": []}})
    api.kubectl("patch", "sts", "kwitness-job-inventory", "-n", namespace, "--type=merge", "--patch", free)
    eventually(lambda: "kwitness-job-rival" in api.kubectl("get", "sts", "-n", namespace, "-o", "name"))
    api.kubectl("delete", "kaj", "rival", "-n", namespace)
    api.kubectl("delete", "sts", "kwitness-job-rival", "-n", namespace)
    until_reason(api, "kaj", "inventory", namespace, "Starting")
    eventually(lambda: "kwitness-job-inventory" in api.kubectl("get", "sts", "-n", namespace, "-o", "name"))


def test_a_run_that_was_made_once_is_not_made_again_by_another_release(applied, api, namespace, start_operator):
    apply(api, _job("report", namespace, run={"once": {}}))

    def jobs() -> list[str]:
        return api.kubectl("get", "jobs", "-n", namespace, "-o", "name").split()

    made = eventually(jobs)
    applied.stop()
    start_operator(images={"collector": "kwitness/collector:2", "spark": "kwitness/spark:2"})
    until_reason(api, "kaj", "report", namespace, "Starting")
    name = made[0].removeprefix("job.batch/")
    more = '{"spec": {"suspend": true, "priority": 5, "executors": {"instances": 2}}}'
    api.kubectl("patch", "kaj", "report", "-n", namespace, "--type=merge", "-p", more)
    eventually(lambda: get(api, "job", name, namespace)["spec"]["suspend"])
    assert jobs() == made
    assert get(api, "job", name, namespace)["spec"]["template"]["spec"]["containers"][0]["image"] == "kwitness/spark:1"
    assert jobs() == made


def test_a_missing_right_in_kubernetes_is_named(applied, api, namespace):
    role = json.loads(api.kubectl("get", "role", "kwitness-operator", "-n", namespace, "-o", "json"))
    for rule in role["rules"]:
        if "configmaps" in rule["resources"]:
            rule["verbs"] = ["get"]
    api.kubectl("replace", "-f", "-", input=json.dumps(role))
    eventually(lambda: not may(api, "operator", "patch", "configmaps", namespace))
    apply(api, collector("main", namespace))
    assert "configmaps" in until_reason(api, "ktc", "main", namespace, "KubernetesForbidden")
    assert ready(api, "kcms", "basic", namespace)["reason"] == "Applied"


def test_it_converges_after_the_api_server_was_away(applied, api, namespace, clean_broker):
    api.stop_server()
    time.sleep(2)
    api.start_server()
    apply(api, subscription("second", namespace))
    until_reason(api, "kcms", "second", namespace, "Applied")
    until_configs(clean_broker, lambda found: len(found) == 2)
    assert applied.probe("/healthz")[0] == 200


def test_killed_at_any_moment_it_reaches_the_same_end(api, namespace, clean_broker, start_operator):
    apply(api, cluster("main", namespace, clean_broker.bootstrap))
    for number in range(6):
        apply(api, subscription(f"s{number}", namespace), collector("main", namespace, replicas=1 + number % 2))
        operator = start_operator()
        time.sleep(0.15 * number)
        operator.stop(signal.SIGKILL)
    start_operator()
    eventually(lambda: len(broker_configs(clean_broker)) == 6)
    for number in range(6):
        until_reason(api, "kcms", f"s{number}", namespace, "Applied")
    eventually(lambda: get(api, "sts", "kwitness-collector-main", namespace)["spec"]["replicas"] == 2)


@at_the_resync
def test_it_ends_within_its_pods_grace_also_while_a_broker_does_not_answer(applied, clean_broker):
    clean_broker.process.pause()
    try:
        time.sleep(5)  # by then a resync asks
        assert applied.stop() == 0
    finally:
        clean_broker.process.resume()


@at_the_resync
def test_every_metric_of_the_registry_is_exposed_with_its_type_labels_and_help(applied, api, namespace, clean_broker):
    apply(api, cluster("nowhere", namespace, "127.0.0.1:9"))
    until_reason(api, "kfc", "nowhere", namespace, "Unreachable")
    alter_broker(clean_broker, _name(namespace), {"interval.ms": "100"})
    eventually(lambda: get(api, "kcms", "basic", namespace)["status"].get("driftRepairs") == 1)
    ledger = {"hop": "table", "accepted": 3, "delivered": 1, "queued": 1, "dropped": {"Expired": 1}}
    apply(api, _job("inventory", namespace))
    until_reason(api, "kaj", "inventory", namespace, "Starting")
    said = json.dumps({"status": {"ledger": [ledger], "lag": {"records": 4}, "findingCounts": {"NotClosed": 2}}})
    api.kubectl("patch", "kaj", "inventory", "-n", namespace, "--subresource=status", "--type=merge", "--patch", said)
    eventually(lambda: "kwitness_job_findings{" in applied.probe("/metrics")[1])
    text = applied.probe("/metrics")[1]
    sources = {"operator", "operator and injector", "every component"}
    expected = {one.name: one for one in OWN_METRICS if one.source in sources}
    types = dict(re.findall(r"^# TYPE (kwitness_\S+) (\S+)$", text, re.MULTILINE))
    helps = dict(re.findall(r"^# HELP (kwitness_\S+) (.+)$", text, re.MULTILINE))
    assert types == {name: one.type for name, one in expected.items()}
    assert helps == {name: one.help for name, one in expected.items()}
    for name, one in expected.items():
        samples = re.findall(rf"^{name}(?:_count)?{{(.+)}} ", text, re.MULTILINE)
        shown = set() if name in FROM_A_COLLECTOR else {frozenset(one.labels)}
        assert {frozenset(re.findall(r'(\w+)="', labels)) for labels in samples} == shown, name


def test_ready_is_exposed_for_each_resource_and_goes_with_it(shared, api, namespace):
    def exposed() -> list[str]:
        lines = shared.probe("/metrics")[1].splitlines()
        return [line for line in lines if line.startswith("kwitness_resource_") and 'name="basic"' in line]

    labels = f'kind="ClientMetricsSubscription",name="basic",namespace="{namespace}",reason="Applied"'
    # Whoever asks the API server may know of a status before the operator has the answer to its own write.
    eventually(exposed, lambda lines: f"kwitness_resource_ready{{{labels}}} 1.0" in lines)
    # It has no condition Ready a second time, and its others: no collector says who its clients are.
    beside = [line for line in exposed() if line.startswith("kwitness_resource_condition{")]
    assert [line[-3:] for line in beside if 'type="InventoryAvailable"' in line] == ["0.0"]
    assert not [line for line in beside if 'type="Ready"' in line]
    api.kubectl("delete", "kcms", "basic", "-n", namespace)
    eventually(lambda: exposed() == [])


def test_wrong_settings_end_it_with_one_json_line(tmp_path):
    (tmp_path / "settings.json").write_text("{}")
    done = run_to_end([sys.executable, "-m", "kwitness.operator", str(tmp_path / "settings.json")])
    (line,) = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (2, "")
    assert "namespace: Field required" in json.loads(line)["detail"]


def test_it_is_small(applied):
    status = Path(f"/proc/{applied.process.pid}/status").read_text()
    resident = int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])
    # Megabytes of docs/decisions/0034, in which it is started as here, without the library kubernetes.
    assert resident < 90_000
