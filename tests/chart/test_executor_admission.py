"""A Spark driver may run executors of our image and nothing else, though RBAC alone cannot say so."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from kwitness.e2e import chart
from kwitness.e2e.api_server import ApiServer

from tests.eventually import eventually

NAMESPACE = "analytics"
DRIVER = f"system:serviceaccount:{NAMESPACE}:kwitness-spark"
DIGEST = f"sha256:{'5' * 64}"
IMAGE = f"registry.example.org:5000/mirror/kwitness/spark@{DIGEST}"
SECRET_VARIABLE = {"name": "MIRROR", "valueFrom": {"secretKeyRef": {"name": "mirror", "key": "url"}}}
PREEMPTED = {"key": "preempted", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30}
SPOT = {"key": "spot", "operator": "Equal", "value": "yes"}
AFFINITY = {
    "nodeAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 7, "preference": {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}}
        ]
    }
}
SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
VALUES: dict[str, Any] = {
    "global": {"imageRegistry": "registry.example.org:5000/mirror/", "trustBundle": {"configMap": "authorities"}},
    "images": {"spark": {"digest": DIGEST}},
    "watchNamespaces": [NAMESPACE],
    "analytics": {
        "namespaces": [NAMESPACE],
        "tableClaim": "kwitness-tables",
        "storage": {"webIdentity": {"audience": "sts.example"}},
        "executor": {
            "pod": {
                "labels": {"team": "data"},
                "env": [SECRET_VARIABLE],
                "securityContext": {"sysctls": [{"name": "net.ipv4.ip_local_port_range", "value": "1024 65000"}]},
                "tolerations": [PREEMPTED, SPOT],
                "affinity": AFFINITY,
                "topologySpreadConstraints": [SPREAD],
                "priorityClassName": "data",
                "dnsConfig": {"options": [{"name": "ndots", "value": "2"}]},
            }
        },
    },
}
LABELS = {
    "spark-role": "executor",
    "spark-app-selector": "spark-1",
    "app.kubernetes.io/name": "kwitness-executor",
    "app.kubernetes.io/component": "executor",
}
EXECUTOR: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "executor", "labels": LABELS},
    "spec": {
        "serviceAccountName": "kwitness-spark",
        "priorityClassName": "data",
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [
            {
                "name": "executor",
                "image": IMAGE,
                "env": [{"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
                "resources": {"requests": {"cpu": "100m", "memory": "8832Mi"}, "limits": {"memory": "8832Mi"}},
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "capabilities": {"drop": ["ALL"]},
                    "readOnlyRootFilesystem": True,
                },
            }
        ],
        "volumes": [
            {"name": "tmp", "emptyDir": {}},
            {
                "name": "pod",
                "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]},
            },
            {
                "name": "storage-token",
                "projected": {"sources": [{"serviceAccountToken": {"audience": "sts.example", "path": "token"}}]},
            },
            {"name": "tables", "persistentVolumeClaim": {"claimName": "kwitness-tables"}},
        ],
    },
}


@pytest.fixture(scope="module")
def driver(api_server: ApiServer) -> Callable[..., Any]:
    """Send a request as the driver's service account; the answer."""
    manifests = chart.render(VALUES, namespace=NAMESPACE)
    wanted = ("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
    policies = ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    priority = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "data"}, "value": 1}
    for one in [namespace, priority, *chart.of_kind(manifests, *wanted, *policies)]:
        api_server.kubectl("apply", "--server-side", "--filename=-", input=json.dumps(one))

    def send(method: str, path: str, body: Any = None, **headers: str) -> Any:
        url = f"/api/v1/namespaces/{NAMESPACE}/{path}"
        return api_server.request(method, url, json=body, headers={"Impersonate-User": DRIVER, **headers})

    # The API server notices a policy a moment after it was written, and each in its own time.
    plain = {**EXECUTOR, "metadata": {"name": "plain"}}
    api_server.request("POST", f"/api/v1/namespaces/{NAMESPACE}/pods", json=foreign("probe"))

    def answers() -> set[int]:
        requests = (("POST", "pods?dryRun=All", plain), ("DELETE", "pods/probe?dryRun=All", None))
        return {send(*request).status_code for request in requests}

    eventually(answers, lambda codes: codes == {422})
    return send


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    pod = copy.deepcopy(EXECUTOR)
    change(pod)
    return pod


