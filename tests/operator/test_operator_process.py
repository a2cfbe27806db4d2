"""The operator as a process: its starts and ends, others beside it, and what it may not do."""

from __future__ import annotations

import json
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from kwitness.contracts.own_metrics import OWN_METRICS
from kwitness.e2e.api_objects import ApiRefusedError
from kwitness.sandbox.waiting import run_to_end

from tests.eventually import eventually
from tests.operator.conftest import at_the_resync
from tests.operator.surroundings import (
    alter_broker,
    analytics_job,
    apply,
    broker_configs,
    cluster,
    collector,
    config_name,
    drift_repairs,
    get,
    may,
    ready,
    subscription,
    until_configs,
    until_reason,
    writes_in_resyncs,
    writes_of,
)

pytestmark = pytest.mark.broker

FROM_A_COLLECTOR = {"kwitness_clients_below_minimum_version"}  # seen with one in test_inventory.py


@at_the_resync
def test_a_no_op_resync_writes_nothing(applied, api, namespace):
    apply(api, collector("main", namespace))
    until_reason(api, "ktc", "main", namespace, "Progressing")
    # What the resources cause goes on for a moment.
    eventually(lambda: writes_in_resyncs(api, namespace, resyncs=1), lambda writes: writes == [])
    assert writes_in_resyncs(api, namespace) == []


def test_what_was_deleted_while_the_operator_was_away_is_swept_at_its_return(
    applied, api, namespace, clean_broker, start_operator
):
    assert applied.stop() == 0
    api.objects.delete("kcms", "basic", namespace=namespace)
    assert config_name(namespace) in broker_configs(clean_broker)
    start_operator()
    eventually(lambda: broker_configs(clean_broker) == {})


@at_the_resync
def test_a_namespace_that_is_not_watched_is_left_alone(applied, api, namespace, clean_broker):
    # Its config is not ours to touch, not even under our installation's name.
    alter_broker(clean_broker, f"kwitness.{namespace}.elsewhere.basic", {"metrics": "x."})
    writes_in_resyncs(api, namespace)
    assert set(broker_configs(clean_broker)) == {config_name(namespace), f"kwitness.{namespace}.elsewhere.basic"}


@at_the_resync
def test_two_installations_on_one_broker_leave_each_other_alone(  # noqa: PLR0917 - each of them a fixture
    applied, api, namespace, another_namespace, clean_broker, start_operator
):
    home = {"namespace": another_namespace, "installation": "another"}
    other = start_operator(user="operator-b", **home, resyncSeconds=1)
    eventually(lambda: f"kwitness.another.{namespace}.basic" in broker_configs(clean_broker))
    before = broker_configs(clean_broker)
    writes_in_resyncs(api, namespace)
    writes_in_resyncs(api, namespace, user="operator-b")
    assert broker_configs(clean_broker) == before
    assert 'kwitness_broker_writes_total{operation="remove"}' not in other.probe("/metrics")[1]
    assert 'kwitness_broker_writes_total{operation="remove"}' not in applied.probe("/metrics")[1]


@at_the_resync
def test_two_operators_at_once_agree(applied, api, namespace, clean_broker, start_operator):
    apply(api, collector("main", namespace, replicas=2), subscription("second", namespace))
    start_operator(user="operator-b")
    until_reason(api, "ktc", "main", namespace, "Progressing")
    until_reason(api, "kcms", "second", namespace, "Applied")

    def writes() -> list[str]:
        since = api.audit_end()
        return writes_in_resyncs(api, namespace, user="operator-b") + writes_of(api, "operator", since)

    eventually(writes, lambda found: found == [])
    until_configs(clean_broker, lambda found: len(found) == 2)


def test_a_forbidden_list_deletes_nothing(applied, api, namespace, clean_broker, start_operator):
    applied.stop()
    rules = get(api, "role", "kwitness-operator", namespace)
    rules["rules"][0]["resources"].remove("clientmetricssubscriptions")
    api.objects.replace(rules)
    eventually(lambda: not may(api, "operator", "list", "clientmetricssubscriptions.kwitness.dev", namespace))
    operator = start_operator(wait=False)
    eventually(lambda: any(line["message"] == "A kind cannot be listed" for line in operator.lines()))
    time.sleep(7)
    assert config_name(namespace) in broker_configs(clean_broker)
    # What may not be listed is an answer, and hurts nothing else.
    assert operator.probe("/readyz") == (200, "ok")


def test_a_missing_right_in_kubernetes_is_named(applied, api, namespace):
    role = get(api, "role", "kwitness-operator", namespace)
    for rule in role["rules"]:
        if "configmaps" in rule["resources"]:
            rule["verbs"] = ["get"]
    api.objects.replace(role)
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
    eventually(
        lambda: get(api, "sts", "kwitness-collector-main", namespace)["spec"]["replicas"] == 2,
        passing=(ApiRefusedError,),
    )


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
    alter_broker(clean_broker, config_name(namespace), {"interval.ms": "100"})
    eventually(lambda: drift_repairs(applied.probe("/metrics")[1], namespace, "basic") == 1)
    ledger = {"hop": "table", "accepted": 3, "delivered": 1, "queued": 1, "dropped": {"Expired": 1}}
    apply(api, analytics_job("inventory", namespace))
    until_reason(api, "kaj", "inventory", namespace, "Starting")
    day = {"day": "2026-11-29", "dayEndTime": "2026-11-30T00:00:00Z"}
    owners = [{"owner": "orders", "monthMicroUnits": 5_000_000, "dayMicroUnits": 1}]
    costs = {"currency": "EUR", "month": "2026-11", **day, "owners": owners}
    reported = {"ledger": [ledger], "lag": {"records": 4}, "findingCounts": {"NotClosed": 2}, "costs": costs}
    known = {"table": "inventory", "type": "ClientInventory", **reported}
    api.objects.patch("kaj", "inventory", namespace, {"status": {"analyses": [known]}}, subresource="status")
    eventually(lambda: "kwitness_job_findings{" in applied.probe("/metrics")[1])
    text = applied.probe("/metrics")[1]
    expected = {one.name: one for one in OWN_METRICS if "operator" in one.source.split(", ")}
    types = dict(re.findall(r"^# TYPE (kwitness_\S+) (\S+)$", text, re.MULTILINE))
    helps = dict(re.findall(r"^# HELP (kwitness_\S+) (.+)$", text, re.MULTILINE))
    assert types == {name: one.type for name, one in expected.items()}
    assert helps == {name: one.help for name, one in expected.items()}
    for name, one in expected.items():
        samples = re.findall(rf"^{name}(?:_count)?(?:{{(.+)}})? ", text, re.MULTILINE)
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
    api.objects.delete("kcms", "basic", namespace=namespace)
    eventually(lambda: exposed() == [])


def test_wrong_settings_end_it_with_one_json_line(tmp_path):
    (tmp_path / "settings.json").write_text("{}")
    done = run_to_end([sys.executable, "-m", "kwitness.operator", str(tmp_path / "settings.json")])
    (line,) = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (2, "")
    assert "namespace: Field required" in json.loads(line)["detail"]


def test_it_is_small(api, namespace, clean_broker, start_operator):
    apply(api, cluster("main", namespace, clean_broker.bootstrap), subscription("basic", namespace))
    operator = start_operator(imports=True)
    until_reason(api, "kcms", "basic", namespace, "Applied")
    status = Path(f"/proc/{operator.process.pid}/status").read_text()
    resident = int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])
    # Megabytes of docs/decisions/0034, in which it is started as here, without the library kubernetes.
    assert resident < 90_000
