"""The parts of the demo in the order in which `make demo` starts them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from kwitness.contracts.injections import OBSERVER, OBSERVER_CONTAINER
from kwitness.contracts.interceptor_injections import INTERCEPTORS as INTERCEPTORS_MARK
from kwitness.demo import acls, manifests, namespaces, releases, secrets, waiting
from kwitness.demo.parts import Demo, Part, part
from kwitness.demo.platform import (
    APPS,
    CLUSTER,
    COLLECTOR,
    CONSOLE,
    GATEWAY,
    GATEWAY_CLIENT,
    HEADERS,
    INTERCEPTED_CLIENT,
    INTERCEPTED_JAVA_CLIENT,
    INTERCEPTED_JAVA_WORKLOAD,
    INTERCEPTED_WORKLOAD,
    INTERCEPTORS,
    JOBS,
    KAFKA,
    NAMESPACE,
    PROMETHEUS,
    SIDECAR_CLIENT,
    SIDECAR_WORKLOAD,
    SIDECARS,
    SUBSCRIPTION,
    UNREGISTERED_HEADER,
)
from kwitness.demo.progress import wait_until
from kwitness.demo.signs import signs_of

PUSHING: Final = frozenset({"demo-java-producer", "demo-python-producer", "demo-java-consumer", "demo-python-consumer"})
"""Client ids of the programs that push for certain."""
OBSERVED: Final = frozenset({GATEWAY_CLIENT, SIDECAR_CLIENT})
"""Client ids of the programs that observers see."""
INTERCEPTED: Final = {
    INTERCEPTED_WORKLOAD: INTERCEPTED_CLIENT,
    INTERCEPTED_JAVA_WORKLOAD: INTERCEPTED_JAVA_CLIENT,
}
"""Client ids of the programs with interceptors by Deployment. Both read what writes UNREGISTERED_HEADER."""

_PRODUCERS: Final = ("java-producer", "python-producer", "kafka-python-producer", "old-python-producer")

_Rows = Sequence[Mapping[str, Any]]


@part()
def credentials(demo: Demo) -> None:
    """Namespaces that enforce Pod Security restricted; certificates and credentials."""
    namespaces.ensure(demo.cluster, NAMESPACE, APPS, observed={APPS})
    secrets.ensure(demo.cluster, NAMESPACE)
    secrets.publish_authority(demo.cluster, NAMESPACE, to=APPS)


@part(credentials, images=("operator", "injector", "prometheus", "dev-kafka"))
def charts(demo: Demo) -> None:
    """Helm install kwitness (operator, injector), kwitness-demo (Prometheus, a development Kafka)."""
    # A console of an earlier demo stays.
    releases.install(demo.cluster, demo.target.image_values, console=releases.has_console(demo.cluster))
    _running(demo, "kwitness-operator", "kwitness-injector", PROMETHEUS)


@part(charts)
def broker(demo: Demo) -> None:
    """The development Kafka, with least permissions for operator, collector and job."""
    _running(demo, KAFKA, kind="statefulset")
    acls.grant(demo.cluster, NAMESPACE, releases.RESOURCES / "10-kafka-cluster.yaml")
    _apply(demo, "10-kafka-cluster")
    _ready(demo, "kafkacluster", CLUSTER)


@part(broker, images=("collector",))
def collector(demo: Demo) -> None:
    """The collector, and a subscription of the brokers to what clients push."""
    _apply(demo, "15-readers", "20-telemetry-collector", "30-client-metrics-subscription")
    _ready(demo, "telemetrycollector", COLLECTOR)
    _ready(demo, "clientmetricssubscription", SUBSCRIPTION)


@part(collector, images=("demo-java", "demo-python"))
def clients(demo: Demo) -> None:
    """Client programs as pods, and their first pushes in Prometheus."""
    _clients(demo, *_PRODUCERS, *INTERCEPTED)
    desired = {"confluent-kafka-python", "apache-kafka-java"}

    def missing() -> str | None:
        pushed = demo.platform.query("kafka_client_producer_connection_creation_total")
        lacking = sorted(desired - {sample["metric"].get("client_software_name", "") for sample in pushed})
        return f"the first push of {', '.join(lacking)}" if lacking else None

    _wait(demo, missing, "collector", f"kwitness-collector-{COLLECTOR}-0 (and {KAFKA}-0 for the plugin)")


@part(collector, images=("observer", "demo-python"))
def gateway(demo: Demo) -> None:
    """A gateway, and in Prometheus what went through it."""
    _apply(demo, "50-observer-deployment")
    _ready(demo, "observerdeployment", GATEWAY)
    _clients(demo, "gateway-producer")

    def missing() -> str | None:
        if not demo.platform.query(f'kafka_client_records_total{{client_id="{GATEWAY_CLIENT}"}}'):
            return f"the first window with records of {GATEWAY_CLIENT}"
        if not demo.platform.query('kafka_client_connections{source="observer"}'):
            return "the gateway's connections"
        return None

    _wait(demo, missing, "gateway", f"deployment/kwitness-gateway-{GATEWAY}")


@part(collector, images=("observer", "demo-python"))
def sidecars(demo: Demo) -> None:
    """An observer beside a client, and in Prometheus what it saw."""
    _apply(demo, "60-sidecars")
    _ready(demo, "observerdeployment", SIDECARS)
    _clients(demo, SIDECAR_WORKLOAD)
    _restart_outdated(demo, "observerdeployment", SIDECARS, [SIDECAR_WORKLOAD], OBSERVER)
    records = {SIDECAR_WORKLOAD: f'kafka_client_records_total{{client_id="{SIDECAR_CLIENT}",'}
    _seen_in_pods(demo, OBSERVER, records, OBSERVER_CONTAINER)


@part(clients)
def numbers(demo: Demo) -> None:
    """Connection gauge, and numbers in the subscription's status."""

    def missing() -> str | None:
        if not demo.platform.query('kafka_client_connections{client_software_name="kafka-python"}'):
            return "the brokers' next report of who is connected (every 10 s)"
        status = _status(demo, "clientmetricssubscription", SUBSCRIPTION)
        if status.get("clients", {}).get("pushing", 0) >= len(PUSHING) and status.get("silentSoftware"):
            return None
        return "the operator's next look at the collector's inventory"

    _wait(demo, missing, "operator", "deployment/kwitness-operator")


