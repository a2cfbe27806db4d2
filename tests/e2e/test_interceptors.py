"""Interceptors in clients' processes: what they tell and of whom, where there are none and why, and no more of them."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.contracts.injections import INJECT
from kwitness.contracts.interceptor_injections import INTERCEPTORS as MARK
from kwitness.contracts.interceptor_injections import (
    INTERCEPTORS_CONTAINER,
    INTERCEPTORS_LEFT_OUT,
    JAVA_AGENT,
    LIBRDKAFKA_PLUGIN,
    RUNTIMES,
)
from kwitness.contracts.interceptor_settings import OFF_VARIABLE
from kwitness.demo import up, waiting
from kwitness.demo.platform import (
    APPS,
    INTERCEPTED_CLIENT,
    INTERCEPTED_JAVA_CLIENT,
    INTERCEPTED_JAVA_WORKLOAD,
    INTERCEPTED_WORKLOAD,
    INTERCEPTORS,
    NAMESPACE,
    Platform,
)

from tests.e2e import another_client, subscriptions
from tests.e2e.client_pods import labelled, log_of, pods_of
from tests.e2e.eventually import eventually
from tests.e2e.workloads import running
from tests.eventually import remains

pytestmark = pytest.mark.needs(up.interceptors, up.sidecars)

KIND = "interceptorprofile"
GROUP = "demo-python"
"""Of the client that has interceptors."""
SWITCHED_OFF = "switched-off-consumer"
PLUGIN = "intercepted-rdkafka"
LED = "led-producer"
PREFIX = "kafka_client_interceptor_"


def status(platform: Platform) -> dict[str, Any]:
    return dict(subscriptions.found(platform, INTERCEPTORS, KIND)["status"])


def intercepted_pod(platform: Platform) -> dict[str, Any]:
    [pod] = pods_of(platform, INTERCEPTED_WORKLOAD)
    return pod


def place_of(pod: dict[str, Any]) -> str:
    return f'k8s_namespace="{APPS}",k8s_workload="{INTERCEPTED_WORKLOAD}",k8s_pod="{pod["metadata"]["name"]}"'


def consumed_at(pod: dict[str, Any]) -> str:
    client = f'client_id="{INTERCEPTED_CLIENT}",group_id="{GROUP}",topic="demo.orders"'
    return f"{PREFIX}consumed_records_total{{{place_of(pod)},{client}}}"


def test_what_an_unchanged_client_gets_is_told_by_its_pod_topic_and_group(platform: Platform) -> None:
    # Given
    pod = intercepted_pod(platform)
    assert pod["metadata"]["annotations"][MARK] == f"{NAMESPACE}/{INTERCEPTORS}"
    [client], [files] = pod["spec"]["containers"], pod["spec"]["initContainers"]
    assert client["image"] == platform.images["demo-python"]
    assert (files["name"], files["image"]) == (INTERCEPTORS_CONTAINER, platform.images["interceptors"])
    records = consumed_at(pod)
    # A collector that was restarted by another test counts from 0, so only what comes on top says something.
    before = platform.latest(records)

    # When
    eventually(lambda: platform.latest(records), lambda now: now > before)

    # Then
    topic = f'k8s_namespace="{APPS}",k8s_workload="{INTERCEPTED_WORKLOAD}",topic="demo.orders"'
    assert platform.latest(f'{PREFIX}end_to_end_latency_seconds_count{{{topic},group_id="{GROUP}"}}') > 0
    assert platform.latest(f'{PREFIX}record_size_bytes_count{{{topic},side="consumer"}}') > 0
    hook = f'{place_of(pod)},hook="on_consume"'
    assert platform.latest(f"{PREFIX}hook_calls_total{{{hook}}}") > 0
    assert platform.latest(f"{PREFIX}hook_seconds_total{{{hook}}}") > 0
    assert platform.latest(f"{PREFIX}hook_errors_total{{{hook}}}") == 0
    log = log_of(platform, INTERCEPTED_WORKLOAD)
    assert "connected" in log
    assert "not received" not in log


def test_the_status_tells_which_pods_have_them_and_which_processes_report(platform: Platform) -> None:
    [java] = pods_of(platform, INTERCEPTED_JAVA_WORKLOAD)
    runtimes = {
        f"{APPS}/{intercepted_pod(platform)['metadata']['name']}": "Python",
        f"{APPS}/{java['metadata']['name']}": "Java",
    }

    def both_alone_report(now: dict[str, Any]) -> bool:
        return {one["pod"] for one in now.get("processes", [])} == set(runtimes) and not now["pods"]["silent"]

    told = eventually(lambda: status(platform), both_alone_report)

    pods = told["pods"]
    assert (pods["selected"], pods["injected"], pods["outdated"], pods["missed"]) == (2, 2, 0, 0)
    assert {one["pod"]: one["runtime"] for one in told["processes"]} == runtimes
    assert {(one["container"], one["clients"]) for one in told["processes"]} == {("client", 1)}
    assert (told["reporting"], told["interceptedClients"]) == (2, 2)
    conditions = {kind: waiting.condition({"status": told}, kind) or {} for kind in ("Covered", "Reporting", "Working")}
    assert {kind: one.get("status") for kind, one in conditions.items()} == dict.fromkeys(conditions, "True")


def test_pods_that_started_without_are_told_with_the_line_that_covers_them_and_others_with_their_reason(
    platform: Platform,
) -> None:
    def covered() -> dict[str, Any]:
        return waiting.condition(subscriptions.found(platform, INTERCEPTORS, KIND), "Covered") or {}

    line = f"kubectl rollout restart deployment/python-producer --namespace {APPS}"
    with (
        labelled(platform, "python-producer", intercepted="true"),
        labelled(platform, "kafka-python-producer", intercepted="true", **{INJECT: "false"}) as opted_out,
    ):
        eventually(covered, lambda now: line in now.get("message", "") and opted_out in now["message"])
        pods = status(platform)["pods"]

    assert (pods["selected"], pods["injected"], pods["missed"]) == (4, 2, 1)
    assert pods["leftOut"] == [{"reason": "OptedOut", "pods": 1, "example": f"{APPS}/{opted_out}"}]
    assert pods["restart"] == [line]
    eventually(covered, lambda now: now["status"] == "True")


def test_a_suspended_profile_counts_nothing_in_pods_that_run_until_it_goes_on(platform: Platform) -> None:
    records = consumed_at(intercepted_pod(platform))

    def suspend(value: bool) -> None:
        subscriptions.change(platform, KIND, INTERCEPTORS, suspend=value)

    def increases() -> list[float]:
        return [float(sample["value"][1]) for sample in platform.query(f"increase({records}[20s])")]

    eventually(increases, lambda now: now and now[0] > 0)
    suspend(True)
    try:
        subscriptions.reason_becomes(platform, INTERCEPTORS, "Suspended", KIND)
        # The collector tells them. What they had counted before comes as its windows are closed.
        eventually(increases, lambda now: now == [0])
        counted, said = platform.latest(records), log_of(platform, INTERCEPTED_WORKLOAD)

        eventually(
            lambda: log_of(platform, INTERCEPTED_WORKLOAD), lambda log: log.count("received") > said.count("received")
        )
        remains(lambda: platform.latest(records), lambda now: now == counted, seconds=15, every=5)
        assert status(platform)["pods"]["injected"] == 2
    finally:
        suspend(False)
    subscriptions.reason_becomes(platform, INTERCEPTORS, "Injecting", KIND)
    eventually(lambda: platform.latest(records), lambda now: now > counted)


def test_a_program_in_such_a_pod_has_none_with_kwitness_off(platform: Platform) -> None:
    pod = intercepted_pod(platform)["metadata"]["name"]
    program = ("python3", "-c", "import sys; print('kwitness_interceptors' in sys.modules)")

    def has_interceptors(*variables: str) -> str:
        inside = ("exec", pod, f"--namespace={APPS}", "--container=client", "--", "env", *variables, *program)
        return platform.cluster.kubectl(*inside).strip()

    assert has_interceptors() == "True"
    assert has_interceptors(f"{OFF_VARIABLE}=1") == "False"


def in_a_group_of_its_own(platform: Platform, name: str, *, like: str) -> dict[str, Any]:
    """One of the demo's consumers, under another name and in another group."""
    deployment = another_client.deployment(platform, name, like=like)
    [client] = deployment["spec"]["template"]["spec"]["containers"]
    kept = [one for one in client["env"] if one["name"] != "GROUP_ID"]
    client["env"] = [*kept, {"name": "GROUP_ID", "value": name}]
    return deployment


