"""What we made is as we want it: whatever an installation asks for, and whatever an admission policy makes of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.adapters.api_session import WatchHealth, open_session
from kwitness.operator.adapters.kubernetes import Kubernetes
from kwitness.operator.kinds.telemetry_collector.objects import collector_objects
from kwitness.operator.kinds.telemetry_collector.reporters import Reporters
from kwitness.operator.settings import OperatorSettings
from kwitness.runtime.api_access import find_access
from kwitness.sandbox.waiting import Patience

from tests.operator.surroundings import apply, writes_of

EVERYTHING = yaml.safe_load((Path(__file__).parent / "goldens/collector-with-everything/input.yaml").read_text())


def _children(
    namespace: str, users: dict[str, Any], pods: dict[str, Any], resources: dict[str, Any]
) -> list[dict[str, Any]]:
    case = EVERYTHING
    named = {**case["collector"], "metadata": {**case["collector"]["metadata"], "namespace": namespace}}
    # Its placement would come before the installation's.
    pod = {field: named["spec"]["pod"][field] for field in ("labels", "annotations")}
    spec = {**named["spec"], "resources": resources, "pod": pod}
    collector = TelemetryCollector.model_validate({**named, "spec": spec})
    made = collector_objects(
        collector,
        KafkaCluster.model_validate(case["cluster"]),
        "cluster-id",
        (),
        OperatorSettings.model_validate(
            {
                "namespace": namespace,
                "watchNamespaces": [namespace],
                **case["settings"],
                "pods": users,
                "collector": {"pod": pods},
            }
        ),
        reporters=Reporters(),
        owners=None,
    )
    # Of Prometheus' operator this API server has no definitions.
    return [one for one in made if one["kind"] != "ServiceMonitor"]


@pytest.fixture
async def kubernetes(api) -> AsyncIterator[Kubernetes]:
    access = find_access(api.kubeconfig_of("operator"))
    async with open_session(access, WatchHealth()) as session:
        yield Kubernetes(session, access.server)


KEYS = st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
# Few, so that two tolerations of one key are ordinary.
TAINTS = st.sampled_from(("a", "b"))
EFFECTS = ("NoSchedule", "NoExecute")
TOLERATIONS = st.one_of(
    st.fixed_dictionaries({"key": TAINTS, "operator": st.just("Exists")}, optional={"effect": st.just("NoSchedule")}),
    st.fixed_dictionaries(
        {"key": TAINTS, "value": TAINTS}, optional={"effect": st.sampled_from(("NoSchedule", "NoExecute"))}
    ),
    st.fixed_dictionaries(
        {
            "key": TAINTS,
            "operator": st.just("Exists"),
            "effect": st.just("NoExecute"),
            "tolerationSeconds": st.integers(0, 600),
        }
    ),
    st.fixed_dictionaries({"operator": st.just("Exists")}),
)
VARIABLES = st.fixed_dictionaries({"name": KEYS}, optional={"value": KEYS}) | st.fixed_dictionaries(
    {"name": KEYS, "valueFrom": st.just({"fieldRef": {"fieldPath": "status.podIP"}})}
)
SPREADS = st.fixed_dictionaries(
    {
        "maxSkew": st.integers(1, 3),
        "topologyKey": KEYS,
        "whenUnsatisfiable": st.sampled_from(("DoNotSchedule", "ScheduleAnyway")),
    },
    optional={"labelSelector": st.just({"matchLabels": {"app": "kafka"}})},
)
TERM = {"topologyKey": "rack", "labelSelector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}}
WEIGHTED = [{"weight": 1, "podAffinityTerm": TERM}]
AFFINITIES = st.sampled_from(
    (
        {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [TERM]}},
        {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": WEIGHTED}},
    )
)
USERS = st.fixed_dictionaries(
    {},
    optional={
        "runAsUser": st.none() | st.integers(1, 2**31 - 1),
        "fsGroup": st.none() | st.integers(1, 2**31 - 1),
    },
)
PODS = st.fixed_dictionaries(
    {},
    optional={
        "labels": st.dictionaries(KEYS, KEYS, max_size=2),
        "annotations": st.dictionaries(KEYS, KEYS, max_size=2),
        "env": st.lists(VARIABLES, max_size=3, unique_by=lambda variable: variable["name"]),
        "securityContext": st.fixed_dictionaries({}, optional={"supplementalGroups": st.just([7])}),
        "affinity": AFFINITIES,
        "topologySpreadConstraints": st.lists(
            SPREADS, max_size=2, unique_by=lambda entry: (entry["topologyKey"], entry["whenUnsatisfiable"])
        ),
        "dnsPolicy": st.sampled_from(("Default", "ClusterFirst")),
        "dnsConfig": st.just({"options": [{"name": "ndots", "value": "2"}]}),
        "nodeSelector": st.dictionaries(KEYS, KEYS, max_size=3),
        "tolerations": st.lists(TOLERATIONS, max_size=6),
        "priorityClassName": KEYS,
    },
)
CPU = st.integers(1, 4000).map("{}m".format) | st.decimals("0.001", 4, places=3).map(str)
MEMORY = st.one_of(
    st.builds("{}{}".format, st.integers(1, 4000), st.sampled_from(("Mi", "M", "k"))),
    st.builds("{}{}".format, st.integers(1, 64), st.sampled_from(("Gi", "G"))),
)
RESOURCES = st.fixed_dictionaries(
    {}, optional={"requests": st.fixed_dictionaries({}, optional={"cpu": CPU, "memory": MEMORY})}
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.tuples(USERS, PODS), resources=RESOURCES)
async def test_what_was_applied_is_not_applied_again(kubernetes, api, namespace, values, resources):
    # A limit has to hold the request, which is another test's matter.
    children = _children(namespace, *values, {**resources, "limits": {"memory": "64Gi"}})
    for child in children:
        await kubernetes.apply(child)
    since = api.audit_end()
    assert {await kubernetes.apply(child) for child in children} == {"unchanged"}
    assert writes_of(api, "operator", since) == []


def _policy(namespace: str) -> list[dict[str, Any]]:
    """What a platform team has that mirrors its images, in one namespace."""
    head = {"apiVersion": "admissionregistration.k8s.io/v1beta1", "metadata": {"name": f"mirror-{namespace}"}}
    rewrite = 'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [\
Object.spec.template.spec.containers{name: "collector", image: "mirror.example.org/" + \
object.spec.template.spec.containers[0].image.replace("mirror.example.org/", "")}]}}}}'
    rule = {
        "apiGroups": ["apps"],
        "apiVersions": ["v1"],
        "operations": ["CREATE", "UPDATE"],
        "resources": ["statefulsets"],
    }
    own = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
    return [
        {
            **head,
            "kind": "MutatingAdmissionPolicy",
            "spec": {
                "matchConstraints": {"namespaceSelector": own, "resourceRules": [rule]},
                "failurePolicy": "Fail",
                "reinvocationPolicy": "Never",
                "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": rewrite}}],
            },
        },
        {
            **head,
            "kind": "MutatingAdmissionPolicyBinding",
            "spec": {"policyName": f"mirror-{namespace}", "matchResources": {"namespaceSelector": own}},
        },
    ]


def _image(made: dict[str, Any]) -> str:
    return str(made["spec"]["template"]["spec"]["containers"][0]["image"])


async def test_a_policy_that_changes_what_we_write_costs_one_write_in_each_process(kubernetes, api, namespace):
    apply(api, *_policy(namespace))
    made = _children(namespace, {}, {}, {})
    (wanted,) = (one for one in made if one["kind"] == "StatefulSet")
    at = ("StatefulSet", namespace, wanted["metadata"]["name"])

    async def is_mirrored() -> bool:
        # What an admission policy says takes effect a moment after it was made.
        current = await kubernetes.get(*at)
        if current is not None:
            await kubernetes.delete(*at, uid=current["metadata"]["uid"])
        await kubernetes.apply(wanted)
        return _image(await kubernetes.get(*at)).startswith("mirror.")

    with Patience("the policy to have an effect") as patience:
        while not await is_mirrored():
            patience.note(None)
            await asyncio.sleep(0.1)
    since = api.audit_end()
    assert [await kubernetes.apply(wanted) for _ in range(3)] == ["unchanged"] * 3
    assert writes_of(api, "operator", since) == []
    # Another process does not know what came of it: one write, which changes nothing and is no drift.
    other = Kubernetes(kubernetes._session, kubernetes._server)
    assert [await other.apply(wanted) for _ in range(3)] == ["unchanged"] * 3
    assert len(writes_of(api, "operator", since)) == 1
    # What somebody else changes is put right all the same, as far as the policy lets us.
    replicas = [{"op": "replace", "path": "/spec/replicas", "value": 7}]
    api.objects.patch("sts", at[2], namespace, replicas, how="json")
    assert [await other.apply(wanted) for _ in range(2)] == ["repaired", "unchanged"]
    # And what is wanted from now on is written, though the policy was there before.
    wanted["spec"]["replicas"] = 2
    assert [await other.apply(wanted) for _ in range(2)] == ["written", "unchanged"]