@part(collector, images=("console",))
def console(demo: Demo) -> None:
    """The console, and an account whose tokens show the clients of one namespace."""
    secrets.ensure_for_console(demo.cluster, NAMESPACE)
    _apply(demo, "25-console-person")
    releases.install_product(demo.cluster, demo.target.image_values, console=True)
    _running(demo, CONSOLE)


@part(clients, images=("interceptors",))
def interceptors(demo: Demo) -> None:
    """Interceptors in two clients, which restart, with a register of headers; what they saw in Prometheus."""
    _apply(demo, "65-header-registry", "70-interceptors")
    _ready(demo, "headerregistry", HEADERS)
    _ready(demo, "interceptorprofile", INTERCEPTORS)
    _restart_outdated(demo, "interceptorprofile", INTERCEPTORS, list(INTERCEPTED), INTERCEPTORS_MARK)
    records = "kafka_client_interceptor_consumed_records_total"
    got = {workload: f'{records}{{client_id="{client}",' for workload, client in INTERCEPTED.items()}
    _seen_in_pods(demo, INTERCEPTORS_MARK, got, "client")


@part(interceptors)
def headers(demo: Demo) -> None:
    """In the register's status a header that it does not have."""

    def missing() -> str | None:
        findings = _status(demo, "headerregistry", HEADERS).get("findings", [])
        if any(found["key"] == UNREGISTERED_HEADER and found["clientsTotal"] >= len(INTERCEPTED) for found in findings):
            return None
        return f"the header {UNREGISTERED_HEADER} in the register's status, with all who get it"

    _wait(demo, missing, "header registry", "deployment/kwitness-operator")