def foreign(name: str) -> dict[str, Any]:
    """A pod of somebody else's."""
    return {**EXECUTOR, "metadata": {"name": name, "labels": {"app": name}}}


def with_own_values(pod: dict[str, Any]) -> None:
    """Give an executor all that the values of its pods say."""
    spec, values = pod["spec"], VALUES["analytics"]["executor"]["pod"]
    pod["metadata"]["labels"].update({"team": "data", "app.kubernetes.io/instance": "inventory"})
    spec["containers"][0]["env"].append(SECRET_VARIABLE)
    spec["volumes"].append({"name": "trust-bundle", "configMap": {"name": "authorities"}})
    spec["securityContext"].update(values["securityContext"])
    selector = {"app.kubernetes.io/name": "kwitness-executor", "app.kubernetes.io/instance": "inventory"}
    spec["topologySpreadConstraints"] = [{**SPREAD, "labelSelector": {"matchLabels": selector}}]
    spec.update({field: values[field] for field in ("tolerations", "affinity", "dnsConfig")})


def secret_volume(name: str) -> dict[str, Any]:
    return {"name": "s", "secret": {"secretName": name}}


def projected(**source: object) -> dict[str, Any]:
    return {"name": "s", "projected": {"sources": [source]}}


def own_security(pod: dict[str, Any]) -> dict[str, Any]:
    context: dict[str, Any] = pod["spec"]["containers"][0]["securityContext"]
    return context


def requests(pod: dict[str, Any], **amounts: str) -> None:
    pod["spec"]["containers"][0]["resources"] = {"requests": amounts, "limits": amounts}


