"""The steps that stand the platform up, in their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kwitness.contracts.injections import OBSERVER, OBSERVER_CONTAINER
from kwitness.contracts.interceptor_injections import INTERCEPTORS as INTERCEPTORS_MARK
from kwitness.demo import acls, manifests, namespaces, releases, secrets, waiting
from kwitness.demo.cluster import DemoCluster
from kwitness.demo.platform import (
    APPS,
    CLUSTER,
    COLLECTOR,
    GATEWAY,
    GATEWAY_CLIENT,
    HEADERS,
    INTERCEPTED_CLIENT,
    INTERCEPTED_JAVA_CLIENT,
    INTERCEPTED_JAVA_WORKLOAD,
    INTERCEPTED_WORKLOAD,
    INTERCEPTORS,
    JOB,
    JOBS,
    KAFKA,
    NAMESPACE,
    SIDECAR_CLIENT,
    SIDECAR_WORKLOAD,
    SIDECARS,
    SUBSCRIPTION,
    UNREGISTERED_HEADER,
    Platform,
)
from kwitness.demo.progress import Progress, wait_until

STEPS = 9
"""Steps that this module announces."""

RESOURCES = (
    ("kafkacluster", CLUSTER, 180),
    ("telemetrycollector", COLLECTOR, 240),
    ("clientmetricssubscription", SUBSCRIPTION, 120),
    ("observerdeployment", GATEWAY, 180),
    ("observerdeployment", SIDECARS, 180),
    ("headerregistry", HEADERS, 60),
    ("interceptorprofile", INTERCEPTORS, 180),
)
"""Custom resources in the order in which they become ready: kind, name, time limit in seconds."""

PUSHING = frozenset({"demo-java-producer", "demo-python-producer", "demo-java-consumer", "demo-python-consumer"})
"""Client ids of the programs that push for certain."""

INTERCEPTED = ((INTERCEPTED_WORKLOAD, INTERCEPTED_CLIENT), (INTERCEPTED_JAVA_WORKLOAD, INTERCEPTED_JAVA_CLIENT))
"""Programs with interceptors: Deployment, client id. Both read what the producer of UNREGISTERED_HEADER writes."""

INTO_PODS = (
    ("observerdeployment", SIDECARS, (SIDECAR_WORKLOAD,)),
    ("interceptorprofile", INTERCEPTORS, tuple(workload for workload, _ in INTERCEPTED)),
)
"""Custom resources that put something into pods as they start: kind, name, Deployments of these pods."""

FIRST_PUSH_SECONDS = 180
"""Clients wait 0.5 to 1.5 intervals before the first push, and start in the meantime."""


@dataclass(frozen=True, kw_only=True)
class DemoTarget:
    """Where to stand it up."""

    cluster: DemoCluster
    images: Mapping[str, str]
    """Image name (`demo-python`) to full reference."""
    image_values: Path
    """A folder with a Helm values file for each chart, which names the same images."""
    logs: Callable[[], str]
    """Collects all logs and says where they are; called when something fails."""


def stand_up(target: DemoTarget, progress: Progress) -> Platform:
    """Install everything, wait for everything, return what can be asked.

    Idempotent: on a platform that stands already, each step finds nothing to do.

    Raises
    ------
    DemoError
        A step failed; names the component, the reason and the log.
    """
    cluster = target.cluster
    platform = Platform(cluster=cluster, images=target.images)
    with progress.step("namespaces that enforce Pod Security restricted; certificates and credentials"):
        namespaces.ensure(cluster, NAMESPACE, APPS, observed={APPS})
        secrets.ensure(cluster, NAMESPACE)
        secrets.publish_authority(cluster, NAMESPACE, to=APPS)
    with progress.step("helm install kwitness (operator, injector), kwitness-demo (Prometheus, a development Kafka)"):
        releases.install(cluster, target.image_values)
        _workloads(target, progress, ("statefulset", KAFKA), ("deployment", "kwitness-operator"))
    with progress.step("least permissions in Kafka for operator, collector and job"):
        acls.grant(cluster, NAMESPACE, releases.RESOURCES / "10-kafka-cluster.yaml")
    with progress.step("kubectl apply: one resource of each kind that acts"):
        for file in manifests.files(releases.RESOURCES):
            cluster.apply(manifests.filled(file, {}), namespace=NAMESPACE)
        for kind, name, seconds in RESOURCES:
            _ready(target, progress, kind, name, seconds)
    with progress.step("client programs as pods"):
        values = {f"IMAGE_{name.upper().replace('-', '_')}": reference for name, reference in target.images.items()}
        for file in manifests.files(releases.CLIENTS):
            cluster.apply(manifests.filled(file, values), namespace=APPS)
        deployments = [item["metadata"]["name"] for item in cluster.items("deployments", f"--namespace={APPS}")]
        _workloads(target, progress, *(("deployment", name) for name in deployments), namespace=APPS)
        _restart_outdated(target, progress)
    with progress.step("first pushes in Prometheus"):
        _pushes(progress, platform)
    with progress.step("what went through the gateway and the sidecar, and what interceptors saw, in Prometheus"):
        _relayed(progress, platform)
        _beside(progress, platform)
        _within(progress, platform)
        _header_finding(target, progress)
    with progress.step("Spark: drivers, an executor, first rows of the tables"):
        for job in JOBS.values():
            _ready(target, progress, "analyticsjob", job, 300)
        _rows(target, progress, platform)
        _answers(progress, platform)
    with progress.step("connection gauge, and numbers in the subscription's status"):
        _numbers(target, progress, platform)
    return platform


def _workloads(target: DemoTarget, progress: Progress, *workloads: tuple[str, str], namespace: str = NAMESPACE) -> None:
    for kind, name in workloads:
        wait_until(
            lambda kind=kind, name=name: waiting.workload(target.cluster, kind=kind, name=name, namespace=namespace),  # type: ignore[misc]
            progress=progress,
            component=name,
            log=f"kubectl logs --namespace {namespace} {kind}/{name}",
            seconds=240,
        )


def _ready(target: DemoTarget, progress: Progress, kind: str, name: str, seconds: float) -> None:
    wait_until(
        lambda: waiting.resource(target.cluster, kind=kind, name=name, namespace=NAMESPACE),
        progress=progress,
        component=f"{kind} {name}",
        log=f"kubectl describe --namespace {NAMESPACE} {kind}/{name}; kubectl logs deployment/kwitness-operator",
        seconds=seconds,
    )


def _restart_outdated(target: DemoTarget, progress: Progress) -> None:
    """Start clients again whose pods have what an earlier demo put into them, as the message of Covered says to do."""
    for kind, name, workloads in INTO_PODS:
        found = target.cluster.find(kind, name, "--namespace", NAMESPACE)
        if (waiting.condition(found, "Covered") or {}).get("reason") == "PodsMissed":
            progress.note(f"restarting {', '.join(workloads)}: their pods started before {kind} {name} changed")
            names = [f"deployment/{one}" for one in workloads]
            target.cluster.kubectl("rollout", "restart", *names, "--namespace", APPS)
            _workloads(target, progress, *(("deployment", one) for one in workloads), namespace=APPS)


def _pushes(progress: Progress, platform: Platform) -> None:
    wanted = {"confluent-kafka-python", "apache-kafka-java"}

    def missing() -> str | None:
        seen = {
            sample["metric"].get("client_software_name", "")
            for name in ("producer", "consumer")
            for sample in platform.query(f"kafka_client_{name}_connection_creation_total")
        }
        lacking = sorted(wanted - seen)
        return f"the first push of {', '.join(lacking)}" if lacking else None

    log = f"kubectl logs --namespace {NAMESPACE} kwitness-collector-{COLLECTOR}-0 (and {KAFKA}-0 for the plugin)"
    wait_until(missing, progress=progress, component="collector", log=log, seconds=FIRST_PUSH_SECONDS, every=2)


def _relayed(progress: Progress, platform: Platform) -> None:
    def missing() -> str | None:
        if not platform.query(f'kafka_client_records_total{{client_id="{GATEWAY_CLIENT}"}}'):
            return f"the first window with records of {GATEWAY_CLIENT}"
        if not platform.query('kafka_client_connections{source="observer"}'):
            return "the gateway's connections"
        return None

    log = f"kubectl logs --namespace {NAMESPACE} deployment/kwitness-gateway-{GATEWAY}"
    wait_until(missing, progress=progress, component="gateway", log=log, seconds=120, every=2)


def _beside(progress: Progress, platform: Platform) -> None:
    def missing() -> str | None:
        if trouble := _not_marked(platform, SIDECAR_WORKLOAD, OBSERVER):
            return f"an observer in the pod of {trouble}"
        place = _place_of(platform, SIDECAR_WORKLOAD)
        if not platform.query(f'kafka_client_records_total{{client_id="{SIDECAR_CLIENT}",{place}}}'):
            return f"the first window with records of {SIDECAR_CLIENT}"
        return None

    log = f"kubectl logs --namespace {APPS} deployment/{SIDECAR_WORKLOAD} --container {OBSERVER_CONTAINER}"
    wait_until(missing, progress=progress, component="sidecar", log=log, seconds=120, every=2)


def _within(progress: Progress, platform: Platform) -> None:
    for workload, client in INTERCEPTED:

        def missing(workload: str = workload, client: str = client) -> str | None:
            if trouble := _not_marked(platform, workload, INTERCEPTORS_MARK):
                return f"interceptors in the pod of {trouble}"
            place = _place_of(platform, workload)
            if not platform.query(f'kafka_client_interceptor_consumed_records_total{{client_id="{client}",{place}}}'):
                return f"the first window with records that {client} got"
            return None

        log = f"kubectl logs --namespace {APPS} deployment/{workload} --all-containers"
        wait_until(missing, progress=progress, component="interceptors", log=log, seconds=120, every=2)


def _header_finding(target: DemoTarget, progress: Progress) -> None:
    def missing() -> str | None:
        status = target.cluster.find("headerregistry", HEADERS, "--namespace", NAMESPACE).get("status", {})
        clients = {one["key"]: one["clients"] for one in status.get("findings", [])}
        if clients.get(UNREGISTERED_HEADER, 0) >= len(INTERCEPTED):
            return None
        return f"the header {UNREGISTERED_HEADER} in the register's status, with all who get it"

    log = f"kubectl describe --namespace {NAMESPACE} headerregistry/{HEADERS}"
    wait_until(missing, progress=progress, component="header registry", log=log, seconds=120, every=2)


def _not_marked(platform: Platform, workload: str, annotation: str) -> str | None:
    """The Deployment, and the command that restarts it, where none of its pods has the injector's mark."""
    if any(annotation in pod["metadata"].get("annotations", {}) for pod in _present_pods(platform, workload)):
        return None
    # They started while no injector answered.
    return f"{workload} (kubectl rollout restart deployment/{workload} --namespace {APPS})"