@part(clients, images=("spark",))
def client_inventory(demo: Demo) -> None:
    """Spark: a driver with an executor, and all clients that push in the table ClientInventory."""
    _first_rows(demo, "ClientInventory", "40-analytics-job", lambda rows: PUSHING - _clients_of(rows, "instance"))


@part(gateway, sidecars, images=("spark",))
def traffic(demo: Demo) -> None:
    """Spark: a driver, and the first window of observed clients in the table Traffic."""
    _first_rows(demo, "Traffic", "41-traffic", lambda rows: OBSERVED - _clients_of(rows, "partition"))


@part(gateway, interceptors, images=("spark",))
def ledger_audit(demo: Demo) -> None:
    """Spark: a driver, and the sources of all kinds in the table LedgerAudit."""
    sources = {"Observer", "Interceptors", "Plugin"}
    _first_rows(demo, "LedgerAudit", "42-ledger-audit", lambda rows: sources - {row["kind"] for row in rows})


@part(gateway, sidecars, images=("spark",))
def upgrade_impact(demo: Demo) -> None:
    """Spark: a driver, and requests of observed clients in the table UpgradeImpact."""
    _first_rows(demo, "UpgradeImpact", "43-upgrade-impact", lambda rows: OBSERVED - _clients_of(rows, "request"))


def begin(demo: Demo, parts: Collection[Part]) -> None:
    """Apply what parts that need the collector begin with: they wait for pods and pushes at the same time then."""
    if clients in parts:
        _apply_clients(demo, *_PRODUCERS, *INTERCEPTED)
    if gateway in parts:
        _apply(demo, "50-observer-deployment")
        _apply_clients(demo, "gateway-producer")
    if sidecars in parts:
        _apply(demo, "60-sidecars")


OF_JOBS: Final = dict(zip(JOBS, (client_inventory, traffic, ledger_audit, upgrade_impact), strict=True))
"""By the type of the job. Each waits for its rows, so that drivers do not start at the same time."""
QUICK: Final = (credentials, charts, broker, collector, sidecars, clients, gateway, numbers, console)
"""The sidecar's client starts last of all, so it is waited for first; meanwhile the others push."""
SLOW: Final = (interceptors, headers, *OF_JOBS.values())
"""Large images, clients that restart, and drivers of Spark: all else can be used before them."""
PARTS: Final = (*QUICK, *SLOW)


def _wait(demo: Demo, missing: Callable[[], str | None], component: str, log: str, namespace: str = NAMESPACE) -> None:
    workload = log.split(" ", maxsplit=1)[0].rstrip(";").rpartition("/")[2]
    signs = signs_of(demo.cluster, namespace=namespace, workload=workload)
    log = f"kubectl logs --namespace {namespace} {log}"
    wait_until(missing, progress=demo.progress, component=component, log=log, signs=signs, every=2)


def _running(demo: Demo, *names: str, kind: str = "deployment", namespace: str = NAMESPACE) -> None:
    for name in names:

        def missing(name: str = name) -> str | None:
            return waiting.workload(demo.cluster, kind=kind, name=name, namespace=namespace)

        _wait(demo, missing, name, f"{kind}/{name}", namespace)


def _apply(demo: Demo, *names: str) -> None:
    for name in names:
        demo.cluster.apply((releases.RESOURCES / f"{name}.yaml").read_text(), namespace=NAMESPACE)


def _ready(demo: Demo, kind: str, name: str) -> None:
    def missing() -> str | None:
        return waiting.resource(demo.cluster, kind=kind, name=name, namespace=NAMESPACE)

    log = f"deployment/kwitness-operator; kubectl describe --namespace {NAMESPACE} {kind}/{name}"
    _wait(demo, missing, f"{kind} {name}", log)


