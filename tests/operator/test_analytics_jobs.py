"""AnalyticsJobs on a real API server: one driver of a table at a time, runs that never run again, and what is found.

Nobody makes or ends pods here, so the tests do what the controllers of Kubernetes would.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from prometheus_client import CollectorRegistry, generate_latest

from kwitness.e2e.api_server import ApiServer
from kwitness.operator.context import Context
from kwitness.operator.metrics import JobNumbers

from tests.eventually import eventually, eventually_beside, remains
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import analytics_job, apply, cluster, get, ready, secret, until_reason

pytestmark = pytest.mark.broker
DRIVER = {"app.kubernetes.io/name": "kwitness-job", "app.kubernetes.io/instance": "inventory"}


@pytest.fixture
def running(api, namespace, broker, start_operator):
    """An operator that has reached the cluster."""
    apply(api, cluster("main", namespace, broker.bootstrap))
    operator = start_operator()
    until_reason(api, "kfc", "main", namespace, "Connected")
    return operator


def _job(namespace: str, **spec: Any) -> dict[str, Any]:
    return analytics_job("inventory", namespace, table="t", **spec)


def _change(api: ApiServer, namespace: str, run: dict[str, Any]) -> None:
    changed = _job(namespace, run=run)
    api.objects.patch("kaj", "inventory", namespace, {"spec": {"analyses": changed["spec"]["analyses"]}})


def _pod(namespace: str, name: str, labels: dict[str, str]) -> dict[str, Any]:
    spec = {"automountServiceAccountToken": False, "containers": [{"name": "driver", "image": "spark"}]}
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _names(api: ApiServer, kind: str, namespace: str) -> list[str]:
    return api.objects.names(kind, namespace)


def _collect(api: ApiServer, namespace: str, kind: str, name: str) -> None:
    """As the garbage collector does once nothing of an object is left."""
    api.objects.patch(kind, name, namespace, {"metadata": {"finalizers": []}})


def _observe(api: ApiServer, namespace: str, kind: str, name: str, status: dict[str, Any]) -> None:
    """As a controller does."""
    api.objects.patch(kind, name, namespace, {"status": status}, subresource="status")


def _status(api: ApiServer, namespace: str) -> dict[str, Any]:
    return get(api, "kaj", "inventory", namespace).get("status", {})


def _analysis(api: ApiServer, namespace: str) -> dict[str, Any]:
    (found,) = _status(api, namespace)["analyses"]
    return dict(found)


def _until(api: ApiServer, namespace: str, words: str) -> None:
    eventually(lambda: words in ready(api, "kaj", "inventory", namespace)["message"])


COMPLETE = {
    "startTime": "2026-01-01T00:00:00Z",
    "completionTime": "2026-01-01T00:05:00Z",
    "succeeded": 1,
    "conditions": [
        {"type": kind, "status": "True", "lastProbeTime": None, "lastTransitionTime": "2026-01-01T00:05:00Z"}
        for kind in ("SuccessCriteriaMet", "Complete")
    ],
}
FAILED = {
    "startTime": "2026-01-01T00:00:00Z",
    "conditions": [
        {
            "type": kind,
            "status": "True",
            "reason": "BackoffLimitExceeded",
            "message": "m",
            "lastTransitionTime": "2026-01-01T00:05:00Z",
        }
        for kind in ("FailureTarget", "Failed")
    ],
}


@pytest.mark.usefixtures("running")
def test_a_run_of_another_kind_begins_when_the_last_pod_of_the_former_is_gone(api, namespace):
    apply(api, _job(namespace))
    eventually(lambda: _names(api, "sts", namespace))
    apply(api, _pod(namespace, "kwitness-job-inventory-0", DRIVER))
    before = get(api, "configmap", "kwitness-job-inventory", namespace)["data"]

    _change(api, namespace, {"once": {}})

    _until(api, namespace, "waits until StatefulSet kwitness-job-inventory")
    runner = get(api, "sts", "kwitness-job-inventory", namespace)["metadata"]
    assert (runner["finalizers"], "deletionTimestamp" in runner) == (["foregroundDeletion"], True)
    assert get(api, "configmap", "kwitness-job-inventory", namespace)["data"] == before, "the old pod may start again"
    _collect(api, namespace, "sts", "kwitness-job-inventory")
    _until(api, namespace, "waits until pod kwitness-job-inventory-0")
    remains(lambda: _names(api, "jobs", namespace), lambda now: now == [], seconds=6)
    api.objects.delete("pod", "kwitness-job-inventory-0", namespace=namespace)
    assert len(eventually(lambda: _names(api, "jobs", namespace))) == 1


@pytest.mark.usefixtures("running")
def test_a_driver_of_a_deleted_job_keeps_its_table_to_the_end(api, namespace):
    apply(api, _pod(namespace, "left", {**DRIVER, "app.kubernetes.io/instance": "gone", "kwitness.dev/table": "t"}))

    apply(api, _job(namespace))

    _until(api, namespace, "waits until pod left")
    assert _names(api, "sts", namespace) == []
    api.objects.delete("pod", "left", namespace=namespace)
    eventually(lambda: _names(api, "sts", namespace))


def test_a_run_that_has_ended_never_runs_again(running, api, namespace, start_operator):
    apply(api, _job(namespace, run={"once": {"id": "first"}}))
    (made,) = eventually(lambda: _names(api, "jobs", namespace))
    name = made
    file = json.loads(get(api, "configmap", "kwitness-job-inventory", namespace)["data"]["job.json"])
    assert (file["run"]["id"], file["identity_path"]) == (
        "first",
        f"{file['table_path'].removesuffix('table')}identity.json",
    )
    _observe(api, namespace, "job", name, COMPLETE)
    until_reason(api, "kaj", "inventory", namespace, "Completed")
    assert _analysis(api, namespace)["finishedRuns"] == [{"id": "first", "succeeded": True}]
    assert _analysis(api, namespace)["lastRun"]["succeeded"] is True

    api.objects.delete("job", name, namespace=namespace)  # as a janitor does
    running.stop()
    start_operator(images={"collector": "kwitness/collector:2", "spark": "kwitness/spark:2"})
    api.objects.patch("kaj", "inventory", namespace, {"spec": {"executors": {"instances": 2}}})
    eventually(lambda: _status(api, namespace)["observedGeneration"] == 2)
    remains(lambda: _names(api, "jobs", namespace), lambda now: now == [], seconds=8)
    assert ready(api, "kaj", "inventory", namespace)["reason"] == "Completed"

    _change(api, namespace, {"once": {"id": "second"}})
    (another,) = eventually(lambda: _names(api, "jobs", namespace))
    assert another != made
    _change(api, namespace, {"once": {"id": "first"}})
    eventually(lambda: "deletionTimestamp" in get(api, "job", another, namespace)["metadata"])
    _collect(api, namespace, "job", another)
    until_reason(api, "kaj", "inventory", namespace, "Completed")
    assert _names(api, "jobs", namespace) == []


def test_with_an_emptied_status_the_same_children_are_written(running, api, namespace, start_operator):
    apply(api, _job(namespace, run={"once": {}}))
    (made,) = eventually(lambda: _names(api, "jobs", namespace))
    name = made
    before = get(api, "configmap", "kwitness-job-inventory", namespace)
    _observe(api, namespace, "job", name, COMPLETE)
    until_reason(api, "kaj", "inventory", namespace, "Completed")

    running.stop()
    api.objects.delete("job", name, namespace=namespace)
    _observe(api, namespace, "kaj", "inventory", dict.fromkeys(_status(api, namespace)))
    start_operator()

    # Its driver finds its id beside the checkpoint, and ends at once.
    eventually(lambda: _names(api, "jobs", namespace) == [made])
    assert get(api, "configmap", "kwitness-job-inventory", namespace)["data"] == before["data"]


@pytest.mark.usefixtures("running")
def test_a_schedule_is_ready_only_if_its_last_run_succeeded(api, namespace):
    schedule = {"cron": "0 3 * * *", "timeZone": "Europe/Berlin", "startingDeadline": "1h30m"}
    apply(api, _job(namespace, run={"schedule": schedule}))
    until_reason(api, "kaj", "inventory", namespace, "Scheduled")
    made = get(api, "cronjob", "kwitness-job-inventory", namespace)
    spec = made["spec"]
    assert (spec["schedule"], spec["timeZone"], spec["startingDeadlineSeconds"]) == ("0 3 * * *", "Europe/Berlin", 5400)

    run = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "kwitness-job-inventory-1",
            "namespace": namespace,
            "labels": spec["jobTemplate"]["metadata"]["labels"],
            "ownerReferences": [
                {
                    "apiVersion": "batch/v1",
                    "kind": "CronJob",
                    "name": made["metadata"]["name"],
                    "uid": made["metadata"]["uid"],
                    "controller": True,
                }
            ],
        },
        "spec": spec["jobTemplate"]["spec"],
    }
    apply(api, run)
    _observe(api, namespace, "job", "kwitness-job-inventory-1", FAILED)
    began = get(api, "job", "kwitness-job-inventory-1", namespace)["metadata"]["creationTimestamp"]
    _observe(api, namespace, "cronjob", "kwitness-job-inventory", {"lastScheduleTime": began})
    message = until_reason(api, "kaj", "inventory", namespace, "LastRunFailed")
    assert "(BackoffLimitExceeded)" in message
    assert "kubectl logs job/kwitness-job-inventory-1" in message
    assert _analysis(api, namespace)["lastRun"]["succeeded"] is False

    api.objects.delete("job", "kwitness-job-inventory-1", namespace=namespace)
    _observe(api, namespace, "cronjob", "kwitness-job-inventory", {"lastSuccessfulTime": began})
    until_reason(api, "kaj", "inventory", namespace, "Scheduled")
    assert _analysis(api, namespace)["lastSuccessfulTime"] == began


@contextlib.asynccontextmanager
async def _driver(said: dict[str, Any]) -> AsyncIterator[tuple[str, list[str]]]:
    """Answers as a driver does what ``said`` says by then; yields its address and who asked."""
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.headers["Authorization"])
        return web.json_response(said)

    application = web.Application()
    application.router.add_get("/status", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/status", asked
    finally:
        await runner.cleanup()


async def test_findings_of_a_driver_are_in_the_status_an_event_and_a_metric(api, namespace, broker, tmp_path):
    apply(api, cluster("main", namespace, broker.bootstrap), _job(namespace))
    said: dict[str, Any] = {"phase": "Running", "of_a_newer_version": True}

    def events() -> list[dict[str, Any]]:
        found = api.objects.items("events", namespace)
        return [one for one in found if one["reason"] == "NewFindings"]

    def condition(name: str = "NoFindings") -> dict[str, Any]:
        found = _status(api, namespace).get("conditions", [])
        return next((one for one in found if one["type"] == name), {"reason": None, "message": ""})

    async with _driver(said) as (url, asked):

        def at(context: Context) -> None:
            context.driver_url = lambda _job: url

        async with operating(api, settings_of(namespace, tmp_path), at) as context:
            await eventually_beside(lambda: _names(api, "sts", namespace))
            _observe(api, namespace, "sts", "kwitness-job-inventory", {"replicas": 1, "readyReplicas": 1})
            await eventually_beside(lambda: ready(api, "kaj", "inventory", namespace)["reason"] == "Running")
            assert condition()["reason"] is None

            said["empty_topics"] = ["telemetry"]
            told = "nothing has written kwitness.telemetry: a ClientMetricsSubscription"
            await eventually_beside(lambda: told in condition("InputPresent")["message"])
            said["empty_topics"] = []
            await eventually_beside(lambda: condition("InputPresent")["reason"] == "Present")

            said["finding_counts"] = {}
            await eventually_beside(lambda: condition()["reason"] == "NoneFound")

            finding = {"kind": "NotClosed", "subject": "collector/main", "message": "3 of 10 are missing"}
            said.update(findings=[finding], finding_counts={"NotClosed": 7})
            await eventually_beside(lambda: condition()["reason"] == "FindingsPresent")
            status = _analysis(api, namespace)
            assert (status["findingCounts"], status["findingsTotal"]) == ({"NotClosed": 7}, 7)
            assert {name: status["findings"][0][name] for name in finding} == finding
            (event,) = await eventually_beside(events)
            assert event["type"] == "Warning"
            assert "found NotClosed, 7 of it, for example collector/main" in event["message"]

            said.update(finding_counts={"NotClosed": 7, "LateSeal": 1})
            found = await eventually_beside(events, lambda now: len(now) == 2)
            assert sum("LateSeal" in one["message"] for one in found) == 1

            registry = CollectorRegistry()
            registry.register(JobNumbers(context.store))
            labels = f'finding="NotClosed",name="inventory",namespace="{namespace}",type="ClientInventory"'
            assert f"kwitness_job_findings{{{labels}}} 7.0" in generate_latest(registry).decode()

            owner = {"owner": "orders", "month_micro_units": 9, "day_micro_units": 1}
            day = {"day": "2026-11-29", "day_end_ms": 1_795_996_800_000}
            said.update(costs={"currency": "EUR", "month": "2026-11", **day, "owners": [owner, owner]})
            costs = await eventually_beside(lambda: _analysis(api, namespace).get("costs"))
            assert costs["owners"] == [{"owner": "orders", "monthMicroUnits": 9, "dayMicroUnits": 1}]

            api.objects.patch("kaj", "inventory", namespace, {"spec": {"suspend": True}})
            await eventually_beside(lambda: ready(api, "kaj", "inventory", namespace)["reason"] == "Suspended")
            until_now = len(asked)
            await asyncio.sleep(3)
            assert len(asked) == until_now, "nobody asks a driver that is not to run"
            assert _analysis(api, namespace)["findingCounts"]["LateSeal"] == 1, "what was found last stays"


def test_keys_of_an_object_store_are_mounted_and_shown_nowhere(api, namespace, broker, start_operator):
    keys = {"accessKeyId": "AKIA", "secretAccessKey": "canary-of-the-store"}
    apply(api, secret("kwitness-tables-keys", namespace, **keys), cluster("main", namespace, broker.bootstrap))
    storage = {"endpoint": "https://store.example", "keysSecret": "kwitness-tables-keys"}
    operator = start_operator(
        analytics={"namespaces": [namespace], "tableRoot": "s3a://tables/kwitness", "storage": storage}
    )
    until_reason(api, "kfc", "main", namespace, "Connected")

    apply(api, _job(namespace))

    eventually(lambda: _names(api, "sts", namespace))
    pod = get(api, "sts", "kwitness-job-inventory", namespace)["spec"]["template"]["spec"]
    (mounted,) = [one["projected"]["sources"] for one in pod["volumes"] if one["name"] == "storage-keys"]
    assert [(one["secret"]["name"], one["secret"].get("optional", False)) for one in mounted] == [
        ("kwitness-tables-keys", False),
        ("kwitness-tables-keys", True),
    ]
    data = get(api, "configmap", "kwitness-job-inventory", namespace)["data"]
    assert "storage-keys" not in data["executor.yaml"], "executors get them from the driver"
    kinds = "configmaps,statefulsets,services,networkpolicies,events,analyticsjobs,kafkaclusters"
    shown = json.dumps(api.objects.items(kinds, namespace))
    assert "kwitness-tables-keys" in shown
    assert "canary-of-the-store" not in shown + json.dumps(operator.lines())