def switched_off(platform: Platform) -> dict[str, Any]:
    """A client like that with interceptors, which wants none."""
    deployment = in_a_group_of_its_own(platform, SWITCHED_OFF, like=INTERCEPTED_WORKLOAD)
    [client] = deployment["spec"]["template"]["spec"]["containers"]
    client["env"].append({"name": OFF_VARIABLE, "value": "1"})
    return deployment


def test_a_pod_whose_container_has_kwitness_off_is_left_as_it_is_and_the_status_says_so(platform: Platform) -> None:
    wanted = switched_off(platform)

    with running(platform, wanted) as pod:
        example = f"{APPS}/{pod['metadata']['name']}"
        told = eventually(lambda: status(platform)["pods"], lambda now: now.get("leftOut"))
        eventually(lambda: log_of(platform, SWITCHED_OFF), lambda log: "connected" in log)

    assert told["leftOut"] == [{"reason": "SwitchedOff", "pods": 1, "example": example}]
    assert pod["metadata"]["annotations"][INTERCEPTORS_LEFT_OUT] == f"{NAMESPACE}/{INTERCEPTORS}=SwitchedOff"
    assert not pod["spec"].get("initContainers")
    [client], [meant] = pod["spec"]["containers"], wanted["spec"]["template"]["spec"]["containers"]
    assert client["env"] == meant["env"]