def _status(demo: Demo, kind: str, name: str) -> dict[str, Any]:
    return dict(demo.cluster.find(kind, name, NAMESPACE).get("status", {}))


def _apply_clients(demo: Demo, *names: str) -> None:
    for name in names:
        demo.cluster.apply(manifests.client(name, demo.target.images), namespace=APPS)


def _clients(demo: Demo, *names: str) -> None:
    _apply_clients(demo, *names)
    _running(demo, *names, namespace=APPS)


def _restart_outdated(demo: Demo, kind: str, name: str, workloads: Sequence[str], annotation: str) -> None:
    """Restart clients whose pods lack the injector's mark, or have what an earlier demo put into them."""
    found = demo.cluster.find(kind, name, NAMESPACE)
    missed = (waiting.condition(found, "Covered") or {}).get("reason") == "PodsMissed"
    if outdated := [workload for workload in workloads if missed or not _is_marked(_pods(demo, workload), annotation)]:
        demo.progress.note(f"restarting {', '.join(outdated)}: their pods started before {kind} {name} changed")
        demo.cluster.restart(*outdated, namespace=APPS)
        _running(demo, *outdated, namespace=APPS)


def _pods(demo: Demo, workload: str) -> list[dict[str, Any]]:
    """Return the metadata of a workload's pods."""
    return [pod["metadata"] for pod in demo.cluster.pods(APPS, f"app.kubernetes.io/name={workload}")]


def _is_marked(pods: Sequence[Mapping[str, Any]], annotation: str) -> bool:
    return any(annotation in pod.get("annotations", {}) for pod in pods)


def _seen_in_pods(demo: Demo, annotation: str, series: Mapping[str, str], container: str) -> None:
    """Wait for the injector's mark on the pods of Deployments, and for series, begun up to their pods' label."""
    for workload, begun in series.items():

        def missing(workload: str = workload, begun: str = begun) -> str | None:
            pods = _pods(demo, workload)
            if any("deletionTimestamp" in pod for pod in pods):
                return f"the end of earlier pods of {workload}"
            if not _is_marked(pods, annotation):
                # They started while no injector answered.
                return f"a restart of {workload} (kubectl rollout restart deployment/{workload} --namespace {APPS})"
            # Series of pods that were replaced stay for a while.
            names = "|".join(pod["name"] for pod in pods)
            return None if demo.platform.query(f'{begun}k8s_pod=~"{names}"}}') else f"the first window of {workload}"

        _wait(demo, missing, workload, f"deployment/{workload} --container {container}", APPS)


def _first_rows(
    demo: Demo,
    job_type: str,
    manifest: str,
    lacking: Callable[[Sequence[Mapping[str, Any]]], frozenset[str] | set[str]],
) -> None:
    """Have a job work, also one that was suspended, until its table has what `lacking` finds missing in its rows."""
    job = JOBS[job_type]
    _apply(demo, manifest)
    demo.cluster.objects.patch("analyticsjob", job, NAMESPACE, {"spec": {"suspend": None}})
    _ready(demo, "analyticsjob", job)
    read: dict[int, str | None] = {}

    def missing() -> str | None:
        (analysis,) = _status(demo, "analyticsjob", job).get("analyses", [{}])
        version = analysis.get("tableVersion")
        if version is None:
            return "the first version of the table"
        # Rows are read by a process in the driver's pod, so once a version.
        if version not in read:
            lacks = ", ".join(sorted(lacking(demo.platform.rows(job_type))))
            read[version] = f"{lacks} in the table" if lacks else None
        return read[version]

    _wait(demo, missing, "Spark driver", f"kwitness-job-{job}-0")


def _clients_of(rows: _Rows, kind: str) -> set[str]:
    return {str(row["client_id"]) for row in rows if row["kind"] == kind}
