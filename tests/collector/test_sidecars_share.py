"""A sidecar speaks for the clients of its own pod, and all it says counts for its namespace's share."""

from __future__ import annotations

from typing import Any

import pytest

from tests.collector.collector_process import SIDECAR, SIDECAR_SOURCE, CollectorProcess
from tests.collector.collector_samples import CLUSTER, CREATION_SERIES, batch, counter_push, push
from tests.collector.conftest import Start
from tests.collector.test_observers_pushes import of_observer

AT_RISK = {"client_software_name": "librdkafka", "client_software_version": "2.5.0"}


def of_sidecar(*pushes: Any) -> dict[str, Any]:
    return of_observer(SIDECAR_SOURCE, "pod", list(pushes))


def items(collector: CollectorProcess, instance: str) -> list[dict[str, Any]]:
    return [found for found in collector.get("/v1/clients").body["items"] if found["client_instance_id"] == instance]


def test_a_sidecar_changes_no_client_of_others(shared: CollectorProcess) -> None:
    shared.push(batch([push(1, counter_push(3.0), client="victim")], epoch=51))

    forged = {**push(1, counter_push(100.0), client="victim", client_software_version="0.0.1"), "terminating": True}
    assert shared.push(of_sidecar(forged), token=SIDECAR).body["accepted"] == 1

    [own, other] = sorted(items(shared, "victim"), key=lambda found: "k8s_pod" in found)
    assert (own["client_software_version"], own.get("k8s_pod"), own["terminated"]) == ("4.3.1", None, False)
    assert (other["client_software_version"], other["k8s_pod"]) == ("0.0.1", "app-1")
    victim = shared.get("/v1/clients/victim/metrics").body
    assert victim["client"]["client_software_version"] == "4.3.1"
    assert [found["value"] for found in victim["metrics"]] == [3.0]


def test_two_pods_have_clients_of_their_own_with_one_instance_id(start: Start) -> None:
    collector = start()
    with collector.tokens.open("a") as tokens:
        tokens.write(f"other-sidecar observer {CLUSTER} pod stranger/app-2\n")
    pushed = push(1, counter_push(3.0), client="both")

    assert collector.push(of_sidecar(pushed), token=SIDECAR).status == 200
    other = of_observer("stranger/app-2", "pod", [pushed])
    assert collector.deliver(other, token="other-sidecar").status == 200

    assert sorted(found["k8s_pod"] for found in items(collector, "both")) == ["app-1", "app-2"]


@pytest.mark.parametrize("claim", [{}, {"principal": "User:p-{}"}, {"client_address": "10.0.0.{}"}])
def test_a_sidecar_has_no_more_than_its_namespaces_share(start: Start, claim: dict[str, str]) -> None:
    collector = start(config={"prometheus": {"max_series": 100}})
    pushes = []
    for number in range(300):
        found = {**push(number, counter_push(1.0), client=f"invented-{number}"), "client_id": f"invented-{number}"}
        for key in ("principal", "client_address"):
            found.pop(key, None)
        pushes.append({**found, **{key: text.format(number) for key, text in claim.items()}})
    assert collector.push(of_sidecar(*pushes), token=SIDECAR).status == 200

    honest = push(1, counter_push(7.0), client="honest", client_id="honest")
    assert collector.push(batch([honest], epoch=52)).status == 200

    assert collector.value(CREATION_SERIES, client_id="honest") == 7.0


def test_what_a_push_names_neither_who_nor_where_counts_for_its_source(start: Start) -> None:
    collector = start(config={"prometheus": {"max_series": 100}})
    pushes = []
    for number in range(300):
        found = push(number, counter_push(1.0), client=f"unknown-{number}", client_id=f"unknown-{number}")
        pushes.append({**found, "principal": None, "client_address": None})
    assert collector.push(batch(pushes, broker="2", epoch=53)).status == 200

    honest = push(1, counter_push(7.0), client="honest", client_id="honest")
    assert collector.push(batch([honest], epoch=54)).status == 200

    assert collector.value(CREATION_SERIES, client_id="honest") == 7.0


def test_the_software_of_a_sidecars_push_holds_up_no_subscription(shared: CollectorProcess) -> None:
    def known() -> set[tuple[str, str]]:
        software = shared.get(f"/v1/clusters/{CLUSTER}").body["software"]
        return {(found["client_software_name"], found["client_software_version"]) for found in software}

    shared.push(of_sidecar({**push(2, counter_push(1.0), client="risky"), **AT_RISK}), token=SIDECAR)
    assert ("librdkafka", "2.5.0") not in known()

    shared.push(batch([{**push(1, counter_push(1.0), client="risky"), **AT_RISK}], epoch=55))
    assert ("librdkafka", "2.5.0") in known()