def _place_of(platform: Platform, workload: str) -> str:
    """A label matcher for its present pods: series of those that were replaced stay for a while."""
    names = "|".join(pod["metadata"]["name"] for pod in _present_pods(platform, workload))
    return f'k8s_pod=~"{names}"'


def _present_pods(platform: Platform, workload: str) -> list[dict[str, Any]]:
    pods = platform.cluster.pods(APPS, f"app.kubernetes.io/name={workload}")
    return [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]


def _rows(target: DemoTarget, progress: Progress, platform: Platform) -> None:
    def missing() -> str | None:
        status = target.cluster.find("analyticsjob", JOB, "--namespace", NAMESPACE).get("status", {})
        if not status.get("tableVersion") and status.get("tableVersion") != 0:
            return f"the first version of the table (job is {status.get('phase', 'starting')})"
        clients = {row.get("client_id") for row in platform.inventory() if row.get("kind") == "instance"}
        lacking = sorted(PUSHING - clients)
        return f"{', '.join(lacking)} in the table" if lacking else None

    log = f"kubectl logs --namespace {NAMESPACE} kwitness-job-{JOB}-0"
    wait_until(missing, progress=progress, component="Spark driver", log=log, seconds=240, every=3)


def _answers(progress: Progress, platform: Platform) -> None:
    def missing() -> str | None:
        relayed = [row for row in platform.rows("Traffic") if row.get("client_id") == GATEWAY_CLIENT]
        if not any(row["topic"] and row["records"] for row in relayed):
            return f"the first window of {GATEWAY_CLIENT} in the table of traffic"
        if not platform.rows("LedgerAudit"):
            return "the first sources in the table of the ledger's audit"
        if not any(row["kind"] == "request" for row in platform.rows("UpgradeImpact")):
            return "the first requests of clients in the table of the upgrade's impact"
        return None

    others = ", ".join(job for job in JOBS.values() if job not in {JOB, JOBS["Traffic"]})
    log = f"kubectl logs --namespace {NAMESPACE} kwitness-job-{JOBS['Traffic']}-0 (and {others})"
    wait_until(missing, progress=progress, component="Spark drivers", log=log, seconds=480, every=3)


def _numbers(target: DemoTarget, progress: Progress, platform: Platform) -> None:
    def missing() -> str | None:
        if not platform.query('kafka_client_connections{client_software_name="kafka-python"}'):
            return "the brokers' next report of who is connected (every 10 s)"
        status = target.cluster.find("clientmetricssubscription", SUBSCRIPTION, "--namespace", NAMESPACE)["status"]
        if status.get("clients", {}).get("pushing", 0) >= len(PUSHING) and status.get("silentSoftware"):
            return None
        return "the operator's next look at the collector's inventory"

    log = f"kubectl logs --namespace {NAMESPACE} deployment/kwitness-operator"
    wait_until(missing, progress=progress, component="operator", log=log, seconds=150, every=2)