CONTAINER = {"name": "other", "image": "evil", "securityContext": EXECUTOR["spec"]["containers"][0]["securityContext"]}
REFUSED: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "no executor": (lambda pod: pod["metadata"]["labels"].update({"spark-role": "driver"}), "only executors"),
    "no labels": (lambda pod: pod["metadata"].pop("labels"), "spark-app-selector"),
    "another image": (lambda pod: pod["spec"]["containers"][0].update(image="evil"), "image"),
    "a second container": (lambda pod: pod["spec"]["containers"].append(CONTAINER), "one container"),
    "an init container": (lambda pod: pod["spec"].update(initContainers=[CONTAINER]), "spec.initContainers"),
    "another account": (lambda pod: pod["spec"].update(serviceAccountName="kwitness-operator"), "service account"),
    "a Secret": (lambda pod: pod["spec"]["volumes"].append(secret_volume("payroll")), "mount no Secret"),
    "a projected Secret": (
        lambda pod: pod["spec"]["volumes"].append(
            {"name": "s", "projected": {"sources": [{"secret": {"name": "payroll"}}]}}
        ),
        "projected",
    ),
    "a projected ConfigMap": (
        lambda pod: pod["spec"]["volumes"].append(projected(configMap={"name": "payroll"})),
        "projected",
    ),
    "a ConfigMap": (
        lambda pod: pod["spec"]["volumes"].append({"name": "s", "configMap": {"name": "payroll"}}),
        "no ConfigMap but",
    ),
    "a ConfigMap in a variable": (
        lambda pod: pod["spec"]["containers"][0]["env"].append(
            {"name": "P", "valueFrom": {"configMapKeyRef": {"name": "payroll", "key": "p"}}}
        ),
        "environment",
    ),
    "a ConfigMap as variables": (
        lambda pod: pod["spec"]["containers"][0].update(envFrom=[{"configMapRef": {"name": "payroll"}}]),
        "containers.envFrom",
    ),
    "a foreign claim": (
        lambda pod: pod["spec"]["volumes"].append({"name": "s", "persistentVolumeClaim": {"claimName": "payroll"}}),
        "no claim but",
    ),
    "a token for another audience": (
        lambda pod: pod["spec"]["volumes"].append(
            projected(serviceAccountToken={"audience": "vault", "path": "token"})
        ),
        "no token but",
    ),
    "a token for the API server": (
        lambda pod: pod["spec"]["volumes"].append(projected(serviceAccountToken={"path": "token"})),
        "no token but",
    ),
    "a path of the node": (
        lambda pod: pod["spec"]["volumes"].append({"name": "h", "hostPath": {"path": "/"}}),
        "host path",
    ),
    "a Secret in a variable": (
        lambda pod: pod["spec"]["containers"][0]["env"].append(
            {"name": "P", "valueFrom": {"secretKeyRef": {"name": "payroll", "key": "p"}}}
        ),
        "environment",
    ),
    "a Secret as variables": (
        lambda pod: pod["spec"]["containers"][0].update(envFrom=[{"secretRef": {"name": "payroll"}}]),
        "containers.envFrom",
    ),
    "a foreign pull secret": (lambda pod: pod["spec"].update(imagePullSecrets=[{"name": "payroll"}]), "pull secrets"),
    "the node's network": (lambda pod: pod["spec"].update(hostNetwork=True), "spec.hostNetwork"),
    "privileges": (
        lambda pod: pod["spec"]["containers"][0]["securityContext"].update(allowPrivilegeEscalation=True),
        "privileges",
    ),
    "a capability": (
        lambda pod: pod["spec"]["containers"][0]["securityContext"]["capabilities"].update(add=["NET_ADMIN"]),
        "capabilities",
    ),
    "root": (lambda pod: pod["spec"]["securityContext"].update(runAsNonRoot=False), "root"),
    "root by its number": (lambda pod: pod["spec"]["securityContext"].update(runAsUser=0), "root"),
    "a container as root": (lambda pod: own_security(pod).update(runAsNonRoot=False, runAsUser=0), "root"),
    "a container without seccomp": (
        lambda pod: own_security(pod).update(seccompProfile={"type": "Unconfined"}),
        "seccomp",
    ),
    "a root that can be written": (lambda pod: own_security(pod).update(readOnlyRootFilesystem=False), "read-only"),
    "procfs unmasked": (lambda pod: own_security(pod).update(procMount="Unmasked"), "securityContext.procMount"),
    "a port of the node": (
        lambda pod: pod["spec"]["containers"][0].update(ports=[{"containerPort": 80, "hostPort": 80}]),
        "port of the node",
    ),
    "the collector's labels": (
        lambda pod: pod["metadata"].update(labels={**LABELS, "app.kubernetes.io/name": "kwitness-collector"}),
        "only executors",
    ),
    "a label that others select": (
        lambda pod: pod["metadata"].update(labels={**LABELS, "app": "payroll"}),
        "metadata.labels.app",
    ),
    "a priority class": (
        lambda pod: pod["spec"].update(priorityClassName="system-node-critical", priority=2000001000),
        "priority class",
    ),
    "another value of a label of ours": (
        lambda pod: pod["metadata"].update(labels={**LABELS, "team": "other"}),
        "metadata.labels.team",
    ),
    "another affinity": (
        lambda pod: pod["spec"].update(affinity={"nodeAffinity": {}}),
        "spec.affinity",
    ),
    "another spread": (
        lambda pod: pod["spec"].update(
            topologySpreadConstraints=[{**SPREAD, "labelSelector": {"matchLabels": {"app": "kafka"}}}]
        ),
        "spec.topologySpreadConstraints",
    ),
    "another resolver": (
        lambda pod: pod["spec"].update(dnsPolicy="None", dnsConfig={"nameservers": ["10.0.0.10"]}),
        "spec.dnsConfig",
    ),
    "another key of a Secret of ours": (
        lambda pod: pod["spec"]["containers"][0]["env"].append(
            {"name": "MIRROR", "valueFrom": {"secretKeyRef": {"name": "mirror", "key": "password"}}}
        ),
        "environment",
    ),
    "a toleration of ours for longer": (
        lambda pod: pod["spec"].update(tolerations=[{**PREEMPTED, "tolerationSeconds": 31}]),
        "tolerate",
    ),
    "a node": (lambda pod: pod["spec"].update(nodeName="control-plane"), "spec.nodeName"),
    "a toleration of everything": (lambda pod: pod["spec"].update(tolerations=[{"operator": "Exists"}]), "tolerate"),
    "another scheduler": (lambda pod: pod["spec"].update(schedulerName="mine"), "scheduler"),
    "a command": (lambda pod: pod["spec"]["containers"][0].update(command=["sh", "-c", "id"]), "containers.command"),
    "a kernel parameter": (
        lambda pod: pod["spec"]["securityContext"].update(sysctls=[{"name": "net.ipv4.tcp_syncookies", "value": "0"}]),
        "securityContext.sysctls",
    ),
    "the node's processes": (lambda pod: pod["spec"].update(hostPID=True), "spec.hostPID"),
    "names of hosts": (
        lambda pod: pod["spec"].update(hostAliases=[{"ip": "127.0.0.1", "hostnames": ["kafka"]}]),
        "spec.hostAliases",
    ),
    "cores": (lambda pod: requests(pod, cpu="64"), "limits.maxExecutorCores"),
    "memory": (lambda pod: requests(pod, memory="512Gi"), "limits.maxExecutorMemory"),
    "devices": (lambda pod: requests(pod, **{"example.com/gpu": "1"}), "limits.maxExecutorCores"),
}


