"""Parts are killed and restarted; what must hold, holds."""

from __future__ import annotations

import contextlib
import random
import time
from typing import Any

import pytest

from kwitness.demo import up, waiting
from kwitness.demo.platform import APPS, COLLECTOR, KAFKA, NAMESPACE, SUBSCRIPTION, Platform
from kwitness.demo.toolbox import Toolbox
from kwitness.images.commands import CommandFailedError

from tests.e2e import another_client, subscriptions, telemetry_topic
from tests.e2e.eventually import eventually
from tests.e2e.workloads import restart, running, wait_until_ready
from tests.eventually import remains

pytestmark = [
    pytest.mark.needs(up.gateway, up.sidecars, up.numbers),
    pytest.mark.usefixtures("soon_forgotten"),
]

LIBRDKAFKA = ("gateway-producer", "old-python-producer", "python-consumer", "python-producer", "sidecar-producer")
"""The demo's clients on it."""
SAFE = ["org.apache.kafka.producer.connection.creation.", "org.apache.kafka.consumer.connection.creation."]


def test_a_gauge_rises_with_a_client_and_disappears_with_it(platform: Platform) -> None:
    software = 'client_software_name="confluent-kafka-python",client_software_version=~"2[.]10[.]1.*"'
    version = f"kafka_client_connections{{{software}}}"
    scaled = ("deployment", "old-python-producer", APPS)
    assert platform.total(version) > 0

    platform.cluster.objects.patch(*scaled, {"spec": {"replicas": 0}})
    eventually(lambda: platform.query(version), lambda now: not now)
    platform.cluster.objects.patch(*scaled, {"spec": {"replicas": 1}})

    eventually(lambda: platform.total(version), lambda now: now > 0)


@pytest.mark.expects_log("(?i)collector|connect|unreachable|peer|inventory")
def test_a_collector_restart_counts_no_push_twice_and_loses_none(platform: Platform, toolbox: Toolbox) -> None:
    client, began_ms = "demo-counted-producer", round(time.time() * 1000)

    def exposed() -> float:
        return platform.latest(f'kafka_client_producer_record_send_total{{client_id="{client}"}}')

    with running(platform, another_client.deployment(platform, "counted-producer", like="java-producer")):
        before = eventually(exposed, lambda now: now > 0)
        _kill_collector(platform)
        wait_until_ready(platform, "statefulset", f"kwitness-collector-{COLLECTOR}")
        eventually(exposed, lambda now: now > before + 50)

    # The client is gone with its last push, so both numbers come to rest.
    def counted_and_pushed() -> tuple[float, float]:
        sent = "org.apache.kafka.producer.record.send.total"
        return exposed(), telemetry_topic.summed(toolbox, client, sent, since_ms=began_ms)

    eventually(counted_and_pushed, lambda now: now[0] == now[1], every=5)
    remains(counted_and_pushed, lambda now: now[0] == now[1], seconds=15, every=5)
    eventually(lambda: _ledger_gap(platform), lambda gap: gap == 0)


@pytest.mark.expects_log("(?i)broker|kafka|connect|telemetry|unreachable|disconnect|node")
def test_a_broker_restart_leaves_the_platform_working(platform: Platform, toolbox: Toolbox) -> None:
    platform.cluster.kubectl("delete", "pod", f"{KAFKA}-0", f"--namespace={NAMESPACE}")
    wait_until_ready(platform, "statefulset", KAFKA)

    subscriptions.reason_becomes(platform, "demo", "Connected", "kafkacluster")
    subscriptions.reason_becomes(platform, SUBSCRIPTION, "Applied")
    with subscriptions.applied(platform, subscriptions.manifest("after-restart", SAFE)) as name:
        assert subscriptions.broker_resource(platform, name) in toolbox.subscriptions()
    seen = _accepted(platform)
    eventually(lambda: _accepted(platform), lambda now: now > seen)

    # librdkafka does not always come back from the loss of its only broker: a consumer may open no connection any more,
    # and a client that had just pushed its metrics may wait for the answer for ever.
    restart(platform, *LIBRDKAFKA)