def test_an_unchanged_client_in_java_gets_the_agent_by_its_pods_annotation_and_tells_the_same(
    platform: Platform,
) -> None:
    [pod] = pods_of(platform, INTERCEPTED_JAVA_WORKLOAD)
    name = pod["metadata"]["name"]
    [client] = pod["spec"]["containers"]
    place = f'k8s_workload="{INTERCEPTED_JAVA_WORKLOAD}",k8s_pod="{name}"'
    consumed = f'{place},client_id="{INTERCEPTED_JAVA_CLIENT}",group_id="demo-java",topic="demo.orders"'
    records = f"{PREFIX}consumed_records_total{{{consumed}}}"
    # A collector that was restarted by another test counts from 0, so only what comes on top says something.
    before = platform.latest(records)
    eventually(lambda: platform.latest(records), lambda now: now > before)

    assert platform.latest(f'{PREFIX}hook_calls_total{{{place},hook="on_consume"}}') > 0
    assert platform.latest(f"{PREFIX}hook_errors_total{{{place}}}") == 0
    assert pod["metadata"]["annotations"][MARK] == f"{NAMESPACE}/{INTERCEPTORS}"
    assert {"name": "JAVA_TOOL_OPTIONS", "value": f"-javaagent:{JAVA_AGENT}"} in client["env"]


def plugin_producer(platform: Platform) -> dict[str, Any]:
    """A producer on librdkafka with one setting more, whose pod says what it runs in."""
    deployment = another_client.deployment(platform, PLUGIN, like="python-producer")
    template = deployment["spec"]["template"]
    template["metadata"]["labels"]["intercepted"] = "true"
    template["metadata"]["annotations"] = {RUNTIMES: "librdkafka"}
    template["spec"]["containers"][0]["env"].append({"name": "KAFKA_PLUGIN_LIBRARY_PATHS", "value": LIBRDKAFKA_PLUGIN})
    return deployment


def test_a_client_of_librdkafka_tells_the_same_by_one_setting(platform: Platform) -> None:
    with running(platform, plugin_producer(platform)) as pod:
        name = pod["metadata"]["name"]
        place = f'k8s_workload="{PLUGIN}",k8s_pod="{name}"'
        produced = f'{PREFIX}sent_records_total{{{place},client_id="demo-{PLUGIN}",topic="demo.orders"}}'
        eventually(lambda: platform.latest(produced), lambda now: now > 0)
        [process] = eventually(
            lambda: [one for one in status(platform).get("processes", []) if one["pod"] == f"{APPS}/{name}"]
        )

    assert (process["container"], process["runtime"], process["clients"]) == ("client", "Librdkafka", 1)


def led_producer(platform: Platform) -> dict[str, Any]:
    """A producer with an observer beside it and interceptors, whose program says itself that it wants TLS and where.

    The authority that it names is not there, so that it could not connect by itself.
    """
    deployment = another_client.deployment(platform, LED)
    template = deployment["spec"]["template"]
    template["metadata"]["labels"]["intercepted"] = "true"
    [client] = template["spec"]["containers"]
    [brokers] = [one["value"] for one in client["env"] if one["name"] == "BOOTSTRAP_SERVERS"]
    assigned = f"BOOTSTRAP_SERVERS={brokers} KAFKA_SECURITY_PROTOCOL=SSL KAFKA_SSL_CA_LOCATION=/there/is/none"
    client["command"] = ["/bin/sh", "-c", f"{assigned} exec /opt/entrypoint.sh producer_confluent.py"]
    del client["args"]
    return deployment


def test_a_client_with_tls_is_observed_that_its_interceptors_lead_to_the_observer_of_its_pod(
    platform: Platform,
) -> None:
    def lead(value: bool) -> None:
        subscriptions.change(platform, KIND, INTERCEPTORS, throughObserver=value)
        subscriptions.reason_becomes(platform, INTERCEPTORS, "Injecting", KIND)

    lead(True)
    try:
        with running(platform, led_producer(platform)) as pod:
            place = f'k8s_workload="{LED}",k8s_pod="{pod["metadata"]["name"]}",client_id="demo-{LED}"'
            seen = f'kafka_client_records_total{{{place},api="Produce",topic="demo.orders"}}'
            eventually(lambda: platform.latest(seen), lambda now: now > 0)
            said = waiting.condition(subscriptions.found(platform, INTERCEPTORS, KIND), "ThroughObserver")
    finally:
        lead(False)

    assert said is not None
    assert said["status"] == "True"