def test_admits_an_executor(driver: Callable[..., Any]) -> None:
    answer = driver("POST", "pods?dryRun=All", EXECUTOR)

    assert answer.status_code == 201, answer.text


def test_admits_what_the_values_of_executors_say(driver: Callable[..., Any]) -> None:
    answer = driver("POST", "pods?dryRun=All", changed(with_own_values))

    assert answer.status_code == 201, answer.text


@pytest.mark.parametrize("case", REFUSED)
def test_refuses(case: str, driver: Callable[..., Any]) -> None:
    change, words = REFUSED[case]

    answer = driver("POST", "pods?dryRun=All", changed(change))

    assert answer.status_code == 422, answer.text
    assert words in answer.json()["message"]


def test_refuses_to_delete_what_spark_did_not_make(driver: Callable[..., Any], api_server: ApiServer) -> None:
    api_server.request("POST", f"/api/v1/namespaces/{NAMESPACE}/pods", json=foreign("theirs"))

    answers = [driver("DELETE", path) for path in ("pods/theirs", "pods", "pods?labelSelector=app%3Dtheirs")]

    assert [answer.status_code for answer in answers] == [422, 422, 422]
    assert "only what Spark made" in answers[0].json()["message"]
    assert api_server.request("GET", f"/api/v1/namespaces/{NAMESPACE}/pods/theirs").status_code == 200


def test_lets_spark_delete_what_it_made(driver: Callable[..., Any], api_server: ApiServer) -> None:
    assert driver("POST", "pods", EXECUTOR).status_code == 201

    answer = driver("DELETE", "pods?labelSelector=spark-app-selector%3Dspark-1&gracePeriodSeconds=0")

    assert answer.status_code == 200, answer.text
    assert api_server.request("GET", f"/api/v1/namespaces/{NAMESPACE}/pods/executor").status_code == 404


@pytest.mark.parametrize("what", ["configmaps", "services", "persistentvolumeclaims", "secrets", "serviceaccounts"])
def test_may_do_nothing_to_anything_but_pods(driver: Callable[..., Any], what: str) -> None:
    made = {"apiVersion": "v1", "kind": "Any", "metadata": {"name": "any", "labels": LABELS}}

    answers = [driver("GET", what), driver("POST", what, made), driver("DELETE", what)]

    assert [answer.status_code for answer in answers] == [403, 403, 403]


def test_may_not_change_a_pod_that_runs(driver: Callable[..., Any], api_server: ApiServer) -> None:
    api_server.request("POST", f"/api/v1/namespaces/{NAMESPACE}/pods", json=foreign("running"))
    patch = {"metadata": {"labels": LABELS}}

    answer = driver("PATCH", "pods/running", patch, **{"Content-Type": "application/merge-patch+json"})

    assert answer.status_code == 403


def test_leaves_others_alone(api_server: ApiServer, driver: Callable[..., Any]) -> None:
    assert driver is not None
    plain = changed(lambda pod: pod["spec"]["containers"][0].update(image="anything"))

    answer = api_server.request("POST", f"/api/v1/namespaces/{NAMESPACE}/pods?dryRun=All", json=plain)

    assert answer.status_code == 201, answer.text