# A pod that is deleted at once may run for a moment longer, with a token that is not valid any more.
@pytest.mark.expects_log("(?i)kafka|connect|terminat|cancel|unauthorized")
def test_an_operator_killed_at_random_moments_ends_in_the_same_state(platform: Platform, toolbox: Toolbox) -> None:
    seed = int(time.time())
    chance = random.Random(seed)  # noqa: S311 - a seed that can be repeated, not a secret
    names = [f"killed-{number}" for number in range(20)]
    try:
        for name in names:
            platform.cluster.apply_objects(subscriptions.manifest(name, SAFE, interval=f"{10 + len(name)}s"))
            if chance.random() < 0.4:
                time.sleep(chance.random() * 2)
                operators = {"labelSelector": "app.kubernetes.io/component=operator"}
                pods = f"/api/v1/namespaces/{NAMESPACE}/pods"
                platform.cluster.objects.ask("DELETE", pods, params=operators, json={"gracePeriodSeconds": 0})
        wait_until_ready(platform, "deployment", "kwitness-operator")
        for name in names:
            subscriptions.reason_becomes(platform, name, "Applied")
        wanted = {subscriptions.found(platform, name)["status"]["brokerResource"] for name in names}
        there = {name for name in toolbox.subscriptions() if ".killed-" in name}
    finally:
        platform.cluster.delete(subscriptions.KIND, *names, namespace=NAMESPACE)

    assert there == wanted, f"seed {seed}"
    eventually(toolbox.subscriptions, lambda now: not [one for one in now if ".killed-" in one])


def test_a_resync_in_which_nothing_changed_writes_nothing(platform: Platform, node: Any) -> None:
    account = f"system:serviceaccount:{NAMESPACE}:kwitness-operator"

    def writes() -> list[str]:
        return [
            f"{event['verb']} {event['requestURI']}"
            for event in node.audit(account)
            if event["user"].get("username") == account
            and event["verb"] in {"create", "update", "patch", "delete"}
            and "tokenreviews" not in event["requestURI"]
            # Neither a status nor a token of our own, asked for anew by a process that has just begun, is a dependant.
            and not event["requestURI"].split("?")[0].endswith(("/status", "/token"))
        ]

    for kind, name in (("kafkacluster", "demo"), ("telemetrycollector", COLLECTOR), (subscriptions.KIND, SUBSCRIPTION)):
        assert (waiting.condition(subscriptions.found(platform, name, kind), "Ready") or {})["status"] == "True"
    before = writes()

    # A restart lists and reconciles everything, as a resync does.
    platform.cluster.restart("kwitness-operator", namespace=NAMESPACE)
    wait_until_ready(platform, "deployment", "kwitness-operator")
    time.sleep(30)

    assert writes()[len(before) :] == []


def _kill_collector(platform: Platform) -> None:
    """`kill -9` the process; the kubelet starts the container anew, on the same volume."""
    pod = f"kwitness-collector-{COLLECTOR}-0"

    def restarts() -> int:
        found = platform.cluster.find("pod", pod, NAMESPACE)
        return int(found["status"]["containerStatuses"][0]["restartCount"])

    program = (
        "import glob, os\n"
        "for path in glob.glob('/proc/[0-9]*/cmdline'):\n"
        "    pid = int(path.split('/')[2])\n"
        "    words = open(path, 'rb').read().split(bytes(1))\n"
        "    if b'kwitness.collector' in words and pid not in (1, os.getpid()): os.kill(pid, 9)\n"
    )
    before = restarts()
    with contextlib.suppress(CommandFailedError):  # the container may end before kubectl has its answer
        platform.cluster.kubectl("exec", pod, f"--namespace={NAMESPACE}", "--", "python3", "-c", program)
    eventually(restarts, lambda now: now > before)


def _accepted(platform: Platform) -> float:
    return platform.total('kwitness_ledger_events_total{component="collector",hop="receive",outcome="accepted"}')


def _ledger_gap(platform: Platform) -> float:
    """accepted - delivered - dropped - queued over the hop into the topic; 0 when the ledger closes."""
    hop = 'component="collector",hop="topic"'
    parts = {
        outcome: platform.total(f'kwitness_ledger_events_total{{{hop},outcome="{outcome}"}}')
        for outcome in ("accepted", "delivered", "dropped")
    }
    queued = platform.total(f"kwitness_ledger_queued_events{{{hop}}}")
    return parts["accepted"] - parts["delivered"] - parts["dropped"] - queued
