"""Subscriptions become configs of real brokers, and clusters say what their brokers ask for."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.eventually import eventually
from tests.operator.conftest import at_the_resync
from tests.operator.surroundings import (
    alter_broker,
    analytics_job,
    apply,
    broker_configs,
    cluster,
    collector,
    condition,
    config_name,
    drift_repairs,
    get,
    subscription,
    until_configs,
    until_reason,
    writes_in_resyncs,
)

pytestmark = pytest.mark.broker


def test_a_subscription_becomes_a_broker_config_and_both_resources_say_so(shared, api, namespace, clean_broker):
    expected = {config_name(namespace): {"metrics": "org.apache.kafka.", "interval.ms": "5000"}}
    until_configs(clean_broker, lambda found: found == expected)
    status = get(api, "kfc", "main", namespace)["status"]
    assert status["clusterId"] == clean_broker.cluster_id
    assert [broker["id"] for broker in status["brokers"]["first"]] == [1]
    assert {**status["brokers"], "first": []} == {"total": 1, "telemetry": 0, "plugin": 0, "nodeIds": [1], "first": []}
    found = get(api, "kcms", "basic", namespace)["status"]
    assert found["brokerResource"] == config_name(namespace)
    assert [one["type"] for one in found["conditions"]] == ["Ready", "InventoryAvailable"]
    assert found["conditions"][1]["reason"] == "NoCollector"


def test_the_platforms_topics_are_created_as_the_cluster_says(api, namespace, clean_broker, start_operator):
    apply(
        api,
        cluster(
            "main", namespace, clean_broker.bootstrap, topics={"prefix": f"{namespace}.", "onCreate": {"partitions": 2}}
        ),
    )
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
def test_a_config_changed_by_hand_is_repaired_and_counted(applied, api, namespace, clean_broker):
    alter_broker(clean_broker, config_name(namespace), {"interval.ms": "100"})
    alter_broker(clean_broker, "by-hand", {"metrics": "x."})
    eventually(lambda: drift_repairs(applied.probe("/metrics")[1], namespace, "basic") == 1)
    until_configs(clean_broker, lambda found: found[config_name(namespace)]["interval.ms"] == "5000")
    assert broker_configs(clean_broker)["by-hand"]["metrics"] == "x."
    events = api.objects.items("events", namespace)
    assert [event["reason"] for event in events] == ["DriftRepaired"]


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
            "name": config_name(namespace),
            "owner": "Ours",
            "resource": {"namespace": namespace, "name": "basic"},
            "interval": "5s",
            "metrics": ["org.apache.kafka."],
        },
    ]

    def listed() -> Any:
        return get(api, "kfc", "main", namespace)["status"].get("subscriptions", {}).get("first")

    eventually(listed, lambda found: found == expected)
    prefix = config_name(namespace).removesuffix(f"{namespace}.basic")
    counts = {"ours": 1, "otherInstallations": 1, "foreign": 1, "prefix": prefix, "first": expected}
    assert get(api, "kfc", "main", namespace)["status"]["subscriptions"] == counts
    assert writes_in_resyncs(api, namespace) == []
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
    api.objects.delete("kcms", "basic", namespace=namespace)
    eventually(lambda: warned() == [])


@at_the_resync
def test_a_config_removed_by_hand_comes_back(applied, api, namespace, clean_broker):
    alter_broker(clean_broker, config_name(namespace), None)
    eventually(lambda: drift_repairs(applied.probe("/metrics")[1], namespace, "basic") == 1)
    until_configs(clean_broker, lambda found: config_name(namespace) in found)


def test_deleting_the_resource_removes_the_config_and_no_other(shared, api, namespace, clean_broker):
    alter_broker(clean_broker, "kwitness.someone-else.default.basic", {"metrics": "*"})
    api.objects.delete("kcms", "basic", namespace=namespace)
    eventually(lambda: set(broker_configs(clean_broker)) == {"kwitness.someone-else.default.basic"})


def test_deleting_the_cluster_first_removes_what_it_had_with_the_connection_still_known(
    shared, api, namespace, clean_broker
):
    api.objects.delete("kfc", "main", namespace=namespace)
    eventually(lambda: broker_configs(clean_broker) == {})
    assert "main" in until_reason(api, "kcms", "basic", namespace, "ClusterNotReady")
    apply(api, cluster("main", namespace, clean_broker.bootstrap))
    until_reason(api, "kcms", "basic", namespace, "Applied")
    # What was taken away with the cluster is no drift when it comes back.
    assert drift_repairs(shared.probe("/metrics")[1], namespace, "basic") == 0


def test_a_suspended_subscription_leaves_the_broker_and_comes_back(shared, api, namespace, clean_broker):
    apply(api, subscription("basic", namespace, suspend=True))
    until_reason(api, "kcms", "basic", namespace, "Suspended")
    until_configs(clean_broker, lambda found: found == {})
    apply(api, subscription("basic", namespace))
    until_reason(api, "kcms", "basic", namespace, "Applied")
    until_configs(clean_broker, lambda found: config_name(namespace) in found)


def test_a_paused_cluster_is_not_written_to(shared, api, namespace, clean_broker):
    api.objects.annotate("kfc", "main", namespace, {"kwitness.dev/pause": "true"})
    until_reason(api, "kfc", "main", namespace, "Paused")
    apply(api, subscription("second", namespace), subscription("basic", namespace, interval="7s"))
    until_reason(api, "kcms", "second", namespace, "Paused")
    assert broker_configs(clean_broker)[config_name(namespace)]["interval.ms"] == "5000"
    api.objects.annotate("kfc", "main", namespace, {"kwitness.dev/pause": None})
    until_reason(api, "kcms", "second", namespace, "Applied")
    eventually(lambda: broker_configs(clean_broker)[config_name(namespace)]["interval.ms"] == "7000")


def test_a_pattern_that_the_broker_cannot_take_is_refused_and_the_broker_left_alone(
    shared, api, namespace, clean_broker
):
    # Only the API server's rules stand before this; the operator must not rely on them.
    too_quick = subscription("basic", namespace, interval="500ms")
    apply(api, too_quick)
    message = until_reason(api, "kcms", "basic", namespace, "IntervalTooShort")
    assert "500ms" in message
    assert broker_configs(clean_broker)[config_name(namespace)]["interval.ms"] == "5000"


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
    # One of the two rules, whichever was accepted first.
    eventually(
        lambda: {condition(api, "kfc", "main", place, "Rules")["status"] for place in names},
        lambda now: now == {"True", "False"},
    )
    configs = until_configs(clean_broker, lambda found: found.keys() == set(names.values()))
    assert [configs[name]["interval.ms"] for name in names.values()] == ["5000", "7000"]
    api.objects.delete("kcms", "basic", namespace=namespace)
    eventually(lambda: set(broker_configs(clean_broker)) == {names[another_namespace]})


@at_the_resync
def test_the_longest_names_work(applied, api, namespace, clean_broker):
    longest = f"{'a' * 100}.{'b' * 99}"
    apply(api, subscription(longest, namespace), collector("c" * 40, namespace))
    until_reason(api, "kcms", longest, namespace, "Applied")
    until_configs(clean_broker, lambda found: config_name(namespace, longest) in found)
    alter_broker(clean_broker, config_name(namespace, longest), {"interval.ms": "100"})
    events = eventually(lambda: api.objects.items("events", namespace))
    assert events[0]["regarding" if "regarding" in events[0] else "involvedObject"]["name"] == longest
    until_reason(api, "ktc", "c" * 40, namespace, "Progressing")
    api.objects.delete("kcms", longest, namespace=namespace)
    eventually(lambda: config_name(namespace, longest) not in broker_configs(clean_broker))


@at_the_resync
def test_a_cluster_made_anew_at_the_same_address_gets_nothing_until_it_is_accepted(api, namespace, start_operator):
    def stopped() -> bool:
        return bool(get(api, "cronjob", "kwitness-job-inventory", namespace)["spec"]["suspend"])

    with LocalBroker() as broker:
        job = analytics_job("inventory", namespace, run={"schedule": {"cron": "@daily"}})
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

        accept = {"spec": {"clusterId": broker.cluster_id}}
        api.objects.patch("kfc", "main", namespace, accept)
        until_reason(api, "kcms", "second", namespace, "Applied")
        eventually(lambda: set(broker_configs(broker)) == {config_name(namespace), config_name(namespace, "second")})
        # A job goes on by the offsets of the cluster that it has read, so it is asked about by itself.
        message = until_reason(api, "kaj", "inventory", namespace, "ClusterIdChanged")
        assert f"are of the Kafka cluster {before} and the KafkaCluster is now {broker.cluster_id}" in message
        eventually(stopped)
        status = get(api, "kaj", "inventory", namespace)["status"]
        assert (status["analyses"][0]["phase"], status["clusterId"]) == ("Suspended", before)

        api.objects.patch("kaj", "inventory", namespace, accept)
        until_reason(api, "kaj", "inventory", namespace, "Scheduled")
        assert not stopped()
        assert get(api, "kaj", "inventory", namespace)["status"]["clusterId"] == broker.cluster_id


def test_a_reference_that_is_not_allowed_tells_nothing_about_its_target(shared, api, namespace):
    for name, target in (("there", "kube-system"), ("missing", "nowhere")):
        resource = subscription(name, namespace)
        resource["spec"]["clusterRef"] = {"name": "main", "namespace": target}
        apply(api, resource)
    messages = [until_reason(api, "kcms", name, namespace, "RefNotPermitted") for name in ("there", "missing")]
    assert messages[0].replace("kube-system", "X") == messages[1].replace("nowhere", "X")
