"""Analytics jobs, and which of them has a table."""

from __future__ import annotations

import pytest

from tests.eventually import eventually, remains
from tests.operator.surroundings import (
    analytics_job,
    apply,
    get,
    until_reason,
)

pytestmark = pytest.mark.broker


def test_an_analytics_job_gets_a_driver_and_a_rival_for_its_table_does_not(shared, api, namespace):
    job = analytics_job("inventory", namespace)
    apply(api, job)
    until_reason(api, "kaj", "inventory", namespace, "Starting")
    apply(api, analytics_job("rival", namespace, table="inventory"))
    until_reason(api, "kaj", "rival", namespace, "Conflict")
    assert get(api, "sts", "kwitness-job-inventory", namespace)["spec"]["replicas"] == 1
    apply(api, {**job, "spec": {**job["spec"], "suspend": True}})
    until_reason(api, "kaj", "inventory", namespace, "Suspended")
    assert get(api, "sts", "kwitness-job-inventory", namespace)["spec"]["replicas"] == 0


def test_a_table_passes_to_the_job_of_higher_priority_once_the_other_has_left_it(shared, api, namespace):
    apply(api, analytics_job("inventory", namespace))
    until_reason(api, "kaj", "inventory", namespace, "Starting")
    apply(api, analytics_job("rival", namespace, table="inventory", priority=1))
    assert "rival comes before" in until_reason(api, "kaj", "inventory", namespace, "Conflict")
    assert get(api, "kaj", "inventory", namespace)["status"]["analyses"][0]["phase"] == "Pending"
    runner = get(api, "sts", "kwitness-job-inventory", namespace)["metadata"]
    assert (runner["finalizers"], "deletionTimestamp" in runner) == (["foregroundDeletion"], True)
    assert "waits until the driver of AnalyticsJob inventory" in until_reason(
        api, "kaj", "rival", namespace, "Starting"
    )
    remains(lambda: api.objects.names("sts", namespace), lambda now: "kwitness-job-rival" not in now, seconds=3)
    # As the garbage collector does when the driver's pod is gone.
    api.objects.patch("sts", "kwitness-job-inventory", namespace, {"metadata": {"finalizers": []}})
    eventually(lambda: "kwitness-job-rival" in api.objects.names("sts", namespace))
    api.objects.delete("kaj", "rival", namespace=namespace)
    api.objects.delete("sts", "kwitness-job-rival", namespace=namespace)
    until_reason(api, "kaj", "inventory", namespace, "Starting")
    eventually(lambda: "kwitness-job-inventory" in api.objects.names("sts", namespace))


def test_a_run_that_was_made_once_is_not_made_again_by_another_release(applied, api, namespace, start_operator):
    apply(api, analytics_job("report", namespace, run={"once": {}}))

    def jobs() -> list[str]:
        return api.objects.names("jobs", namespace)

    made = eventually(jobs)
    applied.stop()
    start_operator(images={"collector": "kwitness/collector:2", "spark": "kwitness/spark:2"})
    until_reason(api, "kaj", "report", namespace, "Starting")
    [name] = made
    more = {"spec": {"suspend": True, "priority": 5, "executors": {"instances": 2}}}
    api.objects.patch("kaj", "report", namespace, more)
    eventually(lambda: get(api, "job", name, namespace)["spec"]["suspend"])
    assert jobs() == made
    assert get(api, "job", name, namespace)["spec"]["template"]["spec"]["containers"][0]["image"] == "kwitness/spark:1"
    assert jobs() == made
